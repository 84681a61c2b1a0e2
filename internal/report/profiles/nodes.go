package profiles

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/profile"
)

// unknownName is the name of a frame without any information, in all views and formats, as in go
// tool pprof.
const unknownName = "<unknown>"

// NodeName returns the name of a node of a view with the given granularity, as go tool pprof writes
// it.
func NodeName(n profile.Node, by profile.By) string {
	var parts []string
	if n.Address != 0 {
		parts = append(parts, fmt.Sprintf("%016x", n.Address))
	}
	if n.Name != "" && by != profile.ByFile {
		parts = append(parts, n.Name)
	}
	switch {
	case by != profile.ByFunction && n.Line != 0:
		parts = append(parts, fmt.Sprintf("%s:%d", n.File, n.Line))
	case n.File != "" && (by == profile.ByLine || by == profile.ByFile || by == profile.ByAddress || n.Name == ""):
		parts = append(parts, n.File)
	case n.Name != "":
	case n.Object != "":
		parts = append(parts, "["+path.Base(n.Object)+"]")
	default:
		parts = append(parts, unknownName)
	}
	return strings.Join(parts, " ")
}

// FitNode shortens the name of a node, as NodeName returns it, to n columns. by is the granularity
// of the view.
func FitNode(name, by string, n int) string {
	if layout.Columns(name) <= n {
		return layout.Clean(name)
	}
	if by == profile.ByFile.String() {
		return layout.FitPath(name, n)
	}
	// The function gets the columns that the file and line leave.
	if fn, place, ok := strings.Cut(name, " "); ok && by == profile.ByLine.String() && !strings.Contains(place, " ") {
		place = layout.FitPath(place, max(n/2, n-1-layout.Columns(fn)))
		return layout.FitName(fn, n-1-layout.Columns(place)) + " " + place
	}
	return layout.FitName(name, n)
}

// FrameName returns a node's name in the formats of other tools. It follows pprof: the function,
// and file:line if the view distinguishes lines; the address and the mapped file for code without
// symbols.
func FrameName(n profile.Node) string {
	var parts []string
	if n.Address != 0 {
		parts = append(parts, "0x"+strconv.FormatUint(n.Address, 16))
	}
	if n.Name != "" {
		parts = append(parts, n.Name)
	}
	switch {
	case n.Line != 0:
		parts = append(parts, n.File+":"+strconv.Itoa(n.Line))
	case n.Name == "" && n.File != "":
		parts = append(parts, n.File)
	case n.Name == "" && n.Object != "":
		parts = append(parts, "["+path.Base(strings.ReplaceAll(n.Object, `\`, "/"))+"]")
	case len(parts) == 0:
		return unknownName
	}
	return strings.Join(parts, " ")
}

// Objects finds the mapping of an address.
type Objects struct {
	maps  []profile.Mapping
	order []int // indices into maps, by Start
}

// NewObjects indexes the mappings of a profile.
func NewObjects(p *profile.Profile) *Objects {
	o := &Objects{maps: p.Mappings, order: make([]int, len(p.Mappings))}
	for i := range o.order {
		o.order[i] = i
	}
	slices.SortStableFunc(o.order, func(a, b int) int { return cmp.Compare(o.maps[a].Start, o.maps[b].Start) })
	return o
}

// Index returns the index in Profile.Mappings of the mapping that holds address, or -1. A mapping
// without limits holds all addresses above its start.
func (o *Objects) Index(address uint64) int {
	i := sort.Search(len(o.order), func(i int) bool { return o.maps[o.order[i]].Start > address })
	if i == 0 {
		return -1
	}
	if m := &o.maps[o.order[i-1]]; address >= m.Limit && m.Limit != 0 {
		return -1
	}
	return o.order[i-1]
}

// Of returns the file mapped at address, or "".
func (o *Objects) Of(address uint64) string {
	if i := o.Index(address); i >= 0 {
		return o.maps[i].File
	}
	return ""
}

// FrameText formats a frame that starts at column used.
func FrameText(s layout.Style, f Frame, style layout.Color, used int) layout.Painted {
	at := ""
	if f.File != "" {
		at = "  " + layout.FitPath(f.File, s.Remaining(used+24, 16))
		if i := strings.LastIndexByte(at, '/'); s.Width > 0 && layout.Columns(f.Name)+layout.Columns(at)+used+6 > s.Width &&
			i >= 0 {
			at = "  " + at[i+1:]
		}
		if f.Line > 0 {
			at += ":" + strconv.Itoa(f.Line)
		}
	}
	return layout.Join(s.Paint(style, layout.FitName(f.Name, s.Remaining(used+layout.Columns(at), 20))),
		s.Paint(layout.Dim, at))
}
