package owncode

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/goruntime"
	"github.com/whet-go/whet/internal/terminal"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/unit"
)

// A Result is the own-code view: each sample is charged to its innermost own frame.
// Cost, Rest and Filtered sum to the profile's total.
type Result struct {
	Lines    []Line  `json:"lines"`  // heaviest first
	Hidden   int     `json:"hidden"` // lighter lines that were left out
	Cost     int64   `json:"cost"`   // of all own lines, hidden ones included
	Shown    int64   `json:"shown"`  // of Lines
	Share    float64 `json:"share"`  // Cost of Options.Total, 0 to 1
	Rest     []Rest  `json:"rest"`   // samples without an own frame, heaviest first
	RestCost int64   `json:"rest_cost"`
	Filtered int64   `json:"filtered"` // dropped by the filters
	Also     *Second `json:"also,omitempty"`
}

// A Second is a second profile of the same recording, charged to the same lines: what a line that uses
// CPU time allocates, and the reverse.
type Second struct {
	Profile    string            `json:"profile"` // its name in the recording
	SampleType profile.ValueType `json:"sample_type"`
	Total      int64             `json:"total"` // of all samples, own or not
	Cost       int64             `json:"cost"`  // of all own lines

	Report *profile.OwnReport `json:"-"`
}

// A Line is a line of own code with its cost.
type Line struct {
	Function string   `json:"function"`
	File     string   `json:"file"` // as in the profile
	Path     string   `json:"path"` // shortened
	Line     int      `json:"line"`
	Cost     int64    `json:"cost"`
	Self     int64    `json:"self"`  // the part of Cost spent in the line itself
	Share    float64  `json:"share"` // Cost of Options.Total, 0 to 1
	Callees  []Callee `json:"callees"`

	AlsoCost  int64   `json:"also_cost,omitempty"`
	AlsoShare float64 `json:"also_share,omitempty"` // AlsoCost of Result.Also.Total
}

// A Callee is a function that an own line called.
type Callee struct {
	Function string  `json:"function"`
	Cost     int64   `json:"cost"`
	Share    float64 `json:"share"` // of Options.Total
}

// A Rest is cost without own code, by purpose.
type Rest struct {
	What  string   `json:"what"`
	Cost  int64    `json:"cost"`
	Share float64  `json:"share"`
	Roots []Callee `json:"roots"` // outermost functions
}

// Options configure New.
type Options struct {
	Total int64  // 100% for shares
	Lines int    // at most this many; 0 means all
	Dir   string // paths are shortened relative to it; "" for none
	Main  string // the path of the main module; "" if unknown
	// Difference means that a base is subtracted. Values cancel then and the total counts them
	// absolutely, so nothing counts as filtered.
	Difference bool
}

// New returns the heaviest lines of a report, and the rest by purpose. With second (nil: none),
// lines are chosen by the larger of their two shares.
func New(r *profile.OwnReport, second *Second, o Options) *Result {
	out := &Result{
		Lines: []Line{}, Cost: r.Own, RestCost: r.Rest, Share: unit.Share(r.Own, o.Total),
		Rest: restRows(r.None, o.Total), Also: second,
	}
	short := shortPaths(r.Lines, o.Dir, o.Main)
	chosen := choose(r, second, o.Total, o.Lines)
	for _, c := range chosen.lines {
		l := c.line
		line := Line{
			Function: l.Function, File: l.File, Path: short(l.File), Line: l.Line,
			Cost: l.Cost, Self: l.Self, Share: unit.Share(l.Cost, o.Total), Callees: []Callee{},
			AlsoCost: c.also,
		}
		if second != nil {
			line.AlsoShare = unit.Share(c.also, second.Total)
		}
		for _, c := range l.Callees {
			line.Callees = append(line.Callees, Callee{c.Function, c.Cost, unit.Share(c.Cost, o.Total)})
		}
		out.Shown += l.Cost
		out.Lines = append(out.Lines, line)
	}
	out.Hidden = chosen.hidden
	if second != nil {
		second.Cost = second.Report.Own
	}
	if !o.Difference {
		out.Filtered = max(o.Total-r.Own-r.Rest, 0)
	}
	return out
}

// choice is the own lines to show, by cost, then by cost in the second profile.
type choice struct {
	lines  []chosenLine
	hidden int // lighter ones
}

type chosenLine struct {
	line *profile.OwnLine
	also int64 // cost in the second profile
}

// choose joins the lines of both profiles and chooses the n heaviest (0: all) by the larger
// share.
func choose(r *profile.OwnReport, also *Second, total int64, n int) choice {
	type place struct {
		function, file string
		line           int
	}
	// Rows of either report are lines; where there is no line, the function identifies the row.
	placeOf := func(l *profile.OwnLine) place {
		if l.File == "" || l.Line == 0 {
			return place{l.Function, l.File, l.Line}
		}
		return place{"", l.File, l.Line}
	}
	lines := make([]chosenLine, len(r.Lines))
	for i := range r.Lines {
		lines[i].line = &r.Lines[i]
	}
	if also != nil {
		index := make(map[place]int, len(lines))
		for i := range r.Lines {
			index[placeOf(&r.Lines[i])] = i
		}
		for _, l := range also.Report.Lines {
			if at, ok := index[placeOf(&l)]; ok {
				lines[at].also += l.Cost
			} else {
				lines = append(lines, chosenLine{&profile.OwnLine{Function: l.Function, File: l.File, Line: l.Line}, l.Cost})
			}
		}
		heaviest := func(c chosenLine) float64 {
			share, second := unit.Share(c.line.Cost, total), unit.Share(c.also, also.Total)
			return max(share, -share, second, -second)
		}
		slices.SortStableFunc(lines, func(a, b chosenLine) int { return cmp.Compare(heaviest(b), heaviest(a)) })
	}
	c := choice{lines: lines}
	if n > 0 && len(lines) > n {
		c.hidden, c.lines = len(lines)-n, lines[:n]
	}
	slices.SortStableFunc(c.lines, func(a, b chosenLine) int {
		return cmp.Or(cmp.Compare(max(b.line.Cost, -b.line.Cost), max(a.line.Cost, -a.line.Cost)),
			cmp.Compare(b.also, a.also))
	})
	return c
}

// restRows groups the outermost functions of stacks without own code by purpose.
func restRows(none []profile.OwnCallee, total int64) []Rest {
	index := map[string]int{}
	rows := []Rest{}
	for _, c := range none {
		what := purpose(c.Function)
		i, ok := index[what]
		if !ok {
			i = len(rows)
			index[what] = i
			rows = append(rows, Rest{What: what})
		}
		rows[i].Cost += c.Cost
		rows[i].Roots = append(rows[i].Roots, Callee{c.Function, c.Cost, unit.Share(c.Cost, total)})
	}
	for i := range rows {
		rows[i].Share = unit.Share(rows[i].Cost, total)
	}
	slices.SortStableFunc(rows, func(a, b Rest) int {
		return cmp.Compare(max(b.Cost, -b.Cost), max(a.Cost, -a.Cost))
	})
	return rows
}

// purpose returns what a stack that starts at the given function is for.
func purpose(root string) string {
	switch goruntime.Of(root).Purpose {
	case goruntime.Collecting:
		return "garbage collector's own goroutines" // profile.Collection.Background
	case goruntime.Finalizers:
		return "finalizers and cleanups"
	case goruntime.Scheduling:
		return "goroutine scheduling"
	case goruntime.GrowingStacks:
		return "stack growth"
	case goruntime.OnSystemStack:
		return "runtime on the system stack"
	case goruntime.Outside:
		return "outside Go code"
	case goruntime.Starting:
		return "start-up"
	case goruntime.OfRuntime:
		return "runtime"
	case goruntime.NoPurpose:
	}
	switch pkg := profile.PackagePath(root); {
	case root == "":
		return "code without symbols"
	case strings.HasPrefix(root, "net/http.(*conn)."), strings.HasPrefix(root, "net/http.(*Server)."),
		strings.HasPrefix(root, "net/http.(*connReader)."), strings.HasPrefix(root, "net/http.(*http2serverConn)."),
		strings.HasPrefix(root, "net/http/internal/http2.(*serverConn)."):
		return "HTTP server: connections"
	case strings.HasPrefix(root, "net/http.(*persistConn)."), strings.HasPrefix(root, "net/http.(*Transport)."),
		strings.HasPrefix(root, "net/http.(*http2ClientConn)."), strings.HasPrefix(root,
			"net/http/internal/http2.(*ClientConn)."):
		return "HTTP client: connections"
	case pkg == "runtime/pprof" || pkg == "runtime/trace" || pkg == "net/http/pprof":
		return "profiling itself"
	case pkg == "testing":
		return "test framework"
	case goruntime.In(root):
		return "runtime"
	case pkg != "":
		return "goroutines of " + pkg
	}
	return terminal.Clean(root)
}

// shortPaths returns a function that shortens the files of own lines: relative to dir if they are
// below it; relative to the main module (if not "") if the path has the module's version or comes
// from -trimpath; module@version/file in other modules; else without their common directory.
func shortPaths(lines []profile.OwnLine, dir, main string) func(string) string {
	inMain := func(file string) (string, bool) {
		if main == "" {
			return "", false
		}
		if head, rest, ok := profile.SplitVersion(file); ok {
			return rest, head == main || strings.HasSuffix(head, "/"+main)
		}
		return strings.CutPrefix(file, main+"/")
	}
	shared, started := "", false
	for _, l := range lines {
		if _, _, versioned := profile.SplitVersion(l.File); versioned || l.File == "" {
			continue
		}
		d := slashDir(l.File)
		if !started {
			shared, started = d, true
		}
		for shared != "" && d != shared && !strings.HasPrefix(d, shared+"/") {
			shared = slashDir(shared)
		}
	}
	return func(file string) string {
		if dir != "" && filepath.IsAbs(file) {
			if rel, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(rel) {
				return rel
			}
		}
		if rest, ok := inMain(file); ok {
			return rest
		}
		const moduleCache = "/pkg/mod/"
		if _, rest, ok := strings.Cut(strings.ReplaceAll(file, `\`, "/"), moduleCache); ok {
			return rest
		}
		if rest, ok := strings.CutPrefix(file, shared+"/"); ok && shared != "" {
			return rest
		}
		return file
	}
}

// slashDir returns the part of a path before its last slash, or "".
func slashDir(p string) string {
	i := strings.LastIndexByte(p, '/')
	return p[:max(i, 0)]
}
