package input

import (
	"debug/buildinfo"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
)

// An Own distinguishes own code from other code.
type Own struct {
	// Match reports whether a function is own code. It is never nil in an Input; unless Known,
	// nothing is own code.
	Match func(profile.Function) bool
	Known bool

	Modules []string // and packages, sorted
	Main    string   // the main module, or "" if unknown
	From    string   // where that comes from: "the recording", "its binary", …
}

// Matcher returns Match, or nil if own code is not known.
func (o Own) Matcher() func(profile.Function) bool {
	if !o.Known {
		return nil
	}
	return o.Match
}

// OwnCode determines what is own code in p. rec is a recording of the program, or nil. The main
// module is that of the build in the recording; or of the binary that the profile names, if it is
// on this machine; or of the working directory, if the profile contains packages of it. Otherwise
// own code is every package whose source is neither in the standard library nor in the module
// cache. Package main is always own code, as are the packages with one of the prefixes.
func OwnCode(p *profile.Profile, rec *recording.Recording, prefixes []string) Own {
	in := &Input{Profile: p, Recording: rec}
	in.findOwn(prefixes)
	return in.Own
}

// findOwn sets Own, Build, and the query's modules.
func (in *Input) findOwn(given []string) {
	p := in.Profile
	build, from := in.buildInfo()
	in.Build = build
	prefixes := slices.Clone(given)
	if in.Recording != nil {
		prefixes = append(prefixes, in.Recording.Meta().Own...)
	}
	in.Own = Own{Match: func(profile.Function) bool { return false }}
	var modules, deps []string
	switch {
	case build != nil && mainModule(build) != "":
		modules, deps = []string{mainModule(build)}, build.Foreign(prefixes)
	default:
		if m := workingModule(p); m != "" {
			modules, from = []string{m}, "go.mod here"
		} else if m := p.MainModule(); m != "" {
			modules, from = []string{m}, "its source paths"
		} else if modules = sourceModules(p); len(modules) > 0 {
			from = "its source paths"
		} else {
			from = "package main"
		}
		deps = slices.DeleteFunc(p.Dependencies(modules), profile.BelowAny(prefixes))
	}
	if len(modules) == 1 {
		in.Own.Main = modules[0]
	}
	modules = append(modules, prefixes...)
	if len(given) > 0 {
		from += " and --own"
	}
	slices.Sort(modules)
	modules = slices.Compact(modules)
	own := profile.OwnMatcher(modules, deps)
	if slices.ContainsFunc(p.Functions, own) {
		in.Own.Match, in.Own.Known, in.Own.Modules, in.Own.From = own, true, modules, from
	}
	in.query.ModuleOf = moduleOf(build, modules, p.FileModules)
}

// buildInfo returns the build information of the profiled program and where it was found; nil if it
// is unknown.
func (in *Input) buildInfo() (*recording.Build, string) {
	if in.Recording != nil {
		if b := in.Recording.Meta().Build; b != nil {
			return b, "the recording"
		}
	}
	for _, m := range in.Profile.Mappings {
		if in.Confined() {
			break
		}
		if !filepath.IsAbs(m.File) {
			continue
		}
		// Only a regular file is opened, because a profile may name anything.
		if fi, err := os.Stat(m.File); err != nil || !fi.Mode().IsRegular() {
			continue
		}
		if bi, err := buildinfo.ReadFile(m.File); err == nil {
			return recording.BuildOf(bi), "its binary"
		}
		break // the first file is the program; the others are libraries
	}
	return nil, ""
}

// mainModule returns the module, or at least the package, of a build; "" if unknown, as after go
// run FILE.
func mainModule(b *recording.Build) string {
	if b.Main.Path != "" && b.Main.Path != "command-line-arguments" {
		return b.Main.Path
	}
	if b.Path != "command-line-arguments" {
		return b.Path
	}
	return ""
}

// workingModule returns the path of the module around the working directory if p has a function
// from it.
func workingModule(p *profile.Profile) string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for {
		data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil {
			m := modfile.ModulePath(data)
			if m == "" {
				return ""
			}
			own := profile.OwnMatcher([]string{m}, nil)
			if slices.ContainsFunc(p.Functions, func(f profile.Function) bool {
				return own(f) && profile.PackagePath(f.Name) != "main"
			}) {
				return m
			}
			return ""
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// sourceModules guesses the own modules from the source paths of p's functions: what is in the
// module cache or vendored is a dependency, what is next to package runtime is the standard
// library, the rest is own code.
func sourceModules(p *profile.Profile) []string {
	stdRoot, isGo := "", false
	for i := range p.Functions {
		f := &p.Functions[i]
		// Package runtime also has functions in internal/runtime's files.
		dir := path.Dir(f.File)
		if !strings.HasSuffix(f.File, ".go") || path.Base(dir) != "runtime" || strings.HasSuffix(dir, "internal/runtime") {
			continue
		}
		if profile.PackagePath(f.Name) == "runtime" {
			stdRoot, isGo = strings.TrimSuffix(dir, "runtime"), true
			break
		}
	}
	if !isGo {
		return nil
	}
	modules := map[string]bool{}
	for i := range p.Functions {
		f := &p.Functions[i]
		if !strings.HasSuffix(f.File, ".go") || !strings.Contains(f.File, "/") ||
			strings.Contains(f.File, "@v") || strings.Contains(f.File, "/vendor/") {
			continue
		}
		pkg := profile.PackagePath(f.Name)
		if pkg == "" || pkg == "main" {
			continue
		}
		if !profile.IsStd(pkg) {
			pkg, _, _ = strings.Cut(pkg+"/", "/internal/")
			modules[strings.TrimSuffix(profile.GuessModule(pkg), "/")] = true
		} else if stdRoot != "" && !strings.HasPrefix(f.File, stdRoot) {
			// A module path without a dot.
			first, _, _ := strings.Cut(pkg, "/")
			modules[strings.TrimSuffix(first, "_test")] = true
		}
	}
	out := make([]string, 0, len(modules))
	for m := range modules {
		out = append(out, m)
	}
	return shorten(out, p.Dependencies(nil))
}

// shorten replaces guessed modules by their common parent, unless the parent is just a host or also
// contains a dependency.
func shorten(modules, deps []string) []string {
	parents := map[string]int{}
	for _, m := range modules {
		if d := path.Dir(m); strings.Contains(d, "/") &&
			!slices.ContainsFunc(deps, func(dep string) bool { return strings.HasPrefix(dep, d+"/") }) {
			parents[d]++
		}
	}
	var out []string
	for _, m := range modules {
		if d := path.Dir(m); parents[d] > 1 || slices.Contains(modules, d) {
			m = d
		}
		out = append(out, m)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// moduleOf returns a function that maps packages to modules: by the longest matching path among the
// own modules and those of the build, or else those of files. For other packages it guesses.
func moduleOf(b *recording.Build, own []string, files func() []string) func(pkg string) string {
	known := slices.Clone(own)
	if b == nil {
		known = append(known, files()...)
	}
	main := "main"
	if b != nil {
		for _, d := range b.Deps {
			known = append(known, d.Path)
		}
		if m := mainModule(b); m != "" {
			known, main = append(known, m), m
		}
	} else if len(own) == 1 {
		main = own[0]
	}
	return func(pkg string) string {
		if pkg == "main" {
			return main
		}
		best := ""
		for _, m := range known {
			rest, ok := strings.CutPrefix(pkg, m)
			if ok && len(m) > len(best) && (rest == "" || rest[0] == '/' || rest == "_test") {
				best = m
			}
		}
		if best != "" {
			return best
		}
		return profile.GuessModule(pkg)
	}
}

// Also returns the view of the other main profile of the recording, and its name: allocations for
// CPU, CPU for allocated bytes. It returns nil with a base, and unless the only argument is a
// recording with both profiles.
func (in *Input) Also() (v *profile.View, part string, err error) {
	if in.Recording == nil || len(in.Opened) != 1 {
		return nil, "", nil
	}
	sample := ""
	switch {
	case in.Part == "cpu":
		part, sample = "allocs", "alloc_space"
	case in.Part == "allocs" && in.Type.Type == "alloc_space":
		part, sample = "cpu", "cpu"
	}
	if !slices.Contains(in.Recording.ProfileNames(), part) {
		return nil, "", nil
	}
	p, err := in.Recording.Profile(part)
	if err != nil {
		return nil, "", err
	}
	q := in.query
	if q.Type, err = p.TypeIndex(sample); err != nil {
		return nil, "", err
	}
	v, err = p.View(q)
	return v, part, err
}

// Dispatched returns the common prefix of the packages that main.main calls, if main.main is the
// only own code and does nothing but call them: then the program's own packages probably were not
// recognized. Otherwise it returns "".
func Dispatched(r *profile.OwnReport) string {
	prefix := ""
	for _, l := range r.Lines {
		if l.Function != "main.main" || len(l.Callees) == 0 {
			return ""
		}
		if prefix == "" {
			prefix, _, _ = strings.Cut(profile.PackagePath(l.Callees[0].Function), "/internal/")
		}
	}
	if prefix == "runtime" {
		return ""
	}
	return prefix
}
