package goroutines

import (
	"cmp"
	"regexp"
	"slices"
	"time"

	"github.com/whet-go/whet/profile"
)

// Schema is the schema of Report.
const Schema = "whet.goroutines/2"

// A Report is what `whet goroutines` shows: the goroutines at one moment, grouped by what they do
// and by creator. In its groups and creators, Before and Delta are zero, and omitted, unless
// Earlier is set.
type Report struct {
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
	// Leaks reports whether there was a goroutineleak profile, which proves leaks.
	Leaks   bool     `json:"leak_profile"`
	Reason  string   `json:"reason,omitempty"` // why the program wrote the dump
	Own     []string `json:"own,omitempty"`
	Filters []string `json:"filters,omitempty"`

	Groups   []ReportGroup    `json:"groups"`
	Hidden   int              `json:"hidden"`   // groups left out because of -n
	Left     int64            `json:"left"`     // goroutines in these groups
	Filtered int64            `json:"filtered"` // goroutines that the filters exclude
	Creators []ReportCreator  `json:"creators"` // of all groups that the filters keep
	Warnings profile.Warnings `json:"warnings,omitempty"`
}

// A ReportGroup is all goroutines with the same stack, wait reason and creator.
type ReportGroup struct {
	Count      int64  `json:"count"`
	Before     int64  `json:"before,omitempty"`
	Delta      int64  `json:"delta,omitempty"`
	Reason     string `json:"reason,omitempty"`      // in the runtime's terms; "" if unknown
	ReasonFrom string `json:"reason_from,omitempty"` // where Reason comes from

	Wait        time.Duration `json:"wait_ns,omitempty"` // longest; 0 if unknown
	WaitAtLeast bool          `json:"wait_at_least,omitempty"`
	WaitFrom    string        `json:"wait_from,omitempty"`

	Own         *Frame  `json:"own,omitempty"` // innermost own frame
	Creator     *Frame  `json:"creator,omitempty"`
	CreatorFrom string  `json:"creator_from,omitempty"`
	Stack       []Frame `json:"stack"` // innermost first, without the runtime's frames
	Truncated   bool    `json:"truncated,omitempty"`

	Verdict string `json:"verdict,omitempty"` // "leak", "suspect" or ""
	Why     string `json:"why,omitempty"`
	Leaked  int64  `json:"leaked,omitempty"`

	Locked  int64        `json:"locked_to_thread,omitempty"`
	Bubbled int64        `json:"in_bubble,omitempty"`
	IDs     []uint64     `json:"ids,omitempty"` // the first few
	Labels  []LabelCount `json:"labels,omitempty"`
}

// A ReportCreator is all goroutines that one function started.
type ReportCreator struct {
	Creator *Frame `json:"creator,omitempty"` // nil if unknown
	Own     bool   `json:"own,omitempty"`
	Count   int64  `json:"count"`
	Before  int64  `json:"before,omitempty"`
	Delta   int64  `json:"delta,omitempty"`
	Groups  int    `json:"groups"`
	Leaked  int64  `json:"leaked,omitempty"`
}

// ReportOptions configure NewReport. The zero value keeps all groups.
type ReportOptions struct {
	N             int // groups; 0 means all
	Own           func(Frame) bool
	OwnModules    []string
	Focus, Ignore *regexp.Regexp // on a stack's and the creator's functions and files
	WaitsFor      string         // only groups with this Reason, "?" being none; "" keeps all
	Filters       []string       // as given on the command line
	Trace         time.Duration  // length of the trace that was joined
	Leaks         bool           // a goroutineleak profile was joined
}

// NewReport filters and ranks the groups of a snapshot. Leaks come first; then, in a comparison, the
// largest growth; then own code.
func NewReport(s *Snapshot, o ReportOptions) Report {
	d := Report{
		Schema: Schema, Name: s.Name, Kind: s.Kind, Time: s.Time, Total: s.Total,
		Earlier: s.Earlier, EarlierTotal: s.EarlierTotal, TraceDuration: o.Trace, Leaks: o.Leaks,
		Reason: s.Reason, Own: o.OwnModules, Filters: o.Filters,
		Groups: []ReportGroup{}, Creators: []ReportCreator{},
	}
	d.Warnings = append(d.Warnings, s.Warnings...)
	var kept []Group
	for i := range s.Groups {
		g := &s.Groups[i]
		if o.Focus != nil && !matches(g, o.Focus) || o.Ignore != nil && matches(g, o.Ignore) ||
			o.WaitsFor != "" && cmp.Or(g.Reason, "?") != o.WaitsFor {
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
		rank[i] = ranked{own || o.isOwn(kept[i].Creator), kept[i].Verdict == Leak, i}
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
		d.Groups = append(d.Groups, reportGroup(&kept[r.at], o))
	}
	for _, c := range ByCreator(kept) {
		d.Creators = append(d.Creators, ReportCreator{
			Creator: creatorFrame(c.Creator), Own: o.isOwn(c.Creator),
			Count: c.Count, Before: c.Before, Delta: c.Delta, Groups: c.Groups, Leaked: c.Leaked,
		})
	}
	return d
}

func (o *ReportOptions) isOwn(c Creator) bool {
	return o.Own != nil && c.Func != "" && o.Own(Frame{Func: c.Func, File: c.File, Line: c.Line})
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

func matches(g *Group, re *regexp.Regexp) bool {
	return slices.ContainsFunc(g.Stack, func(f Frame) bool {
		return re.MatchString(f.Func) || re.MatchString(f.File)
	}) || g.Creator.Func != "" && re.MatchString(g.Creator.Func)
}

func reportGroup(g *Group, o ReportOptions) ReportGroup {
	out := ReportGroup{
		Count: g.Count, Before: g.Before, Delta: g.Delta,
		Reason: g.Reason, ReasonFrom: string(g.ReasonFrom),
		Wait: g.Longest.For, WaitAtLeast: g.Longest.AtLeast, WaitFrom: string(g.Longest.From),
		Creator: creatorFrame(g.Creator), CreatorFrom: string(g.Creator.From),
		Stack: append([]Frame{}, g.Stack...), Truncated: g.Truncated,
		Verdict: string(g.Verdict), Why: g.Why, Leaked: g.Leaked,
		Locked: g.Locked, Bubbled: g.Bubbled, IDs: g.IDs, Labels: g.Labels,
	}
	if f, ok := g.OwnFrame(o.Own); ok {
		out.Own = &f
	}
	return out
}

func creatorFrame(c Creator) *Frame {
	if c.Func == "" {
		return nil
	}
	return &Frame{Func: c.Func, File: c.File, Line: c.Line}
}
