package collect

import (
	"cmp"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/whet-go/whet/profile"
)

const (
	maxHotSource  = 8 << 20 // bytes of all source files together
	maxSourceFile = 2 << 20 // bytes of one
	hotShare      = 0.005   // of a profile's total, from which a file is stored
)

// addSource stores the files that hold hot lines: first those of own code, then
// any other that is on at least hotShare of the stacks of some profile.
func (s *session) addSource() {
	own := s.own()
	weight := make(map[string]float64) // the largest share in any profile
	mine := make(map[string]bool)
	for _, name := range slices.Sorted(maps.Keys(s.profiles)) {
		for _, typ := range hotTypes(name) {
			shares(s.profiles[name], typ, own, weight, mine)
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
	left := int64(maxHotSource)
	for _, f := range files {
		data := s.source(f)
		if data == nil || int64(len(data)) > min(maxSourceFile, left) {
			continue
		}
		left -= int64(len(data))
		if err := s.w.AddSource(f, data); err != nil {
			s.fail(err)
			return
		}
	}
}

// hotTypes are the value columns by which a file of that profile counts as hot.
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

// shares adds, for each file of p, the share of the samples that it is on.
func shares(p *profile.Profile, typ string, own func(profile.Function) bool, weight map[string]float64, mine map[string]bool) {
	t, err := p.TypeIndex(typ)
	if err != nil {
		return
	}
	var total float64
	cum := make(map[string]float64)
	seen := make(map[string]bool)
	for i := range p.NumSamples() {
		v := float64(max(p.Value(i, t), -p.Value(i, t)))
		total += v
		clear(seen)
		for _, l := range p.Stack(i) {
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

// own tells own functions: package main, the main module, and what the user
// added.
func (s *session) own() func(profile.Function) bool {
	prefixes := slices.Clone(s.opt.Own)
	if b := s.meta.Build; b != nil && b.Main.Path != "" {
		prefixes = append(prefixes, b.Main.Path)
	}
	return func(f profile.Function) bool {
		pkg := profile.PackagePath(f.Name)
		if pkg == "main" {
			return true
		}
		return slices.ContainsFunc(prefixes, func(p string) bool {
			rest, ok := strings.CutPrefix(pkg, p)
			return ok && (rest == "" || rest[0] == '/' || strings.HasSuffix(p, "/"))
		})
	}
}

// source finds the text of a file that a profile names; nil when it is not here.
func (s *session) source(file string) []byte {
	if fi, err := os.Stat(file); err != nil || !fi.Mode().IsRegular() || fi.Size() > maxSourceFile {
		return nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	return data
}
