package recording

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/klauspost/compress/flate"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/profile"
)

const (
	maxWhole = 16 << 20 // bytes of a part that is read at once: recording.json, one source file

	// maxSalvage bounds what Open inflates to find which parts of a damaged file are intact, so
	// that overlapping parts cannot make it run forever.
	maxSalvage = 256 << 20

	// mayOverlap is how many parts may overlap others because of a flipped bit.
	mayOverlap = 8

	// maxWarnings is how many warnings are kept; the rest are counted.
	maxWarnings = 20
)

// ErrNoPart is wrapped by a PartError if the recording does not have the part.
var ErrNoPart = errors.New("not in the recording")

// ErrNotRecording is wrapped by Open's error for a file of another kind.
var ErrNotRecording = errors.New("not a whet recording")

// A PartError is a failure to read one part of a recording.
type PartError struct {
	File string // the recording, "" when it is not a file
	Part string // name in the archive
	Err  error
}

// Error returns the part, the file if it is known, and the cause.
func (e *PartError) Error() string {
	if e.File == "" {
		return fmt.Sprintf("read part %s of the recording: %v", e.Part, e.Err)
	}
	return fmt.Sprintf("read part %s of %s: %v", e.Part, e.File, e.Err)
}

// Unwrap returns the cause.
func (e *PartError) Unwrap() error { return e.Err }

// A Warning is something that the reader of a recording must know.
type Warning = diag.Warning

// Warnings are the warnings of a result.
type Warnings = diag.Warnings

// A Recording is an open .whet file.
type Recording struct {
	// Warnings lists what is incomplete: parts that are truncated or damaged, a missing index, a
	// missing recording.json. Damage inside a part's data shows only when the part is read; Verify
	// reads them all.
	Warnings Warnings

	// MaxMemory bounds the memory for decoding one profile, as profile.ReadOptions.MaxBytes does; 0
	// means a limit that depends on the part's size in the file. Set it before using the Recording.
	MaxMemory int64

	file    string
	r       io.ReaderAt
	closer  io.Closer
	meta    Meta
	entries map[string]entry
	order   []string          // part names as in the file
	sources map[string]string // source path to part name
	omitted int               // warnings that were not kept
	size    int64             // of the file
}

// Open opens the recording at path. It opens a damaged file if any part of it can be found; see
// Warnings. The caller must close it.
func Open(path string) (*Recording, error) {
	f, err := os.Open(path)
	if err != nil {
		if _, serr := os.Stat(path + PartialSuffix); errors.Is(err, fs.ErrNotExist) && serr == nil {
			return nil, fmt.Errorf("open recording: %w (an interrupted whet record left %s)", err, path+PartialSuffix)
		}
		return nil, fmt.Errorf("open recording: %w", err)
	}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a file", path)
	}
	var r *Recording
	if err == nil {
		r, err = newRecording(f, fi.Size(), path)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open recording %s: %w", path, err), f.Close())
	}
	r.closer = f
	return r, nil
}

// OpenFile opens the recording in f, an [os.File] or the like, which it then owns.
func OpenFile(f interface {
	io.ReaderAt
	io.Closer
	Stat() (fs.FileInfo, error)
},
) (*Recording, error) {
	fi, err := f.Stat()
	var r *Recording
	if err == nil {
		r, err = NewReader(f, fi.Size())
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	r.closer = f
	return r, nil
}

// NewReader opens the recording of size bytes in r. r must remain valid while the Recording is in
// use.
func NewReader(r io.ReaderAt, size int64) (*Recording, error) {
	rec, err := newRecording(r, size, "")
	if err != nil {
		return nil, fmt.Errorf("open recording: %w", err)
	}
	return rec, nil
}

// IsRecording reports whether a file that starts with these bytes (at least 4) may
// be a recording.
func IsRecording(head []byte) bool {
	return len(head) >= 4 && string(head[:4]) == localSig
}

func newRecording(ra io.ReaderAt, size int64, file string) (*Recording, error) {
	r := &Recording{file: file, r: ra, entries: make(map[string]entry), sources: make(map[string]string)}
	var head [4]byte
	if n, err := ra.ReadAt(head[:], 0); n < len(head) {
		if errors.Is(err, io.EOF) {
			err = fmt.Errorf("file has %d bytes", size)
		}
		return nil, fmt.Errorf("%w: %w", ErrNotRecording, err)
	}
	r.load(size)
	if err := r.loadMeta(); err != nil {
		return nil, err
	}
	return r, nil
}

// load finds the parts.
func (r *Recording) load(size int64) {
	r.size = size
	index, err := readIndex(r.r, size)
	entries, agree := indexed(r.r, index)
	if err != nil {
		r.warn(fmt.Errorf("recording is cut short or damaged: %w", err))
	}
	if err == nil && agree {
		for _, e := range r.disjoint(entries) {
			r.add(e, size)
		}
		return
	}
	if err == nil {
		r.warn(errors.New("recording is damaged: its index and its parts disagree"))
	}
	// Either list may be wrong; a checksum is not.
	byName := make(map[string]entry)
	for _, e := range entries {
		byName[e.name] = e
	}
	for _, e := range scan(r.r, size) {
		if other, ok := byName[e.name]; ok && !e.same(other) && other.check(size) == nil && r.verify(e) != nil &&
			r.verify(other) == nil {
			e = other
		}
		delete(byName, e.name)
		r.add(e, size)
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		r.add(byName[name], size)
	}
	budget := int64(maxSalvage)
	for _, name := range r.order {
		e := r.entries[name]
		if budget -= max(e.raw, e.packed); budget < 0 {
			return // what is left shows its damage when it is read
		}
		if err := r.verify(e); err != nil && !e.open {
			r.warn(err)
		}
	}
}

// disjoint drops entries whose data begins within that of another: no writer creates them, and a file
// in which every part is the same large one would take forever to read.
func (r *Recording) disjoint(entries []entry) []entry {
	byOffset := slices.SortedFunc(slices.Values(entries), func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.offset, b.offset), cmp.Compare(a.packed, b.packed))
	})
	end := int64(0)
	within := make(map[string]error)
	for _, e := range byOffset {
		if e.offset < end {
			within[e.name] = &PartError{r.file, e.name, errors.New("lies within another part")}
			continue
		}
		end = e.offset + e.packed
	}
	if len(within) <= mayOverlap {
		return entries // damage, which shows when they are read
	}
	for _, name := range slices.Sorted(maps.Keys(within)) {
		r.warn(within[name])
	}
	return slices.DeleteFunc(entries, func(e entry) bool { return within[e.name] != nil })
}

func (r *Recording) add(e entry, size int64) {
	if e.open {
		r.warn(&PartError{r.file, e.name, errTruncated})
	} else if err := e.check(size); err != nil {
		r.warn(&PartError{r.file, e.name, err})
		if !errors.Is(err, errTruncated) {
			return
		}
		e.packed, e.open = max(0, size-e.offset), true
	}
	if _, ok := r.entries[e.name]; ok {
		r.warn(&PartError{r.file, e.name, errors.New("occurs twice; using the first")})
		return
	}
	r.entries[e.name] = e
	r.order = append(r.order, e.name)
}

// loadMeta reads recording.json, or reconstructs it.
func (r *Recording) loadMeta() error {
	data, err := r.read(MetaPart)
	if err == nil {
		err = r.decodeMeta(data)
	}
	if err != nil {
		if e := new(versionError); errors.As(err, &e) {
			return err
		}
		if !slices.ContainsFunc(r.order, r.isOurs) {
			return ErrNotRecording
		}
		if errors.Is(err, ErrNoPart) {
			err = &PartError{r.file, MetaPart, errors.New("missing; the recorder was stopped before the end")}
		}
		r.warn(err)
		r.meta = Meta{Version: Version}
		if data, err := r.read(StartPart); err == nil {
			if err := r.decodeMeta(data); err != nil {
				r.warn(err)
			}
		}
		r.meta.Interrupted = true
		r.meta.Parts = nil
	}
	described := make(map[string]bool)
	for _, p := range r.meta.Parts {
		described[p.Name] = true
		if _, ok := r.entries[p.Name]; !ok {
			r.warn(&PartError{r.file, p.Name, errors.New("listed in recording.json, but missing")})
		} else if p.Path != "" {
			r.sources[p.Path] = p.Name
		}
	}
	for _, name := range r.order {
		if !described[name] && name != MetaPart {
			r.meta.Parts = append(r.meta.Parts, Part{Name: name, Kind: kindOf(name), Bytes: r.entries[name].raw})
		}
	}
	return nil
}

func (r *Recording) isOurs(name string) bool {
	_, isProfile := profileName(name)
	return isProfile || name == StartPart || name == TracePart || name == MetaPart
}

type versionError struct{ version int }

func (e *versionError) Error() string {
	return fmt.Sprintf("recording has format version %d, this whet reads up to %d: update whet", e.version, Version)
}

func (r *Recording) decodeMeta(data []byte) error {
	var m Meta
	if err := json.Unmarshal(data, &m); err != nil {
		return &PartError{r.file, MetaPart, err}
	}
	if m.Version > Version {
		return &versionError{m.Version}
	}
	if m.Version < 1 {
		return &PartError{r.file, MetaPart, fmt.Errorf("%w: no format version", ErrNotRecording)}
	}
	if n := len(m.Parts); n > maxEntries {
		return &PartError{
			r.file, MetaPart,
			fmt.Errorf("lists %d parts, more than the %d that a recording can have", n, maxEntries),
		}
	}
	r.meta = m
	return nil
}

// warn adds a warning, or counts it if there are many.
func (r *Recording) warn(err error) {
	if len(r.Warnings) < maxWarnings {
		r.Warnings.Add(err)
		return
	}
	r.omitted++
	r.Warnings = r.Warnings[:maxWarnings]
	r.Warnings.Addf("and %d more of the kind", r.omitted)
}

// Close closes the file. A Recording from NewReader has nothing to close.
func (r *Recording) Close() error {
	if r.closer == nil {
		return nil
	}
	return r.closer.Close()
}

// File returns the path that Open was given; "" after NewReader.
func (r *Recording) File() string { return r.file }

// Meta returns the description of the recording. Its Parts include those that recording.json does
// not list; a salvaged recording has only what is in start.json.
func (r *Recording) Meta() Meta { return r.meta }

// ProfileNames lists the profiles: the usual ones first, in a fixed order
// ("cpu", "heap", "heap.live", "allocs", …), then others by name. A recording of
// several packages' benchmarks has their merge under the usual name and each
// package's own as "example.com/pkg/path/cpu".
func (r *Recording) ProfileNames() []string {
	var names []string
	for _, part := range r.order {
		if name, ok := profileName(part); ok {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, compareProfileNames(profileOrder()))
	return names
}

// Profile decodes the profile of that name, as in ProfileNames. The error is a *PartError, which
// wraps ErrNoPart if there is none.
func (r *Recording) Profile(name string) (*profile.Profile, error) {
	return r.ReadProfile(name, profile.ReadOptions{})
}

// Profiles decodes several profiles, which share the memory limit of one of their total size.
func (r *Recording) Profiles(names []string) ([]*profile.Profile, error) {
	left := r.MaxMemory
	if left == 0 {
		var packed int64
		for _, name := range names {
			packed += r.entries[profilePart(name)].packed
		}
		left = profile.LimitBase + profile.LimitFactor*min(packed, r.size) // parts may overlap
	}
	var all []*profile.Profile
	for _, name := range names {
		p, err := r.ReadProfile(name, profile.ReadOptions{MaxBytes: max(left, 1)})
		if err != nil {
			return nil, err
		}
		left -= p.Memory()
		all = append(all, p)
	}
	return all, nil
}

// ReadProfile is like Profile, with the limits of opt.
func (r *Recording) ReadProfile(name string, opt profile.ReadOptions) (*profile.Profile, error) {
	part := profilePart(name)
	rc, err := r.Part(part)
	if err != nil {
		return nil, err
	}
	if opt.MaxBytes == 0 {
		opt.MaxBytes = r.MaxMemory
	}
	// The inflated size is not a measure: it may be a thousand times the stored size.
	opt.Size = r.entries[part].packed
	p, err := profile.Read(rc, opt)
	if err == nil {
		// The decoder may stop before the end, where the checksum is.
		_, err = io.Copy(io.Discard, rc)
	}
	if err = errors.Join(err, rc.Close()); err != nil {
		return nil, r.partError(part, err)
	}
	return p, nil
}

// Has reports whether there is a part of that name in the archive.
func (r *Recording) Has(name string) bool {
	_, ok := r.entries[name]
	return ok
}

// Truncated reports whether the file ends within the part of that name.
func (r *Recording) Truncated(name string) bool { return r.entries[name].open }

// Size returns the size of a part when read, in bytes; 0 if there is none of that name. For a
// truncated part it is at least what the archive has of it.
func (r *Recording) Size(name string) int64 {
	e := r.entries[name]
	return max(e.packed, e.raw)
}

// StoredSize returns the size of a part in the file, in bytes; 0 if there is none.
func (r *Recording) StoredSize(name string) int64 { return r.entries[name].packed }

// Part opens a part by its name in the archive, such as TracePart. If the part is damaged or ends
// early, reads return what is intact, followed by a *PartError.
func (r *Recording) Part(name string) (io.ReadCloser, error) {
	e, ok := r.entries[name]
	if !ok {
		return nil, &PartError{r.file, name, ErrNoPart}
	}
	return r.open(e), nil
}

// SourceFile returns the source file that profiles call path.
func (r *Recording) SourceFile(path string) ([]byte, bool) {
	name, ok := r.sources[path]
	if !ok {
		name = sourceName(path)
	}
	data, err := r.read(name)
	return data, err == nil
}

// Sources lists the paths that SourceFile knows, sorted.
func (r *Recording) Sources() []string {
	return slices.Sorted(maps.Keys(r.sources))
}

// JSON decodes a JSON part, such as LoadPart, into v.
func (r *Recording) JSON(name string, v any) error {
	data, err := r.read(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return &PartError{r.file, name, err}
	}
	return nil
}

// Verify reads every part and returns the errors, without Warnings.
func (r *Recording) Verify() []error {
	var errs []error
	for _, name := range r.order {
		if err := r.verify(r.entries[name]); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

func (r *Recording) verify(e entry) error {
	rc := r.open(e)
	_, err := io.Copy(io.Discard, rc)
	return errors.Join(err, rc.Close())
}

// read returns a whole part of at most maxWhole bytes.
func (r *Recording) read(name string) ([]byte, error) {
	e, ok := r.entries[name]
	if !ok {
		return nil, &PartError{r.file, name, ErrNoPart}
	}
	if e.raw > maxWhole {
		return nil, &PartError{r.file, name, fmt.Errorf("has %d bytes, more than %d", e.raw, maxWhole)}
	}
	rc := r.open(e)
	data, err := io.ReadAll(io.LimitReader(rc, maxWhole+1))
	if err = errors.Join(err, rc.Close()); err != nil {
		return nil, err
	}
	return data, nil
}

func (r *Recording) partError(part string, err error) error {
	var pe *PartError
	if errors.As(err, &pe) {
		return err
	}
	return &PartError{r.file, part, err}
}

func (r *Recording) open(e entry) io.ReadCloser {
	pr := &partReader{rec: r, e: e}
	src := io.NewSectionReader(r.r, e.offset, e.packed)
	if e.method == methodDeflate {
		inflate := flate.NewReader(src)
		pr.src, pr.inflate = inflate, inflate
	} else {
		pr.src = src
	}
	return pr
}

// A partReader checks a part's length and checksum while it is read.
type partReader struct {
	rec     *Recording
	e       entry
	src     io.Reader
	inflate io.Closer
	n       int64
	crc     uint32
	err     error
}

func (p *partReader) Read(b []byte) (int, error) {
	if p.err != nil {
		return 0, p.err
	}
	// Reading one byte more than expected detects a part that is too long.
	if room := p.e.raw - p.n + 1; !p.e.open && int64(len(b)) > room {
		b = b[:room]
	}
	n, err := p.src.Read(b)
	p.n += int64(n)
	p.crc = crc32.Update(p.crc, crc32.IEEETable, b[:n])
	ended := errors.Is(err, io.EOF)
	switch {
	case !p.e.open && p.n > p.e.raw:
		n--
		err = fmt.Errorf("longer than the %d bytes it claims", p.e.raw)
	case ended && p.n == p.e.raw && p.crc == p.e.crc: // whole
	case p.e.open && (ended || errors.Is(err, io.ErrUnexpectedEOF)):
		err = errTruncated
	case ended && p.n < p.e.raw:
		err = fmt.Errorf("ends after %d of %d bytes", p.n, p.e.raw)
	case ended:
		err = errors.New("checksum does not match: the data is damaged")
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = p.rec.partError(p.e.name, err)
	}
	p.err = err
	return n, err
}

func (p *partReader) Close() error {
	if p.inflate == nil {
		return nil
	}
	return p.inflate.Close()
}
