package find

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/find/functions"
	"github.com/whet-go/whet/internal/find/module"
)

// A sourceLine is a line of one of the module's files.
type sourceLine struct {
	file string
	line int
}

// charges are the accounts of a place by cost: several when profiles name the place differently.
type charges map[Cost][]*account

// A matcher maps names in profiles to the module's source.
type matcher struct {
	m        *module.Module
	recorded func(file string) ([]byte, bool)
	sources  map[string]*functions.File // by the module's file
	old      map[string]*functions.File // by the profile's file; nil when it was not recorded
}

func newMatcher(m *module.Module, recorded func(file string) ([]byte, bool)) *matcher {
	return &matcher{m: m, recorded: recorded, sources: map[string]*functions.File{}, old: map[string]*functions.File{}}
}

// Reasons why a place in a profile is not a place in the source.
const (
	reasonNoFile    = "the module has no such file"
	reasonVendored  = "it is vendored: change it upstream"
	reasonAmbiguous = "several files of the module match"
	reasonNotGo     = "the file cannot be parsed"
	reasonNoLine    = "no function contains that line any more"
	reasonChanged   = "the function has changed since the recording"
	reasonMoved     = "the function starts on another line"
	reasonGone      = "the function is gone"
)

// locate returns the module's place of a spot, or the reason why there is none.
func (x *matcher) locate(s spot, a *account) (sourceLine, string) {
	if strings.Contains("/"+s.file, "/vendor/") {
		return sourceLine{}, reasonVendored
	}
	rel, err := x.m.File(s.file)
	if err != nil {
		if err == module.ErrAmbiguous { //nolint:errorlint // the module's own sentinel, never wrapped
			return sourceLine{}, reasonAmbiguous
		}
		return sourceLine{}, reasonNoFile
	}
	now := x.source(rel)
	if now == nil || now.Err != nil {
		return sourceLine{}, reasonNotGo
	}
	line := int(s.line)
	if before := x.before(s.file); before != nil && !bytes.Equal(before.Text, now.Text) {
		was := before.Decl(line)
		if was == nil {
			return sourceLine{}, reasonNoLine
		}
		is := now.Named(functions.Name(was))
		if is == nil {
			return sourceLine{}, reasonGone
		}
		if !bytes.Equal(before.Body(was), now.Body(is)) {
			return sourceLine{}, reasonChanged
		}
		return sourceLine{rel, line + now.Line(is.Pos()) - before.Line(was.Pos())}, ""
	}
	if isInit(a.function) {
		return sourceLine{rel, line}, ""
	}
	if now.Decl(line) == nil && !now.InLiteral(line) {
		return sourceLine{}, reasonNoLine
	}
	if a.start > 0 && !now.Starts(int(a.start), line) {
		return sourceLine{}, reasonMoved
	}
	return sourceLine{rel, line}, ""
}

// isInit reports whether a function is the one that initializes package variables.
func isInit(function string) bool { return strings.HasSuffix(function, ".init") }

// source returns the current version of a file, or nil if it cannot be read.
func (x *matcher) source(rel string) *functions.File {
	if p, ok := x.sources[rel]; ok {
		return p
	}
	var p *functions.File
	if text, err := x.m.Read(rel); err == nil {
		p = functions.Parse(text)
	}
	x.sources[rel] = p
	return p
}

// function returns the name of the function around a line, or "".
func (x *matcher) function(file string, line int) string {
	if src := x.source(file); src != nil {
		if d := src.Decl(line); d != nil {
			return functions.Name(d)
		}
	}
	return ""
}

// maxCode is the number of lines shown for a place.
const maxCode = 12

func (x *matcher) placeOf(file string, line, column, end int) Place {
	p := Place{File: file, Line: line, Column: column, EndLine: end}
	if src := x.source(file); src != nil {
		p.Code = src.Code(line, end, maxCode)
	}
	return p
}

// before returns the recorded version of a file, or nil if it was not recorded.
func (x *matcher) before(name string) *functions.File {
	if p, ok := x.old[name]; ok {
		return p
	}
	var p *functions.File
	if x.recorded != nil {
		if text, ok := x.recorded(name); ok {
			if p = functions.Parse(text); p.Err != nil {
				p = nil
			}
		}
	}
	x.old[name] = p
	return p
}

// join maps the ledgers to the module's places.
func (x *matcher) join(ledgers []*ledger) (map[sourceLine]charges, []Stale) {
	places := map[sourceLine]charges{}
	type gone struct{ function, file string }
	stale := map[gone]*Stale{}
	for _, l := range ledgers {
		lost := map[gone]int64{}
		for s, a := range l.spots {
			at, reason := x.locate(s, a)
			if reason == "" {
				if places[at] == nil {
					places[at] = charges{}
				}
				places[at][l.cost] = append(places[at][l.cost], a)
				continue
			}
			g := gone{a.function, s.file}
			if stale[g] == nil {
				stale[g] = &Stale{Function: g.function, File: g.file, Reason: reason}
			}
			lost[g] += a.value
		}
		for g, v := range lost {
			stale[g].Share = max(stale[g].Share, share(v, l.total))
		}
	}
	list := make([]Stale, 0, len(stale))
	for _, g := range slices.SortedFunc(maps.Keys(stale), func(a, b gone) int {
		return cmp.Or(cmp.Compare(stale[b].Share, stale[a].Share), cmp.Compare(a.function, b.function),
			cmp.Compare(a.file, b.file))
	}) {
		list = append(list, *stale[g])
	}
	return places, list
}

func share(part, total int64) float64 {
	if total == 0 {
		return 0
	}
	return float64(part) / float64(total)
}
