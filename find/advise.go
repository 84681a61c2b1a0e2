package find

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/whet-go/whet/find/advice"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/trace/stacks"
)

// advice returns the causes that no single line shows. A module after rewrites gets none: its lines
// are not those of the recording.
func (p Profiles) advice(c *lineCosts, code *hotCode, o Options) []advice.Advice {
	if o.OriginalDir != "" {
		return nil
	}
	in := p.adviceInput(c, o)
	in.Packages = code.packages
	return advice.Find(in)
}

// withoutKnown returns the advice that no finding gives, with a rewrite: that to buffer a log.
func withoutKnown(all []advice.Advice, found []Finding) []advice.Advice {
	buffered := slices.ContainsFunc(found, func(f Finding) bool {
		return f.Rule == "logline" && f.Identity.Category == "write" && f.Rewrites()
	})
	return slices.DeleteFunc(all, func(a advice.Advice) bool { return buffered && a.Kind == advice.UnbufferedLog })
}

// adviceDirs returns the directories of the packages that advice may be about, as patterns for the
// go command: those with lines on which requests or goroutines wait, or which grow, and that of the
// program, which opens its files and starts its goroutines.
func (p Profiles) adviceDirs(c *lineCosts, o Options) []string {
	var dirs []string
	if o.OriginalDir != "" {
		return dirs
	}
	for _, file := range advice.Files(p.adviceInput(c, o)) {
		if !strings.HasSuffix(file, "_test.go") {
			dirs = append(dirs, "./"+path.Dir(file))
		}
	}
	if b := o.Target.Build; b != nil && (b.Path == c.module.Path || strings.HasPrefix(b.Path, c.module.Path+"/")) {
		dir := "." + strings.TrimPrefix(b.Path, c.module.Path)
		if info, err := os.Stat(filepath.Join(c.module.Dir, filepath.FromSlash(dir))); err == nil && info.IsDir() {
			dirs = append(dirs, "./"+strings.TrimPrefix(dir, "./"))
		}
	}
	return dirs
}

// adviceInput returns the input of package advice without packages.
func (p Profiles) adviceInput(c *lineCosts, o Options) advice.Input {
	in := advice.Input{
		Relative: c.module.Relative, CPU: p.CPU, Allocs: p.Allocs, Heap: p.Heap,
		Goroutines: p.Goroutines, Window: p.Window,
		Locate: func(f stacks.Frame) (string, int, bool) {
			if f.File == "" || !o.Own(profile.Function{Name: f.Func, File: f.File}) {
				return "", 0, false
			}
			at, reason := c.source.locateFrame(f)
			return at.file, at.line, reason == ""
		},
		Describe: func(file string, line int) (function, code string) {
			return c.source.function(file, line), c.source.placeOf(file, line, 1, line).Code
		},
	}
	if p.Waits != nil {
		in.Traces = &p.Waits.traces
	}
	return in
}
