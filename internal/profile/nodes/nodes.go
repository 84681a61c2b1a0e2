package nodes

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/whet-go/whet/profile"
)

// unknownName is the name of a frame without any information, in all views and formats, as in go
// tool pprof.
const unknownName = "<unknown>"

// Name returns the name of a node of a view with the given granularity, as go tool pprof writes
// it.
func Name(n profile.Node, by profile.By) string {
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
