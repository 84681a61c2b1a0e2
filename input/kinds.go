package input

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
)

// Kinds are the profiles of one program that measure its cost. Those that were not recorded are
// nil, but at least one is not. Profile is one of them. It must be closed.
type Kinds struct {
	Input
	CPU, Allocs, Mutex, Block *profile.Profile
}

// Kinds reads the profiles of all kinds that args name: all in a recording, or one per file. Those
// of one kind are merged. own are additional package prefixes of own code.
func (o *Opener) Kinds(ctx context.Context, args, own []string) (*Kinds, error) {
	in := &Kinds{Input: Input{Name: title(args), opener: o}}
	kinds := map[string][]*profile.Profile{}
	if err := in.collect(ctx, args, kinds); err != nil {
		in.Close()
		return nil, err
	}
	for kind, into := range map[string]**profile.Profile{
		"cpu": &in.CPU, "allocs": &in.Allocs, "mutex": &in.Mutex, "block": &in.Block,
	} {
		ps := kinds[kind]
		switch len(ps) {
		case 0:
			continue
		case 1:
			*into = ps[0]
		default:
			p, err := profile.Merge(ps...)
			if err != nil {
				in.Close()
				return nil, &diag.Error{
					Op: "merge", Subject: "the " + kind + " profiles of " + in.Name, Err: err,
					Hint: "give profiles of one program only",
				}
			}
			*into = p
		}
		if in.Profile == nil || kind == "cpu" {
			in.Profile = *into
		}
	}
	if in.Profile == nil {
		for _, w := range in.Warnings {
			o.warn(w) // such as: the recording is truncated
		}
		in.Close()
		return nil, &diag.Error{
			Op: o.Op, Subject: in.Name, Err: errors.New("the recording has no CPU, allocs, mutex or block profile"),
			Hint: "`whet record` records them all",
		}
	}
	in.findOwn(own)
	return in, nil
}

// collect sorts the profiles of each argument by kind.
func (in *Kinds) collect(ctx context.Context, args []string, kinds map[string][]*profile.Profile) error {
	for _, arg := range args {
		if in.opener.isRecording(arg) {
			rec, err := in.opener.openRecording(arg)
			if err != nil {
				return err
			}
			in.Opened = append(in.Opened, &Opened{Name: arg, Recording: rec})
			if in.Recording == nil {
				in.Recording = rec
			}
			in.Warnings = append(in.Warnings, rec.Warnings...)
			if err := fromRecording(arg, rec, kinds); err != nil {
				return err
			}
			continue
		}
		l, err := in.opener.open(ctx, arg, "")
		if err != nil {
			return err
		}
		in.Opened, in.Warnings = append(in.Opened, l), append(in.Warnings, l.Warnings...)
		kind := profileKind(l.Profile, arg)
		if kind == "" {
			return &diag.Error{
				Op: "find", Subject: arg, Err: errors.New("not a CPU, allocs, mutex or block profile"), Hint: "omit it",
			}
		}
		kinds[kind] = append(kinds[kind], l.Profile)
	}
	return nil
}

// fromRecording reads the profiles of a recording: those of the whole recording, or those of its
// packages.
func fromRecording(arg string, rec *recording.Recording, kinds map[string][]*profile.Profile) error {
	names := rec.ProfileNames()
	var wanted, of []string // names, and the kind of each
	for _, kind := range []string{"cpu", "allocs", "mutex", "block"} {
		for _, name := range names {
			if name != kind && (path.Base(name) != kind || slices.Contains(names, kind)) {
				continue
			}
			wanted, of = append(wanted, name), append(of, kind)
		}
	}
	all, err := rec.Profiles(wanted)
	if err != nil {
		return partError(arg, "", nil, err)
	}
	for i, p := range all {
		kinds[of[i]] = append(kinds[of[i]], p)
	}
	return nil
}

// blockName matches the file names of block profiles, which have the same types as mutex profiles.
var blockName = regexp.MustCompile(`(?i)block`)

// profileKind returns the kind of a pprof file, by its sample types; "" if findings do not use it.
func profileKind(p *profile.Profile, name string) string {
	has := func(t string) bool {
		return slices.ContainsFunc(p.SampleTypes, func(v profile.ValueType) bool { return v.Type == t })
	}
	switch {
	case has("cpu"):
		return "cpu"
	case has("alloc_space"):
		return "allocs"
	case has("delay") && blockName.MatchString(path.Base(name)):
		return "block"
	case has("delay"):
		return "mutex"
	}
	return ""
}

// errNotCPU is returned for other profiles where a CPU profile is required.
var errNotCPU = errors.New("not a CPU profile")

// CPU reads the CPU profiles that args name and merges them. meta is that of the first recording
// among them, or nil.
func (o *Opener) CPU(
	ctx context.Context, args []string,
) (p *profile.Profile, meta *recording.Meta, warnings recording.Warnings, err error) {
	var all []*profile.Profile
	if n := len(slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg != "-" })); n > 1 {
		return nil, nil, nil, diag.Usagef(o.Op, "standard input can be read only once", "save it to a file first")
	}
	for _, arg := range args {
		ps, m, warned, err := o.cpu(ctx, arg)
		if err != nil {
			return nil, nil, nil, err
		}
		all, warnings = append(all, ps...), append(warnings, warned...)
		if meta == nil {
			meta = m
		}
	}
	if len(all) == 1 {
		return all[0], meta, warnings, nil
	}
	if p, err = profile.Merge(all...); err != nil {
		return nil, nil, nil, &diag.Error{
			Op: "merge", Subject: strings.Join(args, ", "), Err: err, Hint: "give CPU profiles only",
		}
	}
	return p, meta, warnings, nil
}

// cpu reads the CPU profiles in one argument: a recording of benchmarks has one per package.
func (o *Opener) cpu(ctx context.Context, arg string) ([]*profile.Profile, *recording.Meta, recording.Warnings, error) {
	if o.isRecording(arg) {
		rec, err := o.openRecording(arg)
		if err != nil {
			return nil, nil, nil, err
		}
		defer func() { _ = rec.Close() }() // read-only
		names := slices.DeleteFunc(rec.ProfileNames(), func(name string) bool { return path.Base(name) != "cpu" })
		ps, err := rec.Profiles(names)
		if err != nil {
			return nil, nil, nil, partError(arg, "", nil, err)
		}
		if len(ps) > 0 {
			meta := rec.Meta()
			return ps, &meta, rec.Warnings, nil
		}
	}
	l, err := o.open(ctx, arg, "cpu")
	if err != nil {
		// This error is about --type, which does not apply here.
		if e := (*diag.Error)(nil); errors.As(err, &e) && e.Op == "--type" {
			err = &diag.Error{
				Op: "read", Subject: redact(arg), Err: fmt.Errorf("%w: %w", errNotCPU, e.Err),
				Hint: "give a CPU profile: a recording of `whet record`, or the response of /debug/pprof/profile",
			}
		}
		return nil, nil, nil, err
	}
	var meta *recording.Meta
	if l.Recording != nil {
		m := l.Recording.Meta()
		meta = &m
		defer func() { _ = l.Recording.Close() }() // read-only
	}
	return []*profile.Profile{l.Profile}, meta, l.Warnings, nil
}

func (o *Opener) isRecording(name string) bool {
	file, err := o.openFile(name)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }() // read-only
	head, _ := bufio.NewReaderSize(file, 16).Peek(4)
	return recording.IsRecording(head)
}
