package agent

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"time"
)

// InfoSchema names the JSON form of [Info].
const InfoSchema = "whet.agent/1"

// Info describes the process: the answer at PREFIX/whet and the part agent.json of a recording.
type Info struct {
	Schema     string    `json:"schema"` // always [InfoSchema]
	Time       time.Time `json:"time"`   // when the values below were read
	GoVersion  string    `json:"go_version"`
	GOOS       string    `json:"goos"`
	GOARCH     string    `json:"goarch"`
	GOMAXPROCS int       `json:"gomaxprocs"`
	NumCPU     int       `json:"num_cpu"`
	PID        int       `json:"pid"`
	Cmdline    []string  `json:"cmdline"`
	Build      *Build    `json:"build,omitempty"` // nil if the binary has none

	// CPU is the user and system time that the process has used so far; 0 where the system does not
	// report it.
	CPU time.Duration `json:"cpu_ns"`

	// BlockRate is in nanoseconds per event; 0 is off, and -1 is unknown: the agent was configured
	// not to change it, and the runtime does not report it.
	BlockRate int64 `json:"block_rate"`
	// MutexFraction is in contended unlocks per event; 0 is off.
	MutexFraction int `json:"mutex_fraction"`
	// MemProfileRate is in allocated bytes per event; 0 is off.
	MemProfileRate int `json:"mem_profile_rate"`

	// Flight is the flight recorder; nil when there is none.
	Flight *Flight `json:"flight,omitempty"`

	// Memory holds the memory, garbage collector, CPU and scheduler metrics of package
	// runtime/metrics by name; the names end in the units. Pauses holds those that are
	// distributions of times.
	Memory map[string]float64  `json:"memory"`
	Pauses map[string][]Bucket `json:"pauses"`
}

// Bucket is one non-empty bucket of a distribution of seconds: N events of at least Low and less
// than High. Low or High is nil if the bucket has no lower or upper bound.
type Bucket struct {
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"`
	N    uint64   `json:"n"`
}

// Build is the build information that the go command embeds in the binary.
type Build struct {
	Path     string    `json:"path,omitempty"` // package path of main
	Main     Module    `json:"main"`
	Deps     []Module  `json:"deps,omitempty"`
	Settings []Setting `json:"settings,omitempty"`
}

// Module is one module of a build.
type Module struct {
	Path    string  `json:"path"`
	Version string  `json:"version,omitempty"`
	Sum     string  `json:"sum,omitempty"`
	Replace *Module `json:"replace,omitempty"`
}

// Setting is one key and value of the build settings, such as "-trimpath" and "true".
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

func readInfo(r *rates) *Info {
	info := &Info{
		Schema:         InfoSchema,
		Time:           time.Now(),
		GoVersion:      runtime.Version(),
		GOOS:           runtime.GOOS,
		GOARCH:         runtime.GOARCH,
		GOMAXPROCS:     runtime.GOMAXPROCS(0),
		NumCPU:         runtime.NumCPU(),
		PID:            os.Getpid(),
		Cmdline:        os.Args,
		Build:          readBuild(),
		CPU:            processCPU(),
		BlockRate:      int64(r.block),
		MutexFraction:  runtime.SetMutexProfileFraction(-1),
		MemProfileRate: runtime.MemProfileRate,
	}
	if info.BlockRate == 0 {
		info.BlockRate = -1
	}
	info.Memory, info.Pauses = readMetrics()
	return info
}

// readMetrics reads all of runtime/metrics except the counters of GODEBUG settings and
// distributions of anything but times.
func readMetrics() (map[string]float64, map[string][]Bucket) {
	var samples []metrics.Sample
	for _, d := range metrics.All() {
		if !strings.HasPrefix(d.Name, "/godebug/") {
			samples = append(samples, metrics.Sample{Name: d.Name})
		}
	}
	metrics.Read(samples)
	scalars, pauses := map[string]float64{}, map[string][]Bucket{}
	for _, s := range samples {
		switch s.Value.Kind() {
		case metrics.KindUint64:
			scalars[s.Name] = float64(s.Value.Uint64())
		case metrics.KindFloat64:
			scalars[s.Name] = s.Value.Float64()
		case metrics.KindFloat64Histogram:
			if strings.HasSuffix(s.Name, ":seconds") {
				pauses[s.Name] = buckets(s.Value.Float64Histogram())
			}
		case metrics.KindBad: // not supported by this runtime
		}
	}
	return scalars, pauses
}

func buckets(h *metrics.Float64Histogram) []Bucket {
	out := []Bucket{} // an empty list in JSON, not null
	for i, n := range h.Counts {
		if n > 0 {
			out = append(out, Bucket{Low: finite(h.Buckets[i]), High: finite(h.Buckets[i+1]), N: n})
		}
	}
	return out
}

// finite returns nil for a value that JSON cannot represent.
func finite(f float64) *float64 {
	if math.IsInf(f, 0) {
		return nil
	}
	return &f
}

func readBuild() *Build {
	bi, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	b := &Build{Path: bi.Path, Main: moduleOf(bi.Main)}
	for _, d := range bi.Deps {
		b.Deps = append(b.Deps, moduleOf(*d))
	}
	for _, s := range bi.Settings {
		b.Settings = append(b.Settings, Setting{s.Key, s.Value})
	}
	return b
}

func moduleOf(m debug.Module) Module {
	out := Module{Path: m.Path, Version: m.Version, Sum: m.Sum}
	if m.Replace != nil {
		r := moduleOf(*m.Replace)
		out.Replace = &r
	}
	return out
}
