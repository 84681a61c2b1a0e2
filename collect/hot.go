package collect

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/source"
	"github.com/whet-go/whet/source/objfile"
)

const (
	maxHotSource  = 8 << 20 // bytes of all source files together
	maxSourceFile = 2 << 20 // bytes of one
	hotShare      = 0.005   // fraction of a profile's total, from which a file is stored

	maxCodeAddresses = 500     // addresses whose functions' machine code is stored
	maxCode          = 8 << 20 // bytes of it
)

// addSource determines the share of garbage collection in the CPU profile, and stores the files
// with hot lines: first those of own code, then any other that is on at least hotShare of the
// stacks of some profile.
func (s *session) addSource() {
	own := s.own()
	weight := make(map[string]float64) // the largest share in any profile
	mine := make(map[string]bool)
	for _, name := range slices.Sorted(maps.Keys(s.profiles)) {
		types := hotTypes(name)
		if len(types) == 0 {
			continue
		}
		if p := s.profile(name); p != nil {
			if typ, err := p.TypeIndex("cpu"); err == nil && name == "cpu" {
				s.collection = p.Collection(typ)
			}
			for _, typ := range types {
				shares(p, typ, own, weight, mine)
			}
		}
	}
	files := slices.DeleteFunc(slices.Collect(maps.Keys(weight)), func(f string) bool {
		return !mine[f] && weight[f] < hotShare
	})
	slices.SortFunc(files, func(a, b string) int {
		if mine[a] != mine[b] {
			if mine[a] {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(weight[b], weight[a]), strings.Compare(a, b))
	})
	sources := s.sourceFinder()
	left := int64(maxHotSource)
	var lost error // why the hottest own file is missing, if none was found
	found := false
	packed := map[source.Origin][]string{}
	for _, f := range files {
		data, origin, err := sources.Read(f)
		if mine[f] {
			found = found || err == nil
			if lost == nil {
				lost = err
			}
		}
		if err != nil || int64(len(data)) > left {
			continue
		}
		left -= int64(len(data))
		if err := s.w.AddSource(f, data); err != nil {
			s.fail(err)
			return
		}
		packed[origin] = append(packed[origin], f)
	}
	if list := packedText(packed); list != "" {
		s.report.note("source: packed %s", list)
	}
	if lost != nil && !found {
		hint := "run whet record in the directory of the target's module: a binary built with -trimpath does " +
			"not say where that is"
		if s.remote() {
			hint = "run whet record in the directory of the target's module, or name it with --source DIR: files elsewhere " +
				"are never packed"
		}
		s.miss("source", &diag.Error{
			// Only the text of lost: its hint is for viewing a profile.
			Err: errors.New("the source of own code is not on this machine, or not at the path in the binary (" + lost.Error() +
				")"),
			Hint: hint,
		})
	}
}

// maxPacked is how many packed files are listed by name; the recording has them all.
const maxPacked = 3

// packedText lists the packed files: those of own code by name, others by number.
func packedText(packed map[source.Origin][]string) string {
	var names, counts []string
	for _, origin := range slices.Sorted(maps.Keys(packed)) {
		files := packed[origin]
		switch origin {
		case source.FromGOROOT, source.FromModCache, source.FromVendor:
			counts = append(counts, fmt.Sprintf("%d of %v", len(files), origin))
		default:
			names = append(names, files...)
		}
	}
	if more := len(names) - maxPacked; more > 0 {
		names = append(names[:maxPacked], fmt.Sprintf("%d more", more))
	}
	return strings.Join(append(names, counts...), ", ")
}

// hotTypes returns the sample types by which a file in that profile counts as hot.
func hotTypes(name string) []string {
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		return nil // one package's part of a merged profile
	}
	switch name {
	case "cpu":
		return []string{"cpu"}
	case "allocs":
		return []string{"alloc_space", "alloc_objects"}
	case "heap.live":
		return []string{"inuse_space"}
	case "block", "mutex":
		return []string{"delay"}
	case "goroutine", "goroutineleak":
		return []string{name}
	}
	return nil
}

// shares adds, for each file of p, the share of the samples it appears in.
func shares(p *profile.Profile, typ string, own func(profile.Function) bool, weight map[string]float64,
	mine map[string]bool,
) {
	t, err := p.TypeIndex(typ)
	if err != nil {
		return
	}
	var total float64
	cum := make(map[string]float64)
	seen := make(map[string]bool)
	var stack []uint32
	for i := range p.NumSamples() {
		v := float64(max(p.Value(i, t), -p.Value(i, t)))
		total += v
		clear(seen)
		stack = p.AppendStack(stack[:0], i)
		for _, l := range stack {
			loc := p.Locations[l]
			for _, line := range p.Lines[loc.First : loc.First+loc.Num] {
				if line.Function == profile.None {
					continue
				}
				fn := p.Functions[line.Function]
				if fn.File == "" || seen[fn.File] {
					continue
				}
				seen[fn.File] = true
				cum[fn.File] += v
				mine[fn.File] = mine[fn.File] || own(fn)
			}
		}
	}
	if total == 0 {
		return
	}
	for f, v := range cum {
		weight[f] = max(weight[f], v/total)
	}
}

// own returns a function that reports whether a function is own code: package main, the main
// module, and what the user added; if the main module is unknown, everything outside the standard
// library and the module cache.
func (s *session) own() func(profile.Function) bool {
	prefixes := slices.Clone(s.opt.Own)
	if b := s.meta.Build; b != nil && b.Main.Path != "" {
		return profile.OwnMatcher(append(prefixes, b.Main.Path), b.Foreign(s.opt.Own))
	}
	own := profile.OwnMatcher(prefixes, nil)
	return func(f profile.Function) bool {
		pkg := profile.PackagePath(f.Name)
		return own(f) || pkg != "" && !profile.IsStd(pkg) && !strings.Contains(f.File, "@v") &&
			!strings.Contains(f.File, "/vendor/")
	}
}

// remote reports whether the target is a server at an address, which may name any file. A program
// that whet started is the user's own.
func (s *session) remote() bool { return s.opt.URL != "" && len(s.opt.Command) == 0 }

// sourceFinder returns a finder of source files on this machine. It accepts only names of source files,
// since a target may name any file.
func (s *session) sourceFinder() *source.Finder {
	opt := source.Options{
		Dirs: []string{cmp.Or(s.opt.Dir, ".")}, Named: s.opt.Sources, Strict: true, Confined: s.remote(),
		GoVersion: s.meta.GoVersion, MaxBytes: maxSourceFile,
	}
	if b := s.meta.Build; b != nil {
		opt.Modules = append(opt.Modules, source.Module{Path: b.Main.Path, Main: true})
		for _, d := range b.Deps {
			m := source.Module{Path: d.Path, Version: d.Version}
			if d.Replace != nil && d.IsDir() {
				m.Dir = d.Replace.Path
			}
			opt.Modules = append(opt.Modules, m)
		}
	}
	return source.NewFinder(opt)
}

// addCode stores the machine code of the functions in which the CPU time was spent, and of own
// functions on their stacks.
func (s *session) addCode() {
	if s.binary == nil {
		return
	}
	p := s.profile("cpu")
	if p == nil || len(p.Mappings) == 0 {
		return
	}
	addrs := hotAddresses(p, s.binary, s.own())
	if len(addrs) == 0 {
		return
	}
	data, err := objfile.ExtractCode(s.binary, addrs)
	if err == nil && len(data) <= maxCode {
		err = s.w.Add(recording.Part{Name: recording.CodePart, Kind: recording.KindJSON}, data)
	}
	if err != nil {
		s.warn(fmt.Errorf("machine code was not recorded: %w", err))
	}
}

// hotAddresses lists addresses in the binary, heaviest first.
func hotAddresses(p *profile.Profile, binary objfile.Machine, own func(profile.Function) bool) []uint64 {
	typ, err := p.TypeIndex("cpu")
	if err != nil {
		return nil
	}
	weight := make(map[uint32]int64) // by location
	var stack []uint32
	for i := range p.NumSamples() {
		v := p.Value(i, typ)
		stack = p.AppendStack(stack[:0], i)
		for depth, l := range stack {
			loc := p.Locations[l]
			mine := slices.ContainsFunc(p.Lines[loc.First:loc.First+loc.Num], func(line profile.Line) bool {
				return line.Function != profile.None && own(p.Functions[line.Function])
			})
			if depth == 0 || mine {
				weight[l] += v
			}
		}
	}
	locs := slices.SortedFunc(maps.Keys(weight), func(a, b uint32) int {
		return cmp.Or(cmp.Compare(weight[b], weight[a]), cmp.Compare(a, b))
	})
	m := p.Mappings[0] // the program itself
	base, err := binary.Base(m.Start, m.Limit, m.Offset)
	if err != nil {
		return nil
	}
	var out []uint64
	for _, l := range locs[:min(len(locs), maxCodeAddresses)] {
		if loc := p.Locations[l]; loc.Mapping == 0 && loc.Address >= base {
			out = append(out, loc.Address-base)
		}
	}
	return out
}
