package agent

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	sourcePrefix = "source/"
	maxSource    = 1 << 20 // bytes of one file
	maxSources   = 200
	maxInflated  = 256 << 20
)

// addSources adds the program's own source files named in its profiles, if they are where the
// compiler found them. With them, the recording shows the right lines even after the program has
// changed. Files of the standard library and of dependencies are left out: the reader finds those
// in GOROOT and the module cache.
func (run *recordingRun) addSources() error {
	own := ownCode(run.info.Build)
	var paths []string
	for _, p := range run.profiles {
		data, err := inflate(p)
		if err != nil {
			return fmt.Errorf("look for source files: %w", err)
		}
		files, err := functionFiles(data, own)
		if err != nil {
			return fmt.Errorf("look for source files: %w", err)
		}
		paths = append(paths, files...)
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	// An inlined closure of a library function is named after the function it was inlined into, but
	// is in the library's file.
	std := stdDir()
	paths = slices.DeleteFunc(paths, func(p string) bool {
		return strings.HasPrefix(p, std) && std != "" || strings.Contains(p, "/pkg/mod/")
	})
	built := executableTime()
	var errs []error
	for _, p := range paths[:min(len(paths), maxSources)] {
		info, err := os.Stat(p)
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxSource {
			continue // built elsewhere, or not a source file
		}
		data, err := os.ReadFile(p)
		if err != nil {
			continue
		}
		entry := part{Name: run.out.sourceName(p), Path: p}
		if !built.IsZero() && info.ModTime().After(built) {
			entry.Note = "changed after the program was built"
		}
		errs = append(errs, run.out.add(entry, data))
	}
	return errors.Join(errs...)
}

// ownCode returns a function that reports whether a function is in the main package or module.
func ownCode(b *Build) func(function string) bool {
	module := ""
	if b != nil {
		module = b.Main.Path
	}
	return func(function string) bool {
		if strings.HasPrefix(function, "main.") {
			return true
		}
		rest, ok := strings.CutPrefix(function, module)
		return ok && module != "" && rest != "" && strings.ContainsRune("/._", rune(rest[0]))
	}
}

// stdDir returns the directory of the standard library as recorded by the compiler, with a trailing
// slash, or "".
func stdDir() string {
	f := runtime.FuncForPC(reflect.ValueOf(os.Stat).Pointer())
	file, _ := f.FileLine(f.Entry())
	if dir, ok := strings.CutSuffix(file, "os/stat.go"); ok {
		return dir
	}
	return ""
}

// executableTime returns when the program was built, or the zero time.
func executableTime() time.Time {
	exe, err := os.Executable()
	if err != nil {
		return time.Time{}
	}
	info, err := os.Stat(exe)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// sourceName returns the archive name for the source file that profiles call p.
func (a *archive) sourceName(p string) string {
	var b strings.Builder
	for elem := range strings.SplitSeq(strings.ReplaceAll(p, `\`, "/"), "/") {
		if elem == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('/')
		}
		if elem == "." || elem == ".." {
			b.WriteString(strings.ReplaceAll(elem, ".", "%2E"))
			continue
		}
		for i := 0; i < len(elem); {
			r, n := utf8.DecodeRuneInString(elem[i:])
			if r == utf8.RuneError && n == 1 || r == ':' || r == '%' || !unicode.IsPrint(r) {
				for _, c := range []byte(elem[i : i+n]) {
					fmt.Fprintf(&b, "%%%02X", c)
				}
			} else {
				b.WriteString(elem[i : i+n])
			}
			i += n
		}
	}
	name := sourcePrefix + b.String()
	for n := 2; a.names[name]; n++ {
		ext := path.Ext(b.String())
		name = sourcePrefix + strings.TrimSuffix(b.String(), ext) + "~" + strconv.Itoa(n) + ext
	}
	return name
}

var errProfile = errors.New("not a profile")

// inflate decompresses a profile that the runtime wrote.
func inflate(gz []byte) ([]byte, error) {
	zr, err := gzip.NewReader(bytes.NewReader(gz))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(zr, maxInflated))
}

// functionFiles returns the file names of the functions in an inflated pprof profile whose names
// own accepts. It reads two tables of profile.proto:
//
//	repeated Function function     = 5; // Function { int64 name = 2; int64 filename = 4; }
//	repeated string   string_table = 6; // which the numbers above are indices of
func functionFiles(data []byte, own func(function string) bool) ([]string, error) {
	type function struct{ name, file uint64 }
	var functions []function
	var table []string
	err := fields(data, func(field, _ uint64, body []byte) error {
		switch field {
		case 5:
			var f function
			err := fields(body, func(field, value uint64, _ []byte) error {
				switch field {
				case 2:
					f.name = value
				case 4:
					f.file = value
				}
				return nil
			})
			functions = append(functions, f)
			return err
		case 6:
			table = append(table, string(body))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var files []string
	for _, f := range functions {
		if n := uint64(len(table)); f.name >= n || f.file >= n {
			return nil, errProfile
		}
		if file := table[f.file]; file != "" && own(table[f.name]) && !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	return files, nil
}

// fields calls yield with the number and the value of each field of a protobuf
// message: value for a varint, body for a length-delimited field.
func fields(msg []byte, yield func(field, value uint64, body []byte) error) error {
	for len(msg) > 0 {
		key, n := binary.Uvarint(msg)
		if n <= 0 {
			return errProfile
		}
		msg = msg[n:]
		var value uint64
		var body []byte
		switch key & 7 {
		case 0, 2:
			if value, n = binary.Uvarint(msg); n <= 0 {
				return errProfile
			}
			msg = msg[n:]
			if key&7 == 2 {
				if value > uint64(len(msg)) {
					return errProfile
				}
				body, msg = msg[:value], msg[value:]
			}
		case 1, 5:
			size := 8
			if key&7 == 5 {
				size = 4
			}
			if len(msg) < size {
				return errProfile
			}
			msg = msg[size:]
		default:
			return errProfile
		}
		if err := yield(key>>3, value, body); err != nil {
			return err
		}
	}
	return nil
}
