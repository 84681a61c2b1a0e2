package agent

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strings"
	"time"
)

const (
	formatVersion = 2
	partialSuffix = ".partial"
	traceSuffix   = ".trace.partial"
	maxFile       = 1<<32 - 1<<20 // the format has no 64-bit sizes
)

// meta is recording.json; see docs/formats/recording.md. A test compares it with package recording,
// which this package does not import, to keep its dependencies out of the recorded program.
type meta struct {
	Version     int           `json:"version"`
	Whet        string        `json:"whet,omitempty"`
	Created     time.Time     `json:"created"`
	Duration    time.Duration `json:"duration_ns"`
	Target      target        `json:"target"`
	GoVersion   string        `json:"go_version,omitempty"`
	GOMAXPROCS  int           `json:"gomaxprocs,omitempty"`
	GOOS        string        `json:"goos,omitempty"`
	GOARCH      string        `json:"goarch,omitempty"`
	NumCPU      int           `json:"num_cpu,omitempty"`
	CommandLine []string      `json:"command_line,omitempty"`
	Build       *Build        `json:"build,omitempty"`
	Parts       []part        `json:"parts"`
	Missing     []missing     `json:"missing,omitempty"`
}

type target struct {
	Kind    string   `json:"kind"`
	Command []string `json:"command,omitempty"`
	PID     int      `json:"pid,omitempty"`
}

type part struct {
	Name   string    `json:"name"`
	Kind   string    `json:"kind"`
	Bytes  int64     `json:"bytes"`
	SHA256 string    `json:"sha256,omitempty"`
	Note   string    `json:"note,omitempty"`
	Path   string    `json:"path,omitempty"`
	Start  time.Time `json:"start,omitzero"`
	End    time.Time `json:"end,omitzero"`
}

type missing struct {
	Part   string `json:"part"`
	Reason string `json:"reason"`
	Hint   string `json:"hint,omitempty"`
}

// metaOf returns the description of this program.
func metaOf(info *Info, created time.Time) meta {
	m := meta{
		Version:     formatVersion,
		Created:     created,
		Target:      target{Kind: "program", Command: info.Cmdline, PID: info.PID},
		GoVersion:   info.GoVersion,
		GOMAXPROCS:  info.GOMAXPROCS,
		GOOS:        info.GOOS,
		GOARCH:      info.GOARCH,
		NumCPU:      info.NumCPU,
		CommandLine: info.Cmdline,
		Build:       info.Build,
		Parts:       []part{},
	}
	if info.Build != nil {
		for _, module := range append(info.Build.Deps, info.Build.Main) {
			if module.Path == "github.com/whet-go/whet" {
				m.Whet = module.Version
			}
		}
	}
	return m
}

// archive writes the parts of a recording. Each part is compressed before its header is written, so
// that the parts of a file without an index can be read.
type archive struct {
	path    string // where the finished recording goes
	created time.Time
	file    *os.File
	zip     *zip.Writer
	size    int64
	parts   []part
	names   map[string]bool
}

func createArchive(path string, created time.Time) (*archive, error) {
	if err := checkReplace(path); err != nil {
		return nil, err
	}
	f, err := os.Create(path + partialSuffix)
	if err != nil {
		return nil, err
	}
	return &archive{path: path, created: created, file: f, zip: zip.NewWriter(f), names: map[string]bool{}}, nil
}

// checkReplace refuses to overwrite a file that is not a recording.
func checkReplace(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return nil // creating the file reports any error
	}
	defer func() { _ = f.Close() }() // only read
	head := make([]byte, 4)
	n, err := io.ReadFull(f, head)
	if n == 0 && errors.Is(err, io.EOF) || string(head) == "PK\x03\x04" {
		return nil
	}
	return errors.New("the file exists and is not a recording")
}

func kindOf(name string) string {
	switch {
	case strings.HasPrefix(name, sourcePrefix):
		return "source"
	case strings.HasPrefix(name, "profiles/"):
		return "profile"
	case strings.HasSuffix(name, ".out"):
		return "trace"
	case strings.HasSuffix(name, ".json"):
		return "json"
	}
	return "text"
}

// add appends a part. It fills in the fields of p that follow from data.
func (a *archive) add(p part, data []byte) error {
	sum := sha256.Sum256(data)
	p.Kind, p.Bytes, p.SHA256 = kindOf(p.Name), int64(len(data)), hex.EncodeToString(sum[:])
	h := &zip.FileHeader{
		Name:               p.Name,
		Method:             zip.Store,
		Flags:              0x800, // the name is UTF-8
		CRC32:              crc32.ChecksumIEEE(data),
		UncompressedSize64: uint64(len(data)),
	}
	if p.Kind != "profile" { // those are already gzipped
		h.Method = zip.Deflate
		var packed bytes.Buffer
		w, err := flate.NewWriter(&packed, flate.DefaultCompression)
		if err == nil {
			_, err = w.Write(data)
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			return fmt.Errorf("compress part %s: %w", p.Name, err)
		}
		data = packed.Bytes()
	}
	h.CompressedSize64 = uint64(len(data))
	h.SetMode(0o644)
	h.SetModTime(a.created) //nolint:staticcheck // CreateRaw writes these fields and ignores Modified
	if a.size += int64(len(data)) + 256 + 2*int64(len(p.Name)); a.size > maxFile {
		return fmt.Errorf("add part %s: recording would exceed %d bytes", p.Name, int64(maxFile))
	}
	w, err := a.zip.CreateRaw(h)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = a.zip.Flush() // from here on, the part survives the death of the program
	}
	if err != nil {
		return fmt.Errorf("write part %s: %w", p.Name, err)
	}
	a.names[p.Name] = true
	a.parts = append(a.parts, p)
	return nil
}

func (a *archive) addJSON(name string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("encode part %s: %w", name, err)
	}
	return a.add(part{Name: name}, append(data, '\n'))
}

// finish writes the description of the recording and renames the file to its destination. If it
// fails, the file keeps its partial name.
func (a *archive) finish(m *meta) error {
	m.Parts = append(m.Parts, a.parts...)
	if err := a.addJSON("recording.json", m); err != nil {
		return errors.Join(err, a.file.Close())
	}
	err := a.zip.Close()
	if err == nil {
		err = a.file.Sync()
	}
	if err = errors.Join(err, a.file.Close()); err != nil {
		return err
	}
	return os.Rename(a.file.Name(), a.path)
}

// abort removes the file.
func (a *archive) abort() error { return errors.Join(a.file.Close(), os.Remove(a.file.Name())) }
