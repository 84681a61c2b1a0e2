package recording

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/klauspost/compress/flate"

	"github.com/whet-go/whet/internal/tempfile"
	"github.com/whet-go/whet/profile"
)

// PartialSuffix is what Create appends to the name of a file until it is complete.
const PartialSuffix = ".partial"

// maxFile bounds a recording, so that no field of the format needs 64 bits.
const maxFile = 1<<32 - 1<<20

// A Writer writes one recording. It is safe for concurrent use. Either Close or Abort must be
// called.
type Writer struct {
	path string
	file *os.File
	zw   *zip.Writer

	mu     sync.Mutex
	err    error // the first failure to write to file; all later calls return it
	closed bool
	start  Meta
	size   int64 // upper bound of the file's size so far
	names  map[string]bool
	parts  []Part
}

// Create starts the recording that Close will put at path. Until then it is written to path +
// PartialSuffix, which replaces a file of that name. start describes the target as it is at the
// start: a truncated recording has no other description.
func Create(path string, start Meta) (*Writer, error) {
	f, err := os.Create(path + PartialSuffix)
	if err != nil {
		return nil, fmt.Errorf("create recording: %w", err)
	}
	start.Version = Version
	if start.Created.IsZero() {
		start.Created = time.Now()
	}
	w := &Writer{path: path, file: f, zw: zip.NewWriter(f), start: start, names: make(map[string]bool)}
	if err := w.AddJSON(StartPart, start); err != nil {
		return nil, errors.Join(err, w.Abort())
	}
	return w, nil
}

// Has reports whether a part of that name has been added.
func (w *Writer) Has(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.names[name]
}

// Add appends a part. The caller sets Name and the description of p; Add sets Kind (if empty),
// Bytes and SHA256.
func (w *Writer) Add(p Part, data []byte) error {
	return w.AddReader(p, bytes.NewReader(data), int64(len(data)))
}

// AddJSON appends v as an indented JSON part.
func (w *Writer) AddJSON(name string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("encode part %s: %w", name, err)
	}
	return w.Add(Part{Name: name, Kind: KindJSON}, append(data, '\n'))
}

// AddProfile appends the profile called name, such as "cpu", with the description in p.
func (w *Writer) AddProfile(name string, prof *profile.Profile, p Part) error {
	var buf bytes.Buffer
	if err := prof.Write(&buf); err != nil {
		return fmt.Errorf("encode profile %s: %w", name, err)
	}
	return w.AddRawProfile(name, buf.Bytes(), p)
}

// AddRawProfile appends a profile that is already encoded (gzipped protobuf).
func (w *Writer) AddRawProfile(name string, data []byte, p Part) error {
	return w.AddProfileReader(name, bytes.NewReader(data), p)
}

// AddProfileReader is like AddRawProfile, but reads the profile from r, to its end.
func (w *Writer) AddProfileReader(name string, r io.Reader, p Part) error {
	p.Name, p.Kind = profilePart(name), KindProfile
	return w.AddReader(p, r, maxFile)
}

// Profile decodes a profile that was added. It must not be called after Close.
func (w *Writer) Profile(name string, opt profile.ReadOptions) (*profile.Profile, error) {
	part, err := w.Part(profilePart(name))
	if err != nil {
		return nil, err
	}
	p, err := profile.Read(part, opt)
	return p, errors.Join(err, part.Close())
}

// AddSource appends the source file that profiles call path. It does nothing if the path was
// already added.
func (w *Writer) AddSource(path string, data []byte) error {
	name := sourceName(path)
	w.mu.Lock()
	for n := 2; w.names[name]; n++ {
		for _, p := range w.parts {
			if p.Path == path {
				w.mu.Unlock()
				return nil
			}
		}
		name = numbered(sourceName(path), n)
	}
	w.mu.Unlock()
	return w.Add(Part{Name: name, Kind: KindSource, Path: path}, data)
}

// AddReader appends a part that is read from r until its end or until limit bytes, whichever comes
// first; more than limit is an error. What r yields before an error is kept as the part, because
// half a trace is still useful, and the error is returned. If r yields nothing before the error, no
// part is added. If p.End is still in the future when r ends, it becomes the current time: the
// window was shorter.
//
// The part passes through a temporary file next to the recording, so memory does not depend on its
// size.
func (w *Writer) AddReader(p Part, r io.Reader, limit int64) error {
	if p.Kind == "" {
		p.Kind = kindOf(p.Name)
	}
	s := spool{dir: filepath.Dir(w.path), name: p.Name}
	defer s.close()
	method := zip.Deflate
	if p.Kind == KindProfile {
		method = zip.Store // it is gzipped already
	}
	readErr, err := s.fill(r, limit, method)
	if err != nil {
		return fmt.Errorf("spool part %s: %w", p.Name, err)
	}
	if readErr != nil {
		readErr = fmt.Errorf("read part %s: %w", p.Name, readErr)
		if s.raw == 0 {
			return readErr
		}
		p.Note = joinNote(p.Note, "incomplete")
	}
	if now := time.Now(); p.End.After(now) {
		p.End = now
	}
	p.Bytes, p.SHA256 = s.raw, hex.EncodeToString(s.sum)
	return errors.Join(readErr, w.append(p, method, &s))
}

func joinNote(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

func (w *Writer) append(p Part, method uint16, s *spool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.err != nil:
		return w.err
	case w.closed:
		return fmt.Errorf("add part %s: recording %s is closed", p.Name, w.path)
	case !validName(p.Name):
		return fmt.Errorf("add part %q: not a valid name", p.Name)
	case w.names[p.Name]:
		return fmt.Errorf("add part %s: there is one already", p.Name)
	}
	need := s.packed + 256 + 2*int64(len(p.Name))
	if w.size+need > maxFile {
		return fmt.Errorf("add part %s: recording would exceed %d bytes", p.Name, int64(maxFile))
	}
	if err := w.write(p, method, s); err != nil {
		w.err = fmt.Errorf("write part %s of %s: %w", p.Name, w.file.Name(), err)
		return w.err
	}
	w.size += need
	w.names[p.Name] = true
	w.parts = append(w.parts, p)
	return nil
}

func (w *Writer) write(p Part, method uint16, s *spool) error {
	h := &zip.FileHeader{
		Name:               p.Name,
		Method:             method,
		CRC32:              s.crc,
		CompressedSize64:   uint64(s.packed),
		UncompressedSize64: uint64(s.raw),
		Flags:              0x800, // the name is UTF-8
	}
	h.SetMode(0o644)
	h.SetModTime(w.start.Created) //nolint:staticcheck // CreateRaw writes these fields and ignores Modified
	out, err := w.zw.CreateRaw(h)
	if err != nil {
		return err
	}
	data, err := s.reader()
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, data); err != nil {
		return err
	}
	// From here on, the part survives the death of this process.
	return w.zw.Flush()
}

// Part opens a part that was added, by its name in the archive. It must be closed before w is.
func (w *Writer) Part(name string) (io.ReadCloser, error) {
	w.mu.Lock()
	there := w.names[name] && !w.closed
	w.mu.Unlock()
	if !there {
		return nil, &PartError{w.path, name, ErrNoPart}
	}
	f, err := os.Open(w.file.Name())
	if err != nil {
		return nil, &PartError{w.path, name, err}
	}
	fi, err := f.Stat()
	if err == nil {
		r := &Recording{file: w.path, r: f}
		for _, e := range scan(f, fi.Size()) {
			if e.name == name {
				return &readBack{r.open(e), f}, nil
			}
		}
		err = ErrNoPart
	}
	return nil, errors.Join(&PartError{w.path, name, err}, f.Close())
}

type readBack struct {
	io.ReadCloser
	file *os.File
}

func (r *readBack) Close() error { return errors.Join(r.ReadCloser.Close(), r.file.Close()) }

// Close writes recording.json and the index and puts the file at its destination. It sets Version
// and Parts of meta. A recording whose Close failed remains at Path + PartialSuffix, where Open can
// salvage it.
func (w *Writer) Close(meta Meta) error {
	meta.Version = Version
	w.mu.Lock()
	meta.Parts = append([]Part(nil), w.parts...)
	w.mu.Unlock()
	if meta.Created.IsZero() {
		meta.Created = w.start.Created
	}
	if err := w.AddJSON(MetaPart, meta); err != nil {
		return errors.Join(err, w.finish(false))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	err := w.zw.Close()
	if err == nil {
		err = w.file.Sync()
	}
	if cerr := w.file.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(w.file.Name(), w.path)
	}
	if err != nil {
		return fmt.Errorf("finish recording %s: %w", w.path, err)
	}
	return nil
}

// Parts returns the parts added so far.
func (w *Writer) Parts() []Part {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]Part(nil), w.parts...)
}

// Abort removes the recording. After Close it does nothing.
func (w *Writer) Abort() error { return w.finish(true) }

func (w *Writer) finish(remove bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	w.closed = true
	err := w.file.Close()
	if remove {
		err = errors.Join(err, os.Remove(w.file.Name()))
	}
	return err
}

// A spool holds one compressed part until its header can be written: in memory
// while small, in a temporary file when not.
type spool struct {
	dir, name   string
	mem         bytes.Buffer
	file        *tempfile.File
	raw, packed int64
	crc         uint32
	sum         []byte
}

const spoolInMemory = 4 << 20

// Write writes compressed bytes.
func (s *spool) Write(p []byte) (int, error) {
	s.packed += int64(len(p))
	if s.file == nil && s.mem.Len()+len(p) <= spoolInMemory {
		return s.mem.Write(p)
	}
	if s.file == nil {
		f, err := tempfile.New(s.dir, ".whet-part-*")
		if err != nil {
			return 0, err
		}
		s.file = f
		if _, err := f.Write(s.mem.Bytes()); err != nil {
			return 0, err
		}
		s.mem = bytes.Buffer{}
	}
	return s.file.Write(p)
}

// fill compresses r into s. readErr is an error of r, err one of the spool.
func (s *spool) fill(r io.Reader, limit int64, method uint16) (readErr, err error) {
	out := io.WriteCloser(nopCloser{s})
	if method == zip.Deflate {
		if out, err = flate.NewWriter(s, 5); err != nil {
			return nil, err
		}
	}
	crc, sum := crc32.NewIEEE(), sha256.New()
	buf := make([]byte, 64<<10)
	for readErr == nil {
		n, rerr := r.Read(buf)
		if over := s.raw + int64(n) - limit; over > 0 {
			n -= int(over)
			rerr = fmt.Errorf("more than %d bytes", limit)
		}
		s.raw += int64(n)
		_, _ = crc.Write(buf[:n]) // a hash never fails
		_, _ = sum.Write(buf[:n])
		if _, err := out.Write(buf[:n]); err != nil {
			return nil, err
		}
		readErr = rerr
	}
	if errors.Is(readErr, io.EOF) {
		readErr = nil
	}
	s.crc, s.sum = crc.Sum32(), sum.Sum(nil)
	return readErr, out.Close()
}

func (s *spool) reader() (io.Reader, error) {
	if s.file == nil {
		return &s.mem, nil
	}
	_, err := s.file.Seek(0, io.SeekStart)
	return s.file, err
}

func (s *spool) close() {
	if s.file != nil {
		_ = s.file.Close() // it is temporary
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
