package recordings

import (
	"cmp"
	"regexp"
	"slices"
	"time"

	"github.com/whet-go/whet/goroutines"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report/profiles"
)

// GoroutinesSchema is the schema of Goroutines.
const GoroutinesSchema = "whet.goroutines/2"

// Goroutines is the document of whet goroutines: the goroutines at one moment, by what they do and
// by creator. Before and Delta are zero, and omitted, unless Earlier is set.
type Goroutines struct {
	Schema       string    `json:"schema"`
	Name         string    `json:"name"`
	Kind         string    `json:"kind"` // "goroutine profile", "goroutine dump", …
	Time         time.Time `json:"time,omitzero"`
	Total        int64     `json:"total"`
	Earlier      string    `json:"earlier,omitempty"` // the earlier snapshot of a comparison
	EarlierTotal int64     `json:"earlier_total,omitempty"`
	// TraceDuration is the length of the execution trace that waits and creators come from; 0
	// without one.
	TraceDuration time.Duration `json:"trace_duration_ns,omitempty"`
	// Leaks reports that there was a goroutineleak profile, which proves leaks.
	Leaks   bool     `json:"leak_profile"`
	Reason  string   `json:"reason,omitempty"` // why the program wrote the dump
	Own     []string `json:"own,omitempty"`
	Filters []string `json:"filters,omitempty"`

	Groups   []GoroutineGroup   `json:"groups"`
	Hidden   int                `json:"hidden"`   // groups left out because of -n
	Left     int64              `json:"left"`     // goroutines in these groups
	Filtered int64              `json:"filtered"` // goroutines that the filters drop
	Creators []GoroutineCreator `json:"creators"` // of all groups that the filters keep
	Warnings diag.Warnings      `json:"warnings,omitempty"`
}

// A GoroutineGroup is all goroutines with the same stack, wait reason and creator.
type GoroutineGroup struct {
	Count      int64  `json:"count"`
	Before     int64  `json:"before,omitempty"`
	Delta      int64  `json:"delta,omitempty"`
	Reason     string `json:"reason,omitempty"`      // in the runtime's words; "" if unknown
	ReasonFrom string `json:"reason_from,omitempty"` // where Reason comes from

	Wait        time.Duration `json:"wait_ns,omitempty"` // longest; 0 if unknown
	WaitAtLeast bool          `json:"wait_at_least,omitempty"`
	WaitFrom    string        `json:"wait_from,omitempty"`

	Own         *profiles.Frame  `json:"own,omitempty"` // innermost own frame
	Creator     *profiles.Frame  `json:"creator,omitempty"`
	CreatorFrom string           `json:"creator_from,omitempty"`
	Stack       []profiles.Frame `json:"stack"` // innermost first, without the runtime's frames
	Truncated   bool             `json:"truncated,omitempty"`

	Verdict string `json:"verdict,omitempty"` // "leak", "suspect" or ""
	Why     string `json:"why,omitempty"`
	Leaked  int64  `json:"leaked,omitempty"`

	Locked  int64            `json:"locked_to_thread,omitempty"`
	Bubbled int64            `json:"in_bubble,omitempty"`
	IDs     []uint64         `json:"ids,omitempty"` // the first few
	Labels  []GoroutineLabel `json:"labels,omitempty"`
}

// A GoroutineLabel is a profiler label and the number of goroutines with it.
type GoroutineLabel struct {
	profiles.Tag
	Count int64 `json:"count"`
}

// A GoroutineCreator is all goroutines that one function started.
type GoroutineCreator struct {
	Creator *profiles.Frame `json:"creator,omitempty"` // nil if unknown
	Own     bool            `json:"own,omitempty"`
	Count   int64           `json:"count"`
	Before  int64           `json:"before,omitempty"`
	Delta   int64           `json:"delta,omitempty"`
	Groups  int             `json:"groups"`
	Leaked  int64           `json:"leaked,omitempty"`
}

// GoroutineOptions configures NewGoroutines.
type GoroutineOptions struct {
	N             int // groups; 0 means all
	Own           func(goroutines.Frame) bool
	OwnModules    []string
	Focus, Ignore *regexp.Regexp // on a stack's and the creator's functions and files
	Filters       []string       // as given on the command line
	Trace         time.Duration  // length of the trace that was joined
	Leaks         bool           // a goroutineleak profile was joined
}

// NewGoroutines returns the document of a snapshot. Leaks come first; then, in a comparison, the
// largest growth; then own code.
func NewGoroutines(s *goroutines.Snapshot, o GoroutineOptions) Goroutines {
	d := Goroutines{
		Schema: GoroutinesSchema, Name: s.Name, Kind: s.Kind, Time: s.Time, Total: s.Total,
		Earlier: s.Earlier, EarlierTotal: s.EarlierTotal, TraceDuration: o.Trace, Leaks: o.Leaks,
		Reason: s.Reason, Own: o.OwnModules, Filters: o.Filters,
		Groups: []GoroutineGroup{}, Creators: []GoroutineCreator{},
	}
	d.Warnings = append(d.Warnings, s.Warnings...)
	var kept []goroutines.Group
	for i := range s.Groups {
		g := &s.Groups[i]
		if o.Focus != nil && !goroutineMatch(g, o.Focus) || o.Ignore != nil && goroutineMatch(g, o.Ignore) {
			d.Filtered += g.Count
			continue
		}
		kept = append(kept, *g)
	}
	type ranked struct {
		own  bool
		leak bool
		at   int
	}
	rank := make([]ranked, len(kept))
	for i := range kept {
		_, own := kept[i].OwnFrame(o.Own)
		rank[i] = ranked{own || o.isOwn(kept[i].Creator), kept[i].Verdict == goroutines.Leak, i}
	}
	slices.SortStableFunc(rank, func(a, b ranked) int {
		x, y := &kept[a.at], &kept[b.at]
		return cmp.Or(trueFirst(a.leak, b.leak), cmp.Compare(y.Delta, x.Delta), trueFirst(a.own, b.own),
			cmp.Compare(y.Count, x.Count))
	})
	for i, r := range rank {
		if o.N > 0 && i >= o.N {
			d.Hidden++
			d.Left += kept[r.at].Count
			continue
		}
		d.Groups = append(d.Groups, goroutineGroup(&kept[r.at], o))
	}
	for _, c := range goroutines.ByCreator(kept) {
		d.Creators = append(d.Creators, GoroutineCreator{
			Creator: creatorFrame(c.Creator), Own: o.isOwn(c.Creator),
			Count: c.Count, Before: c.Before, Delta: c.Delta, Groups: c.Groups, Leaked: c.Leaked,
		})
	}
	return d
}

func (o *GoroutineOptions) isOwn(c goroutines.Creator) bool {
	return o.Own != nil && c.Func != "" && o.Own(goroutines.Frame{Func: c.Func, File: c.File, Line: c.Line})
}

// trueFirst compares two values so that true sorts before false.
func trueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

func goroutineMatch(g *goroutines.Group, re *regexp.Regexp) bool {
	return slices.ContainsFunc(g.Stack, func(f goroutines.Frame) bool {
		return re.MatchString(f.Func) || re.MatchString(f.File)
	}) || g.Creator.Func != "" && re.MatchString(g.Creator.Func)
}

func goroutineGroup(g *goroutines.Group, o GoroutineOptions) GoroutineGroup {
	out := GoroutineGroup{
		Count: g.Count, Before: g.Before, Delta: g.Delta,
		Reason: g.Reason, ReasonFrom: string(g.ReasonFrom),
		Wait: g.Longest.For, WaitAtLeast: g.Longest.AtLeast, WaitFrom: string(g.Longest.From),
		Creator: creatorFrame(g.Creator), CreatorFrom: string(g.Creator.From),
		Stack: make([]profiles.Frame, len(g.Stack)), Truncated: g.Truncated,
		Verdict: string(g.Verdict), Why: g.Why, Leaked: g.Leaked,
		Locked: g.Locked, Bubbled: g.Bubbled, IDs: g.IDs,
	}
	for i, f := range g.Stack {
		out.Stack[i] = profiles.Frame{Name: f.Func, File: f.File, Line: f.Line}
	}
	if f, ok := g.OwnFrame(o.Own); ok {
		out.Own = &profiles.Frame{Name: f.Func, File: f.File, Line: f.Line}
	}
	for _, l := range g.Labels {
		out.Labels = append(out.Labels, GoroutineLabel{profiles.Tag{Key: l.Key, Value: l.Value}, l.Count})
	}
	return out
}

func creatorFrame(c goroutines.Creator) *profiles.Frame {
	if c.Func == "" {
		return nil
	}
	return &profiles.Frame{Name: c.Func, File: c.File, Line: c.Line}
}
