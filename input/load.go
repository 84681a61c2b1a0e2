package input

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/input/content"
	"github.com/whet-go/whet/internal/tempfile"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/unit"
)

// An Opened is one argument, and the profile that was read from it.
type Opened struct {
	Name      string               // the argument, without a password
	Profile   *profile.Profile     // nil if all profiles of a recording were requested
	Recording *recording.Recording // nil if it is not a recording
	Part      string               // the profile's name in the recording
	Warnings  recording.Warnings

	sample string // requested sample type, "" for the default
	debug  bool   // text of ?debug=1, which does not contain symbolized stacks
}

// selection returns the --type that selects the same profile from another argument.
func (l *Opened) selection() string {
	switch {
	case l.Part == "":
		return l.sample
	case l.sample == "":
		return l.Part
	}
	return l.Part + ":" + l.sample
}

// readOptions returns the options for reading profiles in files.
func (o *Opener) readOptions() profile.ReadOptions {
	return profile.ReadOptions{MaxBytes: int64(o.MaxMemory)}
}

// streamOptions returns the options for reading profiles from pipes and the network. Their size is
// no basis for a limit, because HTTP may have inflated them.
func (o *Opener) streamOptions() profile.ReadOptions {
	return profile.ReadOptions{MaxBytes: cmp.Or(int64(o.MaxMemory), maxStreamed)}
}

// open returns the profile that typ selects in arg.
func (o *Opener) open(ctx context.Context, arg, typ string) (*Opened, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if p := o.Profiles[arg]; p != nil {
		sample, err := sampleTypeOf(p, typ)
		return &Opened{Name: arg, Profile: p, sample: sample}, err
	}
	switch {
	case arg == "-":
		r, err := o.stdin()
		if err != nil {
			return nil, err
		}
		return o.stream(ctx, "standard input", r, typ)
	case IsURL(arg):
		body, err := o.fetch(ctx, arg, typ)
		if err != nil {
			return nil, err
		}
		defer func() { _ = body.Close() }() // read-only
		return o.stream(ctx, redact(arg), body, typ)
	}
	return o.file(ctx, arg, typ)
}

func (o *Opener) file(ctx context.Context, path, typ string) (*Opened, error) {
	f, err := o.openFile(path)
	if err != nil {
		return nil, o.openError(path, err)
	}
	defer func() { _ = f.Close() }()
	if fi, err := f.Stat(); err == nil && fi.IsDir() {
		return nil, &diag.Error{
			Op: "read", Subject: path, Err: errors.New("is a directory, not a profile"),
			Hint: "to record the benchmarks of a package: `whet record " + path + " -bench .`",
		}
	}
	br := bufio.NewReaderSize(f, 128<<10)
	head, _ := br.Peek(4) // errors recur when it is read
	if !recording.IsRecording(head) {
		return o.pprof(ctx, path, br, typ, o.readOptions())
	}
	rec, err := o.openRecording(path)
	if err != nil {
		return nil, err
	}
	return o.recorded(ctx, path, rec, typ)
}

// openRecording opens a recording file.
func (o *Opener) openRecording(path string) (*recording.Recording, error) {
	rec, err := o.recordingFile(path)
	if err == nil {
		rec.MaxMemory = int64(o.MaxMemory)
	}
	return rec, err
}

func (o *Opener) recordingFile(path string) (*recording.Recording, error) {
	if o.OpenFile == nil {
		return recording.Open(path)
	}
	f, err := o.OpenFile(path)
	if err != nil {
		return nil, o.openError(path, err)
	}
	rec, err := recording.OpenFile(f)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return rec, nil
}

func (o *Opener) openError(path string, err error) error {
	e := &diag.Error{Op: "read", Subject: path, Err: err}
	if path == "" {
		e.Subject = `""`
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		e.Err = pe.Err
	}
	if errors.Is(err, fs.ErrNotExist) {
		e.Err = errors.New("no such file")
		if partial := path + recording.PartialSuffix; Exists(partial) {
			e.Hint = "an interrupted whet record left " + partial + ", which is readable"
		} else if looksLikeAddress(path) {
			e.Hint = "an address needs its scheme: http://" + path
		}
	}
	return e
}

// looksLikeAddress reports whether a name looks like an address without a scheme.
func looksLikeAddress(s string) bool {
	host, _, _ := strings.Cut(s, "/")
	if _, port, err := net.SplitHostPort(host); err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
		return err == nil
	}
	return host == "localhost" || strings.Contains(s, "/debug/pprof")
}

// Exists reports whether a file exists.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// stream reads a profile or a recording that is not in a file.
func (o *Opener) stream(ctx context.Context, name string, r io.Reader, typ string) (*Opened, error) {
	br := bufio.NewReaderSize(r, 128<<10)
	head, _ := br.Peek(4) // errors recur when it is read
	if !recording.IsRecording(head) {
		return o.pprof(ctx, name, br, typ, o.streamOptions())
	}
	rec, err := o.readRecording(name, br)
	if err != nil {
		return nil, err
	}
	return o.recorded(ctx, name, rec, typ)
}

// A pipe or network stream may be endless.
const (
	// maxSpool is the maximum size on disk.
	maxSpool = 1 << 30
	// maxStreamed is the maximum memory for decoding a profile from a stream, unless --max-memory
	// is set.
	maxStreamed = 512 << 20
)

// spool copies a stream to a file that is deleted when it is closed.
func spool(r io.Reader) (_ *tempfile.File, err error) {
	f, err := tempfile.New("", "whet-input-*")
	if err != nil {
		return nil, err
	}
	n, err := io.Copy(f, io.LimitReader(r, maxSpool+1))
	switch {
	case err == nil && n > maxSpool:
		err = &diag.Error{Err: fmt.Errorf("more than %v", unit.Bytes(maxSpool)), Hint: "save it to a file and name the file"}
	case err == nil:
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		_ = f.Close() // the first error is the one to report
		return nil, err
	}
	return f, nil
}

// readRecording reads a recording from a pipe or the network.
func (o *Opener) readRecording(name string, r io.Reader) (*recording.Recording, error) {
	f, err := spool(r)
	if err != nil {
		return nil, &diag.Error{Op: "read", Subject: name, Err: err}
	}
	rec, err := recording.OpenFile(f)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	rec.MaxMemory = int64(o.MaxMemory)
	return rec, nil
}

// pprof decodes a pprof profile and resolves typ to one of its sample types.
func (o *Opener) pprof(
	ctx context.Context, name string, r *bufio.Reader, typ string, opt profile.ReadOptions,
) (*Opened, error) {
	opt.Canceled = ctx.Err
	head, _ := r.Peek(512) // errors recur when it is read
	head = bytes.Clone(head)
	p, err := profile.Read(r, opt)
	if err != nil {
		err = readError(name, err)
		// Errors further in are about the content of a profile.
		syntax := (*profile.SyntaxError)(nil)
		if e := (*diag.Error)(nil); errors.As(err, &e) && e.Hint == "" &&
			(!errors.As(err, &syntax) || syntax.Offset < int64(len(head))) {
			e.Hint = content.Describe(name, head)
		}
		return nil, err
	}
	sample, err := sampleTypeOf(p, typ)
	if err != nil {
		return nil, err
	}
	return &Opened{Name: name, Profile: p, sample: sample, debug: content.IsDebugText(head)}, nil
}

// recorded reads a profile from a recording, and closes the recording if that fails.
func (o *Opener) recorded(ctx context.Context, name string, rec *recording.Recording, typ string) (*Opened, error) {
	opt := o.readOptions()
	opt.Canceled = ctx.Err
	l := &Opened{Name: name, Recording: rec, Warnings: rec.Warnings}
	err := l.choose(name, typ, opt)
	if err != nil {
		_ = rec.Close() // the first error is the one to report
		return nil, err
	}
	return l, nil
}

// choose resolves typ to a profile and sample type.
func (l *Opened) choose(name, typ string, opt profile.ReadOptions) error {
	names := l.Recording.ProfileNames()
	if len(names) == 0 {
		err := errors.New("the recording contains no profile")
		if len(l.Recording.Warnings) > 0 {
			err = fmt.Errorf("%w: %w", err, l.Recording.Warnings.Err())
		}
		return &diag.Error{Op: "read", Subject: name, Err: err}
	}
	var err error
	if l.Part, l.sample, err = selectPart(l.Recording, names, typ); err != nil {
		return err
	}
	if l.Profile, err = l.Recording.ReadProfile(l.Part, opt); err != nil {
		return partError(name, l.Part, names, err)
	}
	// typeIndex reports a missing sample type along with the available ones.
	_, err = typeIndex(l.Profile, l.sample)
	return err
}

// partError returns the error for reading one profile of a recording whose profiles are names.
func partError(file, part string, names []string, err error) error {
	var pe *recording.PartError
	if !errors.As(err, &pe) {
		return err
	}
	e := &diag.Error{Op: "read part " + pe.Part + " of", Subject: file, Err: pe.Err, Hint: diag.Hint(err)}
	if limit := (*profile.LimitError)(nil); errors.As(err, &limit) && e.Hint == "" {
		e.Hint = limit.Hint()
	}
	if others := slices.DeleteFunc(
		slices.Clone(names), func(n string) bool { return n == part },
	); len(others) > 0 && e.Hint == "" {
		e.Hint = "--type shows another profile of it: " + strings.Join(others, ", ")
	}
	return e
}

// selectPart resolves a --type for a recording with the given profiles.
func selectPart(rec *recording.Recording, names []string, typ string) (part, sample string, err error) {
	has := func(name string) bool { return slices.Contains(names, name) }
	first := func(candidates ...string) string {
		for _, c := range candidates {
			if has(c) {
				return c
			}
		}
		return ""
	}
	if typ == "" {
		if part = first("cpu", "allocs", "heap", "heap.live", "mutex", "block", "goroutine"); part == "" {
			part = names[0]
		}
		return part, "", nil
	}
	if has(typ) {
		return typ, "", nil
	}
	if i := strings.LastIndexByte(typ, ':'); i > 0 && has(typ[:i]) {
		return typ[:i], typ[i+1:], nil
	}
	switch typ {
	case "heap", "heap.live", "allocs":
		// All three contain the same stacks and sample types.
		if part = first("heap.live", "heap", "allocs"); part != "" {
			if typ == "allocs" {
				sample = "alloc_space"
			}
			return part, sample, nil
		}
	case "cpu", "samples":
		part = first("cpu")
	case "alloc_space", "alloc_objects":
		part = first("allocs", "heap", "heap.live")
	case "inuse_space", "inuse_objects":
		part = first("heap.live", "heap", "allocs")
	case "delay", "contentions":
		if has("mutex") && has("block") {
			return "", "", diag.Usagef("--type", typ+" is in two profiles, mutex and block",
				"choose one: --type mutex:"+typ+" or --type block:"+typ)
		}
		part = first("mutex", "block")
	default:
		part = partWith(rec, names, typ)
	}
	if part == "" {
		e := diag.Usagef("--type", fmt.Sprintf("no profile or sample type %q in this recording", typ),
			"it has "+strings.Join(names, ", "))
		for _, m := range rec.Meta().Missing {
			if m.Part == typ {
				e.Err = fmt.Errorf("no %s profile in this recording: %s", typ, m.Reason)
				e.Hint = m.Hint
			}
		}
		return "", "", e
	}
	return part, typ, nil
}

// partWith finds the first profile that has the sample type typ.
func partWith(rec *recording.Recording, names []string, typ string) string {
	const most = 64 // a recording has about a dozen
	for _, name := range names[:min(len(names), most)] {
		p, err := rec.Profile(name)
		if err != nil {
			continue // a damaged part matters only if it is requested
		}
		for _, t := range p.SampleTypes {
			if t.Type == typ {
				return name
			}
		}
	}
	return ""
}

// sampleTypeOf resolves a --type for a single profile: a sample type, or a recording's profile name
// if p is of that kind, or both with a colon.
func sampleTypeOf(p *profile.Profile, typ string) (string, error) {
	if _, err := p.TypeIndex(typ); err == nil {
		return typ, nil
	}
	kind, sample, _ := strings.Cut(typ, ":")
	marks := map[string][]string{ // sample types by which a profile is recognized, its default first
		"cpu":       {"cpu", "samples"},
		"heap":      {"inuse_space"},
		"heap.live": {"inuse_space"},
		"allocs":    {"alloc_space"},
		"block":     {"delay"},
		"mutex":     {"delay"},
	}[kind]
	for _, m := range marks {
		if _, err := p.TypeIndex(m); err != nil {
			continue
		}
		if sample == "" {
			return m, nil
		}
		_, err := typeIndex(p, sample)
		return sample, err
	}
	_, err := typeIndex(p, typ)
	return "", err
}
