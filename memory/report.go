package memory

import (
	"errors"
	"math"
	"strings"
	"time"

	"github.com/whet-go/whet/profile"
)

// Input is everything known about a process. Only End is required; other fields may be nil or zero.
type Input struct {
	Name       string // for titles
	Start, End *Stats
	Window     time.Duration // between Start and End; 0 if unknown
	Process    *Process
	Agent      *Agent
	Heap       *profile.Profile // absolute heap profile at the window's end
	CPU        *profile.Profile // of the window
}

// Schema is the schema of Report.
const Schema = "whet.memory/2"

// A Report is an account of a process's memory and its garbage collection.
type Report struct {
	Schema string `json:"schema"`
	Name   string `json:"name"`
	// Earlier is the name of the report that CompareWith compared with; "" without one.
	Earlier string `json:"earlier,omitempty"`
	Account
	GC GC `json:"gc"`
	// Unknown lists what could not be determined, and what would be needed.
	Unknown  []string         `json:"unknown,omitempty"`
	Warnings profile.Warnings `json:"warnings,omitempty"`

	// Before has the sums of the account that Change of each part is relative to; nil if there is
	// none.
	Before *Sums `json:"before,omitempty"`
}

// New returns a report on in. It returns an error if in.End is nil.
func New(in Input) (*Report, error) {
	if in.End == nil {
		return nil, errors.New("account for memory: no runtime.MemStats")
	}
	r := &Report{Schema: Schema, Name: in.Name}
	start := in.Start
	if start != nil && (start.NumGC > in.End.NumGC || start.Mallocs > in.End.Mallocs ||
		start.TotalAlloc > in.End.TotalAlloc) {
		r.Warnings.Addf("account for memory: the process restarted in the window; only its end is shown")
		start = nil
	}
	var agentStart, agentEnd *AgentSample
	if in.Agent != nil {
		agentStart, agentEnd = in.Agent.Start, in.Agent.End
	}
	var procStart, procEnd *ProcessSample
	if in.Process != nil {
		procStart, procEnd = in.Process.Start, in.Process.End
	}
	lv := live{}
	if n, ok := agentEnd.bytes("/gc/heap/live:bytes"); ok {
		lv = live{n, "metrics", true}
	} else if in.Heap != nil {
		if n, ok := liveInProfile(in.Heap); ok {
			lv = live{n, "sampled", false}
		}
	}
	var warnings profile.Warnings
	r.Account, warnings = newAccount(in.End, lv, procEnd)
	r.Warnings = append(r.Warnings, warnings...)
	if start != nil {
		// Only the agent reports the live heap at the start: the heap profile in a recording is
		// from the end.
		lv0 := live{}
		if n, ok := agentStart.bytes("/gc/heap/live:bytes"); ok {
			lv0 = live{n, "metrics", true}
		}
		before, _ := newAccount(start, lv0, procStart)
		r.before(&before)
	}
	r.GC = newGC(start, in.End, in.Window)
	r.GC.settings(agentEnd)
	r.GC.CPU = shares(in, agentStart, agentEnd, start != nil)
	r.Unknown = unknown(in, lv, procEnd, agentEnd, start)
	return r, nil
}

// settings copies the collector's settings from the agent's sample.
func (g *GC) settings(s *AgentSample) {
	if v, ok := s.metric("/gc/gogc:percent"); ok {
		percent := int64(-1) // off is the largest uint64
		if v < 1<<31 {
			percent = int64(v)
		}
		g.GOGC = &percent
	}
	if v, ok := s.metric("/gc/gomemlimit:bytes"); ok {
		limit := int64(math.MaxInt64)
		if v > 0 && v < maxBytes {
			limit = int64(v)
		}
		g.MemoryLimit = &limit
	}
}

// shares lists the known shares of CPU time spent in the collector, that of the window first. The
// counters of start are usable only if the process ran for the whole window.
func shares(in Input, start, end *AgentSample, whole bool) []Share {
	var out []Share
	const gcMetric, allMetric = "/cpu/classes/gc/total:cpu-seconds", "/cpu/classes/total:cpu-seconds"
	g0, ok0 := start.metric(gcMetric)
	a0, ok1 := start.metric(allMetric)
	g1, ok2 := end.metric(gcMetric)
	a1, ok3 := end.metric(allMetric)
	if ok0 && ok1 && ok2 && ok3 && whole && a1 > a0 && g1 >= g0 {
		out = append(out, Share{
			finite((g1 - g0) / (a1 - a0)), "CPU time available in the window, idle time included",
			"runtime/metrics",
		})
	}
	if in.CPU != nil {
		if gc, all, ok := gcInProfile(in.CPU); ok {
			out = append(out, Share{float64(gc) / float64(all), "CPU time used in the window, assists included", "CPU profile"})
		}
	}
	return append(out, Share{
		finite(in.End.GCCPUFraction), "CPU time available since the program started, idle time included",
		"runtime.MemStats",
	})
}

// finite replaces numbers that JSON cannot represent.
func finite(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}

func unknown(in Input, lv live, proc *ProcessSample, agent *AgentSample, start *Stats) []string {
	var out []string
	if lv.from == "" {
		out = append(out, "live heap: requires the agent's figures or a heap profile")
	}
	switch {
	case proc == nil && in.End.MaxRSS > 0:
		out = append(out, "resident size: only the peak is known; more requires a recording made on the target's machine")
	case proc == nil:
		out = append(out, "resident size: requires a recording made on the target's machine")
	case proc.RSSByName == nil:
		out = append(out, "memory outside Go: the kernel's list of mappings could not be read (same user?)")
	case !namesGo(proc):
		out = append(out, "memory of Go never touched: this kernel does not name mappings "+
			"(CONFIG_ANON_VMA_NAME, Go 1.25)")
	}
	if _, ok := agent.metric("/gc/gogc:percent"); !ok {
		out = append(out, "GOGC and GOMEMLIMIT: require the agent (import github.com/whet-go/whet/agent)")
	}
	if start == nil {
		out = append(out, "rates: require a recording; this is a single snapshot")
	}
	return out
}

func namesGo(p *ProcessSample) bool {
	for name := range p.RSSByName {
		if strings.HasPrefix(name, goMapping) {
			return true
		}
	}
	return false
}

// before sets the change of each part since an earlier account. If only one of the two accounts
// distinguishes live objects, heap objects are compared as a whole.
func (r *Report) before(b *Account) {
	r.Before = &Sums{b.HeapAlloc, b.HeapInuse, b.Go, b.RSS}
	old := make(map[string]int64, len(b.Parts))
	for _, p := range b.Parts {
		old[p.ID] = p.Bytes
	}
	_, splitBefore := old[Live]
	if splitBefore {
		old[Objects] = old[Live] + old[Uncollected]
	}
	for i := range r.Parts {
		p := &r.Parts[i]
		known := true
		switch p.ID {
		case Live, Uncollected:
			known = splitBefore
		case Untouched, Files, NotGo, Rest:
			known = b.RSS > 0
		}
		p.Change = nil
		if known {
			change := p.Bytes - old[p.ID]
			p.Change = &change
		}
	}
}

// CompareWith compares r with an earlier report of the same program: changes are then relative to
// that report, not to the start of the window.
func (r *Report) CompareWith(earlier *Report) {
	r.Earlier, r.EarlierTotal = earlier.Name, earlier.Total
	gc := earlier.GC
	r.GC.Earlier = &gc
	r.before(&earlier.Account)
	have := make(map[string]bool)
	for _, p := range r.Parts {
		have[p.ID] = true
	}
	comparable := (r.RSS > 0) == (earlier.RSS > 0)
	for _, p := range earlier.Parts {
		if !have[p.ID] && comparable && p.ID != Live && p.ID != Uncollected && p.ID != Objects {
			change := -p.Bytes
			p.Change, p.Bytes, p.Share = &change, 0, 0
			r.Parts = append(r.Parts, p)
		}
	}
	if !comparable {
		r.Warnings.Addf("compare memory of %s with %s: only one of them knows the resident size",
			r.Name, earlier.Name)
	}
}

// Part returns the part with the given identifier, and whether the account has it.
func (a *Account) Part(id string) (Part, bool) {
	for _, p := range a.Parts {
		if p.ID == id {
			return p, true
		}
	}
	return Part{}, false
}
