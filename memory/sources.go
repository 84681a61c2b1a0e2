package memory

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/whet-go/whet/profile"
)

// A Process has what the operating system reported about a process at both ends of the window
// (process.json in a recording).
type Process struct {
	Start, End *ProcessSample
}

// A ProcessSample is one sample of a process. Sizes are in bytes.
type ProcessSample struct {
	Time      time.Time        `json:"time"`
	RSS       int64            `json:"rss_bytes"`
	PeakRSS   int64            `json:"peak_rss_bytes"`
	Threads   int              `json:"threads"`
	User      time.Duration    `json:"user_ns"`
	System    time.Duration    `json:"system_ns"`
	RSSByName map[string]int64 `json:"rss_by_name"` // nil if it could not be read
}

// maxJSON is the maximum size of JSON parts.
const maxJSON = 64 << 20

// ParseProcess parses a process.json.
func ParseProcess(r io.Reader) (*Process, error) {
	var p Process
	if err := json.NewDecoder(io.LimitReader(r, maxJSON)).Decode(&p); err != nil {
		return nil, fmt.Errorf("parse process figures: %w", err)
	}
	for _, s := range []*ProcessSample{p.Start, p.End} {
		if s == nil {
			continue
		}
		bad := s.RSS < 0 || s.RSS > maxBytes || s.PeakRSS < 0
		for _, n := range s.RSSByName {
			bad = bad || n < 0 || n > maxBytes
		}
		if bad {
			return nil, fmt.Errorf("parse process figures: sizes out of range")
		}
	}
	return &p, nil
}

// maxBytes is the maximum of a size, so that sums of a hundred do not overflow.
const maxBytes = 1 << 56

// An Agent is what the target's agent reported at both ends of the window (agent.start.json and
// agent.json in a recording).
type Agent struct {
	Start, End *AgentSample
}

// An AgentSample is one sample of runtime/metrics.
type AgentSample struct {
	Time       time.Time          `json:"time"`
	GOMAXPROCS int                `json:"gomaxprocs"`
	Memory     map[string]float64 `json:"memory"` // by metric name
}

// ParseAgent parses an agent's report: one sample, which becomes End, or both in {"start": …,
// "end": …}, as written by a program that records itself.
func ParseAgent(r io.Reader) (*Agent, error) {
	var doc struct {
		AgentSample
		Start, End *AgentSample
	}
	if err := json.NewDecoder(io.LimitReader(r, maxJSON)).Decode(&doc); err != nil {
		return nil, fmt.Errorf("parse agent figures: %w", err)
	}
	if doc.Memory != nil {
		return &Agent{End: &doc.AgentSample}, nil
	}
	return &Agent{Start: doc.Start, End: doc.End}, nil
}

// metric returns the value of a metric, if present.
func (s *AgentSample) metric(name string) (float64, bool) {
	if s == nil {
		return 0, false
	}
	v, ok := s.Memory[name]
	return v, ok
}

// bytes is metric for a size.
func (s *AgentSample) bytes(name string) (int64, bool) {
	v, ok := s.metric(name)
	if !ok || v < 0 || v > maxBytes {
		return 0, false
	}
	return int64(v), true
}

// liveInProfile sums inuse_space of a heap profile: an estimate, from sampled allocations, of what
// was reachable at the last garbage collection. ok is false for other profiles.
func liveInProfile(p *profile.Profile) (live int64, ok bool) {
	typ := -1
	for i, t := range p.SampleTypes {
		if t.Type == "inuse_space" && t.Unit == "bytes" {
			typ = i
		}
	}
	if typ < 0 {
		return 0, false
	}
	for i := range p.NumSamples() {
		live += p.Value(i, typ)
	}
	return max(live, 0), true
}

// gcInProfile returns the time spent in garbage collection in a CPU profile, as profile.Collection
// defines it, and the total. ok is false for other profiles.
func gcInProfile(p *profile.Profile) (gc, all time.Duration, ok bool) {
	typ := -1
	for i, t := range p.SampleTypes {
		if t.Type == "cpu" && t.Unit == "nanoseconds" {
			typ = i
		}
	}
	if typ < 0 {
		return 0, 0, false
	}
	c := p.Collection(typ)
	return time.Duration(c.Total()), time.Duration(c.All), c.All > 0
}
