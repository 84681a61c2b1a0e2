package input

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/source"
)

// Source returns the lines of a file, given its name in the profile, and where they were found.
func (in *Input) Source(file string) (lines []string, where string, err error) {
	f, err := in.Finder.File(file)
	if err != nil {
		return nil, "", err
	}
	if f.Origin == source.FromRecording {
		return f.Lines, "the recording", nil
	}
	where = f.Found
	if dir, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(dir, where); err == nil && filepath.IsLocal(rel) {
			where = rel
		}
	}
	return f.Lines, where, nil
}

// MissingSource returns a warning that the source of files was not found; none without files.
func (in *Input) MissingSource(files []string) recording.Warnings {
	if len(files) == 0 {
		return nil
	}
	hint := "run whet in the working tree of the program, " +
		"or record with `whet record`, which includes the source of hot lines"
	if _, _, err := in.Source(files[0]); err != nil {
		hint = cmp.Or(diag.Hint(err), hint)
	}
	const most = 3
	names := strings.Join(files[:min(len(files), most)], ", ")
	if n := len(files) - most; n > 0 {
		names += fmt.Sprintf(" and %d more", n)
	}
	return recording.Warnings{{Text: "source not found: " + names, Hint: hint}}
}

// sourceOptions configures a Finder for the source of in's program.
func (in *Input) sourceOptions() source.Options {
	var opt source.Options
	if dir, err := os.Getwd(); err == nil && !in.Confined() {
		opt.Dirs = []string{dir}
	}
	if in.Confined() {
		opt.Confined, opt.GOROOT, opt.ModCache = true, os.DevNull, os.DevNull // neither has files
	}
	if in.Recording != nil {
		opt.Archive = in.Recording.SourceFile
		opt.GoVersion = in.Recording.Meta().GoVersion
	}
	if in.Build != nil {
		if main := sourceModule(in.Build.Main); main.Path != "" {
			main.Main = true
			opt.Modules = append(opt.Modules, main)
		}
		for _, m := range in.Build.Deps {
			opt.Modules = append(opt.Modules, sourceModule(m))
		}
	}
	return opt
}

// sourceModule converts a module of a build; the source of a replaced module is that of its
// replacement.
func sourceModule(m recording.Module) source.Module {
	switch {
	case m.Replace == nil:
		return source.Module{Path: m.Path, Version: m.Version}
	case !m.IsDir():
		return source.Module{Path: m.Replace.Path, Version: m.Replace.Version}
	case filepath.IsAbs(m.Replace.Path):
		return source.Module{Path: m.Path, Dir: m.Replace.Path}
	}
	return source.Module{Path: m.Path}
}
