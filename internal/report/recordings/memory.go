package recordings

import (
	"math"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/memory"
	"github.com/whet-go/whet/unit"
)

// MemorySchema is the schema of Memory.
const MemorySchema = "whet.memory/2"

// Memory is the document of whet memory: a process's memory, split into parts that add up to Total,
// and its garbage collections. Sizes are in bytes.
type Memory struct {
	Schema  string `json:"schema"`
	Name    string `json:"name"`
	Earlier string `json:"earlier,omitempty"` // the base of changes; "" for the window's start, if any

	Total        int64 `json:"total"` // the resident size, or Go if that is unknown
	EarlierTotal int64 `json:"earlier_total,omitempty"`
	RSS          int64 `json:"rss,omitempty"` // 0 if unknown
	PeakRSS      int64 `json:"peak_rss,omitempty"`
	Go           int64 `json:"go"`       // held by the runtime: Sys less Released
	Released     int64 `json:"released"` // returned to the operating system
	Sys          int64 `json:"sys"`
	HeapAlloc    int64 `json:"heap_alloc"`
	HeapInuse    int64 `json:"heap_inuse"`
	HeapSys      int64 `json:"heap_sys"`
	HeapObjects  int64 `json:"heap_objects"`

	Parts    []MemoryPart  `json:"parts"`
	GC       MemoryGC      `json:"gc"`
	Unknown  []string      `json:"unknown,omitempty"`
	Warnings diag.Warnings `json:"warnings,omitempty"`

	// Before has the earlier sums; null without changes.
	Before *MemorySums `json:"before,omitempty"`
}

// MemorySums are the sums of a Memory at an earlier time.
type MemorySums struct {
	HeapAlloc int64 `json:"heap_alloc"`
	HeapInuse int64 `json:"heap_inuse"`
	Go        int64 `json:"go"`
	RSS       int64 `json:"rss,omitempty"` // 0 if unknown
}

// A MemoryPart is a part of a process's memory. Change is null if the earlier value is unknown.
type MemoryPart struct {
	ID        string  `json:"id"`
	Name      string  `json:"name"`
	Bytes     int64   `json:"bytes"`
	Share     float64 `json:"share"` // of Total
	Change    *int64  `json:"change,omitempty"`
	Estimated bool    `json:"estimated,omitempty"`
	Meaning   string  `json:"meaning"`
}

// MemoryGC describes garbage collection. Rates are per second of the window; without a window they
// are 0, and counts are since the program started.
type MemoryGC struct {
	Window       time.Duration `json:"window_ns,omitempty"`
	Count        int64         `json:"count"`
	Forced       int64         `json:"forced,omitempty"`
	Rate         float64       `json:"rate,omitempty"`
	Interval     time.Duration `json:"interval_ns,omitempty"` // mean time between two collections
	CPU          []MemoryCPU   `json:"cpu"`
	Pauses       MemoryPauses  `json:"pauses"`
	NextGC       int64         `json:"next_gc"`
	LastGC       time.Time     `json:"last_gc,omitzero"`
	GOGC         *int64        `json:"gogc,omitempty"`         // null if unknown, -1 if off
	MemoryLimit  *int64        `json:"memory_limit,omitempty"` // null if unknown, MaxInt64 if none
	AllocBytes   int64         `json:"alloc_bytes"`
	AllocObjects int64         `json:"alloc_objects"`
	AllocRate    float64       `json:"alloc_rate,omitempty"`
	ObjectRate   float64       `json:"object_rate,omitempty"`

	Earlier *MemoryGC `json:"earlier,omitempty"` // of the recording compared with
}

// A MemoryCPU is garbage collection's share of CPU time.
type MemoryCPU struct {
	Share float64 `json:"share"`
	Of    string  `json:"of"`
	From  string  `json:"from"`
}

// MemoryPauses is the distribution of stop-the-world times, one per collection.
type MemoryPauses struct {
	N         int            `json:"n"`
	Of        int            `json:"of"` // collections; more than N if the runtime did not keep all pauses
	Total     time.Duration  `json:"total_ns"`
	P50       time.Duration  `json:"p50_ns,omitempty"`
	P90       time.Duration  `json:"p90_ns,omitempty"`
	P99       time.Duration  `json:"p99_ns,omitempty"`
	Max       time.Duration  `json:"max_ns"`
	Histogram []MemoryBucket `json:"histogram"`
}

// A MemoryBucket is N pauses of at least Low and less than High.
type MemoryBucket struct {
	Low  time.Duration `json:"low_ns"`
	High time.Duration `json:"high_ns"`
	N    int           `json:"n"`
}

// NewMemory returns the document of a report.
func NewMemory(r *memory.Report) Memory {
	a := &r.Account
	d := Memory{
		Schema: MemorySchema, Name: r.Name, Earlier: r.Earlier,
		Total: a.Total, EarlierTotal: r.EarlierTotal, RSS: a.RSS, PeakRSS: a.PeakRSS,
		Go: a.Go, Released: a.Released, Sys: a.Sys,
		HeapAlloc: a.HeapAlloc, HeapInuse: a.HeapInuse, HeapSys: a.HeapSys, HeapObjects: a.Objects,
		Parts: []MemoryPart{}, GC: memoryGC(&r.GC), Unknown: r.Unknown,
	}
	for _, p := range a.Parts {
		part := MemoryPart{
			ID: p.ID, Name: p.Name, Bytes: p.Bytes, Share: unit.Share(p.Bytes, a.Total),
			Estimated: p.Estimated, Meaning: p.Meaning,
		}
		if p.HasBefore {
			change := p.Bytes - p.Before
			part.Change = &change
		}
		d.Parts = append(d.Parts, part)
	}
	if a.Before != nil {
		sums := MemorySums(*a.Before)
		d.Before = &sums
	}
	if r.EarlierGC != nil {
		gc := memoryGC(r.EarlierGC)
		d.GC.Earlier = &gc
	}
	d.Warnings = append(d.Warnings, r.Warnings...)
	return d
}

func memoryGC(g *memory.GC) MemoryGC {
	p := &g.Pauses
	d := MemoryGC{
		Window: g.Window, Count: g.Count, Forced: g.Forced, Interval: g.Interval, CPU: []MemoryCPU{},
		Pauses: MemoryPauses{
			N: p.N, Of: p.Of, Total: p.Total, P50: p.P50, P90: p.P90, P99: p.P99, Max: p.Max,
			Histogram: []MemoryBucket{},
		},
		NextGC: g.NextGC, LastGC: g.LastGC, AllocBytes: g.AllocBytes, AllocObjects: g.AllocObjects,
		AllocRate: finite(g.AllocRate), ObjectRate: finite(g.ObjectRate),
	}
	if g.Window > 0 {
		d.Rate = float64(g.Count) / g.Window.Seconds()
	}
	if g.GOGC != 0 {
		d.GOGC = &g.GOGC
	}
	if g.MemoryLimit != 0 {
		d.MemoryLimit = &g.MemoryLimit
	}
	for _, s := range g.CPU {
		d.CPU = append(d.CPU, MemoryCPU{finite(s.Fraction), s.Of, s.From})
	}
	for _, b := range p.Histogram {
		d.Pauses.Histogram = append(d.Pauses.Histogram, MemoryBucket(b))
	}
	return d
}

// finite replaces numbers that JSON cannot represent.
func finite(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}
