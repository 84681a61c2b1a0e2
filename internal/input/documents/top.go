package documents

import (
	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/profile/nodes"
	"github.com/whet-go/whet/internal/profile/owncode"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/unit"
)

// TopSchema is the schema of Top.
const TopSchema = "whet.top/2"

// Top is the document of whet top: own lines, or with All all nodes.
type Top struct {
	Schema string          `json:"schema"`
	Header Header          `json:"profile"`
	Own    *owncode.Result `json:"own,omitempty"`
	All    *All            `json:"all,omitempty"`
	// Collector is the garbage collector's share of all samples, before filters; nil if they do not
	// count CPU time.
	Collector *Collector    `json:"collector,omitempty"`
	Warnings  diag.Warnings `json:"warnings,omitempty"`
}

// All is the classic view: nodes by flat or cumulative value.
type All struct {
	By     string `json:"by"`
	Cum    bool   `json:"cum"` // ranked by cumulative value
	Nodes  []Node `json:"nodes"`
	Hidden int    `json:"hidden"`        // lighter nodes left out
	Shown  int64  `json:"shown"`         // flat value of Nodes
	Kept   int64  `json:"kept"`          // flat value of all nodes that the filters keep
	Why    string `json:"why,omitempty"` // why this view is shown
}

// A Node is a node of a view with its values.
type Node struct {
	Name     string  `json:"name"` // as go tool pprof prints it
	Function string  `json:"function,omitempty"`
	File     string  `json:"file,omitempty"`
	Line     int     `json:"line,omitempty"`
	Address  uint64  `json:"address,omitempty"`
	Flat     int64   `json:"flat"`
	Cum      int64   `json:"cum"`
	FlatPart float64 `json:"flat_share"` // of Header.Total, 0 to 1
	CumPart  float64 `json:"cum_share"`

	From profile.Node `json:"-"`
}

// NewTop returns the classic document of the n heaviest nodes (0: all) of a view. why, if not
// empty, is one line that explains why it is shown.
func NewTop(h Header, v *profile.View, n int, cum bool, why string) Top {
	by := v.Query().By
	all := &All{By: by.String(), Cum: cum, Nodes: []Node{}, Why: why}
	for i, w := range v.Nodes(cum) {
		all.Kept += w.Flat
		if n > 0 && i >= n {
			all.Hidden++
			continue
		}
		all.Shown += w.Flat
		all.Nodes = append(all.Nodes, NewNode(w, by, h.Total))
	}
	return Top{Schema: TopSchema, Header: h, All: all}
}

// NewNode converts a weight of a view with the given granularity.
func NewNode(w profile.Weight, by profile.By, total int64) Node {
	n := Node{
		Name: nodes.Name(w.Node, by), File: w.File, Line: w.Line, Address: w.Address,
		Flat: w.Flat, Cum: w.Cum, FlatPart: unit.Share(w.Flat, total), CumPart: unit.Share(w.Cum, total),
		From: w.Node,
	}
	if by == profile.ByFunction || by == profile.ByLine || by == profile.ByAddress {
		n.Function = w.Name
	}
	return n
}

// NewOwn returns the own-code document of a view's n heaviest lines (0: all). Paths are shortened
// relative to dir if it is not empty. With also (nil: none), lines are chosen by the larger of
// their two shares.
func NewOwn(h Header, r *profile.OwnReport, also *owncode.Second, n int, dir string) Top {
	return Top{Schema: TopSchema, Header: h, Own: owncode.New(r, also, owncode.Options{
		Total: h.Total, Lines: n, Dir: dir, Main: h.Main, Difference: len(h.Base) > 0,
	})}
}

// A Collector is the share of garbage collection in a profile's CPU time, as profile.Collection
// defines it.
type Collector struct {
	Share     float64 `json:"share"`      // of all CPU time in the profile
	InProgram float64 `json:"in_program"` // in the program's goroutines, of the same total
}

// CollectorOf returns the collector's share of an input's profile; nil if that is no CPU profile.
func CollectorOf(in *input.Input) *Collector {
	if in.Type.Type != "cpu" {
		return nil
	}
	return NewCollector(in.Profile.Collection(in.View.Query().Type))
}

// NewCollector returns the collector's share of a CPU profile; nil if it has no samples.
func NewCollector(c profile.Collection) *Collector {
	if c.All <= 0 {
		return nil
	}
	return &Collector{unit.Share(c.Total(), c.All), unit.Share(c.InProgram, c.All)}
}
