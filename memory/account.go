package memory

import (
	"strings"

	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/unit"
)

// Identifiers of an account's parts.
const (
	Live          = "live"          // heap objects reachable at the last collection
	Uncollected   = "uncollected"   // heap objects since then, and garbage not yet swept
	Objects       = "objects"       // live and uncollected, if they cannot be distinguished
	Fragmentation = "fragmentation" // unused space in spans that contain objects
	Free          = "free"          // idle spans not returned to the system
	Stacks        = "stacks"        // goroutine stacks
	SystemStacks  = "system-stacks" // thread stacks that the runtime obtained from the system
	MSpan         = "mspan"
	MCache        = "mcache"
	Buckets       = "buckets"
	GCMeta        = "gc"
	Other         = "other"
	Unaccounted   = "unaccounted" // Sys minus all parts: 0 unless the runtime's figures contradict each other
	Untouched     = "untouched"   // negative: pages of the above that were never written, or are swapped out
	Files         = "files"       // binary, libraries and other mapped files
	NotGo         = "not-go"      // anonymous memory outside the Go runtime: C, cgo, other mmap calls
	Rest          = "rest"        // the remainder, if nothing more is known
)

// A Part is one summand of an account.
type Part struct {
	ID     string  `json:"id"`
	Name   string  `json:"name"`
	Bytes  int64   `json:"bytes"`
	Share  float64 `json:"share"`            // of Total
	Change *int64  `json:"change,omitempty"` // since the earlier account; nil if unknown
	// Estimated is set if the part is not based on the runtime's exact figures alone; Meaning
	// states what else was used.
	Estimated bool   `json:"estimated,omitempty"`
	Meaning   string `json:"meaning"`
}

// An Account divides a process's memory into parts, which add up to Total exactly. Sizes are in
// bytes.
type Account struct {
	// Total is RSS, or Go if RSS is unknown. EarlierTotal is that of the report compared with.
	Total        int64 `json:"total"`
	EarlierTotal int64 `json:"earlier_total,omitempty"`
	RSS          int64 `json:"rss,omitempty"` // the resident size; 0 if unknown
	PeakRSS      int64 `json:"peak_rss,omitempty"`
	// Go is Sys minus HeapReleased: what the runtime holds. It is the sum of the parts up to and
	// including Untouched.
	Go int64 `json:"go"`
	// Released is what the runtime has returned: it is in Sys, but not in memory.
	Released int64 `json:"released"`
	// Sys is all address space that the runtime has reserved for data: Go + Released.
	Sys int64 `json:"sys"`

	// These are as in runtime.MemStats.
	HeapAlloc   int64 `json:"heap_alloc"`
	HeapInuse   int64 `json:"heap_inuse"`
	HeapSys     int64 `json:"heap_sys"`
	HeapObjects int64 `json:"heap_objects"`

	Parts []Part `json:"parts"`
}

// Sums are the intermediate sums of an account, like the fields of Account.
type Sums struct {
	HeapAlloc int64 `json:"heap_alloc"`
	HeapInuse int64 `json:"heap_inuse"`
	Go        int64 `json:"go"`
	RSS       int64 `json:"rss,omitempty"`
}

// goMapping is the prefix of the names that the runtime gives to its mappings (Linux 5.17, Go
// 1.25).
const goMapping = "[anon: Go:"

// live is what is known about the live heap.
type live struct {
	bytes int64
	from  string // "" if unknown
	exact bool
}

// newAccount divides s into parts. proc may be nil.
func newAccount(s *Stats, lv live, proc *ProcessSample) (Account, profile.Warnings) {
	var warnings profile.Warnings
	a := Account{
		Sys: clamp(s.Sys), Released: clamp(s.HeapReleased), PeakRSS: clamp(s.MaxRSS),
		HeapAlloc: clamp(s.HeapAlloc), HeapInuse: clamp(s.HeapInuse), HeapSys: clamp(s.HeapSys),
		HeapObjects: clamp(s.HeapObjects),
	}
	a.Go = a.Sys - a.Released
	add := func(id, name string, bytes int64, meaning string, estimated bool) {
		a.Parts = append(a.Parts, Part{ID: id, Name: name, Bytes: bytes, Meaning: meaning, Estimated: estimated})
	}
	if lv.from != "" {
		bytes := min(lv.bytes, a.HeapAlloc)
		add(Live, "live heap", bytes, "at the last GC ("+lv.from+")", !lv.exact)
		add(Uncollected, "uncollected", a.HeapAlloc-bytes, "newer, or garbage", !lv.exact)
	} else {
		add(Objects, "heap objects", a.HeapAlloc, "live, or not yet collected", false)
	}
	add(Fragmentation, "fragmentation", a.HeapInuse-a.HeapAlloc, "unused space in used spans", false)
	add(Free, "free, kept", clamp(s.HeapIdle)-a.Released, "idle spans, not returned", false)
	add(Stacks, "goroutine stacks", clamp(s.StackInuse), "spans in use as stacks", false)
	if n := clamp(s.StackSys) - clamp(s.StackInuse); n != 0 {
		add(SystemStacks, "thread stacks", n, "obtained from the OS", false)
	}
	add(MSpan, "runtime: mspan", clamp(s.MSpanSys), "descriptions of spans", false)
	add(MCache, "runtime: mcache", clamp(s.MCacheSys), "allocation caches, per P", false)
	add(Buckets, "runtime: buckets", clamp(s.BuckHashSys), "the profilers' stacks", false)
	add(GCMeta, "runtime: GC", clamp(s.GCSys), "the collector's structures", false)
	add(Other, "runtime: other", clamp(s.OtherSys), "timers, specials, traces", false)
	sum := int64(0)
	for _, p := range a.Parts {
		sum += p.Bytes
	}
	if sum != a.Go {
		add(Unaccounted, "unaccounted", a.Go-sum, "the figures disagree", false)
		warnings.Addf("account for memory: the parts of Sys add up to %d bytes, not to %d", sum, a.Go)
	}
	a.Total = a.Go
	if proc != nil && proc.RSS > 0 {
		a.resident(proc)
	}
	for i := range a.Parts {
		a.Parts[i].Share = unit.Share(a.Parts[i].Bytes, a.Total)
	}
	return a, warnings
}

// resident adds the parts between what the runtime holds and RSS.
func (a *Account) resident(proc *ProcessSample) {
	a.RSS, a.Total = proc.RSS, proc.RSS
	a.PeakRSS = max(a.PeakRSS, proc.PeakRSS, proc.RSS)
	add := func(id, name string, bytes int64, meaning string) {
		if bytes != 0 {
			a.Parts = append(a.Parts, Part{ID: id, Name: name, Bytes: bytes, Meaning: meaning})
		}
	}
	left := a.RSS - a.Go
	var goBytes, files, notGo, nameless int64
	named := false
	for name, n := range proc.RSSByName {
		switch {
		case strings.HasPrefix(name, goMapping):
			goBytes, named = goBytes+n, true
		case strings.HasPrefix(name, "/"):
			files += n
		case name == "[anon]":
			nameless += n
		default:
			notGo += n
		}
	}
	if files > 0 {
		add(Files, "files mapped", files, "binary and libraries")
		left -= files
	}
	if named {
		// The kernel names the runtime's mappings, so both sides are known.
		notGo += nameless
		add(Untouched, "never touched", goBytes-a.Go, "Go memory without pages")
		add(NotGo, "outside Go", notGo, "C, thread stacks, globals")
		left -= goBytes - a.Go + notGo
		add(Rest, "rest", left, "changed meanwhile")
		return
	}
	// Unnamed mappings belong to Go, to C or to the binary's zeroed globals, so only the difference
	// between memory outside Go and untouched memory is known.
	add(NotGo, "outside Go", notGo, "C heap, thread stack")
	left -= notGo
	switch {
	case left < 0:
		add(Untouched, "never touched", left, "Go, no pages; at least")
	case left > 0:
		add(Rest, "rest", left, "C, zeroed globals, at least")
	}
}

func clamp(n uint64) int64 { return int64(min(n, maxBytes)) }
