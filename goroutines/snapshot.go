package goroutines

import (
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/profile"
)

// An Evidence is where a statement about a group comes from.
type Evidence string

// Kinds of evidence.
const (
	EvidenceNone        Evidence = ""                // unknown
	EvidenceDump        Evidence = "dump"            // the runtime printed it
	EvidenceTrace       Evidence = "trace"           // the execution trace contains the event
	EvidenceOthers      Evidence = "trace of others" // in the trace, only this creator starts that function
	EvidenceStack       Evidence = "stack"           // the innermost frames show the wait reason
	EvidenceClosure     Evidence = "closure name"    // the compiler names a closure after its enclosing function
	EvidenceStart       Evidence = "start"           // a single go statement in the standard library starts this function
	EvidenceLeakProfile Evidence = "goroutineleak profile"
)

// A Creator is the function that executed a group's go statement.
type Creator struct {
	Func string // "" when unknown
	File string // "" unless a dump or a trace contains it
	Line int
	From Evidence
}

// A Wait is the longest time that a goroutine of a group is known to have been waiting. The zero
// Wait means unknown.
type Wait struct {
	For time.Duration
	// AtLeast is set if the wait may be longer than For by an unknown time: a dump counts whole
	// minutes, and a trace does not show when a wait began that is older than it.
	AtLeast bool
	From    Evidence
}

// A Verdict is whether a group is leaked.
type Verdict string

// Verdicts.
const (
	Fine    Verdict = ""
	Suspect Verdict = "suspect" // looks like a leak; not proven
	Leak    Verdict = "leak"    // the garbage collector proved that nothing can wake it
)

// A Group is all goroutines with one stack, one wait reason and one creator.
type Group struct {
	Stack     []Frame // canonical (see the package documentation), leaf first
	Truncated bool    // the outer part of the stack is missing: it was too deep for the runtime to record
	Count     int64

	Creator Creator

	// Reason is what the goroutines wait for, in the runtime's terms ("chan receive",
	// "sync.Mutex.Lock", "IO wait"), "running", "runnable", "syscall"; "" if unknown (debug=1 dumps
	// omit the frames that would show it).
	Reason     string
	ReasonFrom Evidence

	Longest Wait

	Leaked  int64    // number that the garbage collector found leaked
	Locked  int64    // number locked to their thread
	Bubbled int64    // number in a synctest bubble
	IDs     []uint64 // the first few goroutine IDs, if known
	Labels  []LabelCount

	// Before and Delta are set by CompareWith: the count in the earlier snapshot, and Count minus
	// it.
	Before, Delta int64

	Verdict Verdict
	Why     string // one sentence for the verdict; "" for Fine

	key uint64
}

// A LabelCount is a profiler label and the number of goroutines in a group that have it.
type LabelCount struct {
	Label
	Count int64 `json:"count"`
}

// maxIDs and maxLabels limit what a group keeps of its members.
const (
	maxIDs    = 8
	maxLabels = 32
)

// A Snapshot is the goroutines of one program at one moment.
type Snapshot struct {
	Name   string // of the file or part, for titles
	Kind   string // "goroutine profile", "goroutineleak profile", "debug=1 text", "goroutine dump"
	Time   time.Time
	Total  int64
	Groups []Group // most goroutines first
	Reason string  // why the program dumped (its panic), for a dump

	// Folded is the number of goroutines included in Total but in no group, because
	// Options.MaxGroups was reached.
	Folded int64

	// LeaksKnown is set if a goroutineleak profile was added. Without one, Leaked is 0 for all
	// groups.
	LeaksKnown bool

	// Earlier is the name of the snapshot that CompareWith compared with, "" if there was none;
	// EarlierTotal is its total.
	Earlier      string
	EarlierTotal int64

	Warnings profile.Warnings
}

// Options configure FromDump and FromProfile.
type Options struct {
	Name string // Snapshot.Name
	// MaxGroups is the maximum number of distinct groups; 0 means 100 000.
	MaxGroups int
}

// builder groups records.
type builder struct {
	opt    Options
	seed   maphash.Seed
	groups map[uint64]int
	snap   *Snapshot
	labels map[int]map[Label]int64
}

func newBuilder(opt Options, kind string) *builder {
	if opt.MaxGroups <= 0 {
		opt.MaxGroups = 100_000
	}
	return &builder{
		opt:    opt,
		seed:   maphash.MakeSeed(),
		groups: make(map[uint64]int),
		snap:   &Snapshot{Name: opt.Name, Kind: kind},
		labels: make(map[int]map[Label]int64),
	}
}

// add adds count goroutines to their group, which it returns; nil if the maximum number of groups
// is reached.
func (b *builder) add(stack []Frame, truncated bool, reason string, reasonFrom Evidence, creator Creator,
	count int64,
) (*Group, int) {
	b.snap.Total += count
	var h maphash.Hash
	h.SetSeed(b.seed)
	hashStack(&h, stack)
	_, _ = h.WriteString(reason)
	_ = h.WriteByte(0)
	_, _ = h.WriteString(creator.Func)
	key := h.Sum64()
	if i, ok := b.groups[key]; ok {
		b.snap.Groups[i].Count += count
		return &b.snap.Groups[i], i
	}
	if len(b.snap.Groups) >= b.opt.MaxGroups {
		b.snap.Folded += count
		return nil, 0
	}
	i := len(b.snap.Groups)
	b.groups[key] = i
	b.snap.Groups = append(b.snap.Groups, Group{
		Stack: slices.Clone(stack), Truncated: truncated, Count: count,
		Reason: reason, ReasonFrom: reasonFrom, Creator: creator,
	})
	return &b.snap.Groups[i], i
}

func (b *builder) addLabels(group int, labels []Label, count int64) {
	for _, l := range labels {
		m := b.labels[group]
		if m == nil {
			m = make(map[Label]int64)
			b.labels[group] = m
		}
		if _, ok := m[l]; ok || len(m) < maxLabels {
			m[l] += count
		}
	}
}

func (b *builder) finish() *Snapshot {
	s := b.snap
	for i, m := range b.labels {
		g := &s.Groups[i]
		for l, n := range m {
			g.Labels = append(g.Labels, LabelCount{l, n})
		}
		slices.SortFunc(g.Labels, func(x, y LabelCount) int {
			return cmp.Or(cmp.Compare(y.Count, x.Count), strings.Compare(x.Key, y.Key), strings.Compare(x.Value, y.Value))
		})
	}
	if s.Folded > 0 {
		s.Warnings.Addf("group goroutines: %d distinct stacks kept, %d goroutines with other stacks only counted",
			b.opt.MaxGroups, s.Folded)
	}
	from := EvidenceDump
	if strings.HasPrefix(s.Kind, "goroutineleak") {
		from = EvidenceLeakProfile
	}
	for i := range s.Groups {
		g := &s.Groups[i]
		if g.Leaked > 0 {
			g.markLeak(from)
		}
	}
	s.sort()
	return s
}

func (s *Snapshot) sort() {
	slices.SortStableFunc(s.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), compareStacks(a.Stack, b.Stack))
	})
}

func compareStacks(a, b []Frame) int {
	return slices.CompareFunc(a, b, func(x, y Frame) int {
		return cmp.Or(strings.Compare(x.Func, y.Func), strings.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line))
	})
}

func (g *Group) markLeak(from Evidence) {
	g.Verdict = Leak
	g.Why = fmt.Sprintf("%d of %d can never run again: nothing reachable could wake them (%s)", g.Leaked, g.Count, from)
}

// FromDump reads and groups a text dump (see [ReadDump]).
func FromDump(r io.Reader, opt Options) (*Snapshot, error) {
	b := newBuilder(opt, "goroutine dump")
	info, err := ReadDump(r, func(rec *Record) error {
		stack := canonical(rec.Stack)
		creator := Creator{}
		if rec.CreatedBy.Func != "" {
			creator = Creator{rec.CreatedBy.Func, rec.CreatedBy.File, rec.CreatedBy.Line, EvidenceDump}
		} else if rec.Elided == 0 && len(rec.Stack) < maxFrames {
			creator = creatorOf(rec.Stack)
		}
		reason, from := rec.State, EvidenceDump
		if rec.ID == 0 {
			reason, from = waitReason(rec.Stack, false)
		}
		g, i := b.add(stack, rec.Elided != 0, reason, from, creator, rec.Count)
		if g == nil {
			return nil
		}
		if rec.Leaked {
			g.Leaked += rec.Count
		}
		if rec.Locked {
			g.Locked += rec.Count
		}
		if rec.Bubble != 0 {
			g.Bubbled += rec.Count
		}
		if w := rec.Wait(); w > g.Longest.For {
			g.Longest = Wait{For: w, AtLeast: true, From: EvidenceDump}
		}
		if rec.ID != 0 && len(g.IDs) < maxIDs {
			g.IDs = append(g.IDs, rec.ID)
		}
		b.addLabels(i, rec.Labels, rec.Count)
		return nil
	})
	if err != nil {
		return nil, err
	}
	b.snap.Reason = info.Reason
	b.snap.Warnings = append(b.snap.Warnings, info.Warnings...)
	if info.Name != "" {
		b.snap.Kind = info.Name + " profile, debug=1 text"
		if info.Name == "goroutineleak" {
			for i := range b.snap.Groups {
				b.snap.Groups[i].Leaked = b.snap.Groups[i].Count
			}
		}
	}
	return b.finish(), nil
}

// profileDepth is the maximum depth of stacks in goroutine profiles, in physical frames
// (runtime.maxStack of a profile record).
const profileDepth = 128

// FromProfile groups a goroutine or goroutineleak profile. All goroutines of the latter are leaks.
// It returns an error for other profiles.
func FromProfile(p *profile.Profile, opt Options) (*Snapshot, error) {
	col := -1
	leak := false
	for i, t := range p.SampleTypes {
		if t.Type == "goroutine" || t.Type == "goroutineleak" {
			col, leak = i, t.Type == "goroutineleak"
		}
	}
	if col < 0 {
		return nil, fmt.Errorf("read goroutines of %s: no goroutine profile (its sample type is %q)", opt.Name,
			p.SampleTypes[0].Type)
	}
	b := newBuilder(opt, p.SampleTypes[col].Type+" profile")
	b.snap.Time = p.Time
	var (
		locs   []uint32
		frames []Frame
		labels []Label
	)
	for i := range p.NumSamples() {
		count := p.Value(i, col)
		if count == 0 {
			continue
		}
		locs = p.AppendStack(locs[:0], i)
		frames = profileFrames(p, locs, frames[:0])
		reason, from := waitReason(frames, true)
		truncated := len(locs) >= profileDepth
		creator := Creator{}
		if !truncated {
			creator = creatorOf(frames)
		}
		g, gi := b.add(canonical(frames), truncated, reason, from, creator, count)
		if g == nil {
			continue
		}
		if leak {
			g.Leaked += count
		}
		labels = labels[:0]
		for _, l := range p.Labels(i) {
			if !l.Numeric {
				labels = append(labels, Label{l.Key, l.Str})
			}
		}
		b.addLabels(gi, labels, count)
	}
	return b.finish(), nil
}

func profileFrames(p *profile.Profile, locs []uint32, dst []Frame) []Frame {
	for _, li := range locs {
		loc := &p.Locations[li]
		for _, ln := range p.Lines[loc.First : loc.First+loc.Num] {
			if ln.Function == profile.None {
				dst = append(dst, Frame{Func: fmt.Sprintf("%#x", loc.Address)})
				continue
			}
			fn := &p.Functions[ln.Function]
			dst = append(dst, Frame{Func: fn.Name, File: fn.File, Line: int(ln.Line)})
		}
	}
	return dst
}

// MarkLeaks marks the groups that also occur in leak, a snapshot of a goroutineleak profile. Leaked
// groups that s does not have (they leaked after s was taken, or their stacks changed) are added
// with their count in the leak profile.
func (s *Snapshot) MarkLeaks(leak *Snapshot) {
	s.LeaksKnown = true
	byKey := s.index()
	for i := range leak.Groups {
		l := &leak.Groups[i]
		j, ok := byKey[l.Key()]
		if !ok {
			g := *l
			g.Leaked = g.Count
			g.markLeak(EvidenceLeakProfile)
			s.Groups = append(s.Groups, g)
			s.Total += g.Count
			byKey[g.Key()] = len(s.Groups) - 1
			continue
		}
		g := &s.Groups[j]
		g.Leaked = min(g.Leaked+l.Count, g.Count)
		g.markLeak(EvidenceLeakProfile)
	}
	s.sort()
}

// index maps each group's key to its index. Groups that differ only in reason or creator share a
// key; the largest wins.
func (s *Snapshot) index() map[uint64]int {
	m := make(map[uint64]int, len(s.Groups))
	for i := range s.Groups {
		k := s.Groups[i].Key()
		if j, ok := m[k]; !ok || s.Groups[i].Count > s.Groups[j].Count {
			m[k] = i
		}
	}
	return m
}

// errNotComparable is returned for two unrelated snapshots.
var errNotComparable = errors.New("no stack in common: are they from the same program?")
