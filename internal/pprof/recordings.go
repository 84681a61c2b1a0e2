package pprof

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	gprofile "github.com/google/pprof/profile"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/source/objfile"
)

// recordings are the recordings among the sources, each opened once.
type recordings struct {
	mu   sync.Mutex
	open map[string]*recording.Recording
	main map[string]*recording.Recording // by the path of the program in its profiles
	temp string                          // directory with their source; "" if there is none

	limit *memoryLimit
}

// splitRecording reports whether a source is a recording, FILE or FILE:NAME, and which profile of
// it is meant. It does not check the name.
func splitRecording(src string) (file, name string, ok bool) {
	if isRecording(src) {
		return src, "cpu", true
	}
	// Not the colon of a Windows drive; a profile's name may have slashes but no colon.
	if i := strings.LastIndexByte(src, ':'); i > 1 && isRecording(src[:i]) {
		return src[:i], src[i+1:], true
	}
	return "", "", false
}

func isRecording(path string) bool {
	fi, err := os.Stat(path)
	if err != nil || !fi.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	var head [4]byte
	_, err = io.ReadFull(f, head[:])
	return err == nil && recording.IsRecording(head[:])
}

func (r *recordings) get(file string) (*recording.Recording, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if rec := r.open[file]; rec != nil {
		return rec, nil
	}
	rec, err := recording.Open(file)
	if err != nil {
		return nil, err
	}
	if r.open == nil {
		r.open = map[string]*recording.Recording{}
	}
	r.open[file] = rec
	return rec, nil
}

// all lists the open recordings by file name.
func (r *recordings) all() []*recording.Recording {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []*recording.Recording
	for _, rec := range r.open {
		out = append(out, rec)
	}
	slices.SortFunc(out, func(a, b *recording.Recording) int { return strings.Compare(a.File(), b.File()) })
	return out
}

// profile decodes one profile of a recording.
func (r *recordings) profile(file, name string) (*gprofile.Profile, error) {
	rec, err := r.get(file)
	if err != nil {
		return nil, err
	}
	part, err := rec.Part("profiles/" + name + ".pb.gz")
	if errors.Is(err, recording.ErrNoPart) {
		return nil, &diag.Error{
			Op: "open", Subject: file, Err: fmt.Errorf("it has no profile %q", name),
			Hint: "it has " + strings.Join(rec.ProfileNames(), ", ") + ": write " + file + ":NAME",
		}
	}
	if err != nil {
		return nil, err
	}
	p, err := r.limit.read(part, rec.StoredSize("profiles/"+name+".pb.gz"))
	if err == nil {
		// The decoder may stop before the end, where the checksum is.
		_, err = io.Copy(io.Discard, part)
	}
	if err == nil && len(p.Mapping) > 0 {
		r.mu.Lock()
		if r.main == nil {
			r.main = map[string]*recording.Recording{}
		}
		r.main[p.Mapping[0].File] = rec
		r.mu.Unlock()
	}
	return p, errors.Join(err, part.Close())
}

// code returns the machine code of a binary, by its path in profiles, from the recording that has
// it. A recording has the code of its program, which is the first mapping of every profile in it.
func (r *recordings) code(path string) (*objfile.Code, error) {
	r.mu.Lock()
	rec := r.main[path]
	r.mu.Unlock()
	if rec == nil || !rec.Has(recording.CodePart) {
		return nil, os.ErrNotExist
	}
	part, err := rec.Part(recording.CodePart)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(part)
	if err = errors.Join(err, part.Close()); err != nil {
		return nil, err
	}
	return objfile.OpenCode(data)
}

// unpackSource writes the source files in the given recordings to a temporary directory and makes
// the driver look there first. It does nothing if the user sets -trim_path.
func (r *recordings) unpackSource(args []string, texts map[string]*string) error {
	path, trim := texts["source_path"], texts["trim_path"]
	if path == nil || trim == nil || *trim != "" {
		return nil
	}
	for _, arg := range args {
		file, _, ok := splitRecording(arg)
		if !ok {
			continue
		}
		rec, err := r.get(file)
		if err != nil {
			return err
		}
		for _, name := range rec.Sources() {
			if err := r.unpack(rec, name); err != nil {
				return fmt.Errorf("unpack source of %s: %w", file, err)
			}
		}
	}
	temp := r.directory()
	if temp == "" {
		return nil
	}
	dirs := *path
	if dirs == "" {
		wd, err := os.Getwd()
		if err != nil {
			return err
		}
		dirs = wd
	}
	// The driver does not look for absolute paths elsewhere, so the leading slash has to go; it
	// then tries every directory and all its parents, up to the root.
	*path = temp + string(filepath.ListSeparator) + dirs
	*trim = "/"
	return nil
}

func (r *recordings) unpack(rec *recording.Recording, name string) error {
	rel := filepath.FromSlash(strings.TrimLeft(strings.ReplaceAll(name, `\`, "/"), "/"))
	if !filepath.IsLocal(rel) {
		return nil // not a path that the driver would look up here
	}
	data, ok := rec.SourceFile(name)
	if !ok {
		return nil
	}
	r.mu.Lock()
	if r.temp == "" {
		dir, err := os.MkdirTemp("", "whet-source-")
		if err != nil {
			r.mu.Unlock()
			return err
		}
		r.temp = dir
	}
	root, err := os.OpenRoot(r.temp)
	r.mu.Unlock()
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if err := root.MkdirAll(filepath.Dir(rel), 0o700); err != nil {
		return err
	}
	return root.WriteFile(rel, data, 0o600)
}

func (r *recordings) directory() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.temp
}

// close closes the recordings and removes their source.
func (r *recordings) close() {
	for _, rec := range r.all() {
		_ = rec.Close() // opened for reading
	}
	if dir := r.directory(); dir != "" {
		_ = os.RemoveAll(dir) // a leftover is in the system's temporary directory
	}
}
