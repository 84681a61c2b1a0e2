package diff

import (
	"math"
	"strings"

	"github.com/whet-go/whet/profile"
)

// A noiseModel describes how a profile sampled its values, and so how much a value may differ by
// chance alone.
//
// A sampling profiler sees events (clock ticks, sampled allocations) at random;
// the number k of events behind a value is a Poisson count, whose variance is
// k itself. When record i of the profile holds k_i events of weight w_i each
// (its value is V_i = k_i w_i), the sum over records has the variance
//
//	Var(ΣV_i) = Σ k_i w_i² = Σ V_i² / k_i
//
// (a compound Poisson sum; see any text on renewal theory, or Campbell's
// theorem). For a CPU profile w is the period, so it is period² n.
//
// Two independent measurements A and B differ by more than chance when
//
//	|B - sA| > 2 √(Var(B) + s² Var(A))
//
// where s is the factor of normalization. With equal weights and s = 1 it is the usual normal
// approximation of the conditional test of two Poisson means (J. Przyborowski and H. Wilenski,
// Homogeneity of results in testing samples from Poisson series, Biometrika 31, 1940): |nB - nA| >
// 2 √(nA + nB), a level of about 5%. With fewer than minEvents events in both together, even "all
// of them on one side" happens by chance more often than that (2 · 2⁻⁵ = 6%), so no change is
// reported there.
type noiseModel struct {
	name   noiseName
	count  int     // column with the number of events (or of objects), -1 none
	space  int     // heap: column with bytes
	period float64 // weight of an event, or the heap's sampling rate
}

const minEvents = 6

type noiseName string

const (
	// The value, or another column, counts ticks of a clock.
	noiseTicks noiseName = "clock ticks"
	// Allocations, sampled once per a mean number of bytes.
	noiseHeap noiseName = "sampled allocations"
	// Lock contention. The runtime scales up sampled counts by a factor that the profile does not
	// contain: the noise is at least this.
	noiseContention noiseName = "contentions"
	// One event per record, if there is no better model.
	noiseRecords noiseName = "records"
	// A complete count: no sampling, no noise.
	noiseExact noiseName = "exact"
)

// Exact is the Noise of results in which nothing is sampled.
const Exact = string(noiseExact)

// newNoiseModel chooses the model for sample type t of p.
func newNoiseModel(p *profile.Profile, t int) noiseModel {
	col := func(name string) int {
		for i, x := range p.SampleTypes {
			if x.Type == name {
				return i
			}
		}
		return -1
	}
	typ := p.SampleTypes[t]
	switch {
	case strings.HasSuffix(typ.Type, "_objects") || strings.HasSuffix(typ.Type, "_space") ||
		typ.Type == "objects" || typ.Type == "space":
		prefix := typ.Type[:len(typ.Type)-len(strings.TrimPrefix(typ.Type, heapPrefix(typ.Type)))]
		m := noiseModel{
			name: noiseHeap, count: col(prefix + "objects"), space: col(prefix + "space"),
			period: float64(p.Period),
		}
		if m.count < 0 || m.space < 0 {
			return noiseModel{name: noiseRecords, count: -1}
		}
		if p.PeriodType.Unit == "bytes" && p.Period == 1 {
			m.name = noiseExact
		}
		return m
	case typ.Type == "contentions" || typ.Type == "delay":
		return noiseModel{name: noiseContention, count: col("contentions")}
	case isSnapshot(typ.Type):
		return noiseModel{name: noiseExact, count: t}
	case col("samples") >= 0 && p.SampleTypes[col("samples")].Unit == "count":
		return noiseModel{name: noiseTicks, count: col("samples")}
	case typ == p.PeriodType && p.Period > 0:
		return noiseModel{name: noiseTicks, count: -1, period: float64(p.Period)}
	}
	return noiseModel{name: noiseRecords, count: -1}
}

func heapPrefix(typ string) string {
	for _, p := range []string{"alloc_", "inuse_"} {
		if strings.HasPrefix(typ, p) {
			return p
		}
	}
	return ""
}

// isSnapshot reports whether a sample type counts everything that exists at one moment.
func isSnapshot(typ string) bool {
	return typ == "goroutine" || typ == "goroutineleak" || typ == "threadcreate"
}

// events returns the number of sampling events behind the value of sample i.
func (m noiseModel) events(p *profile.Profile, i int, value int64) float64 {
	if value == 0 {
		return 0
	}
	k := 1.0
	switch {
	case m.name == noiseHeap:
		objects, space := math.Abs(float64(p.Value(i, m.count))), math.Abs(float64(p.Value(i, m.space)))
		k = objects
		if objects > 0 && m.period > 1 {
			// runtime/pprof divides what it saw by the probability of sampling an object of this
			// size, 1 - exp(-size/rate) (scaleHeapSample); undo it.
			k = math.Round(objects * -math.Expm1(-space/objects/m.period))
		}
	case m.count >= 0:
		k = math.Abs(float64(p.Value(i, m.count)))
	case m.period > 0:
		k = math.Abs(float64(value)) / m.period
	}
	return max(k, 1)
}

// variance returns the variance of a sample's value with k events behind it.
func (m noiseModel) variance(value int64, k float64) float64 {
	if m.name == noiseExact || k == 0 {
		return 0
	}
	return float64(value) * float64(value) / k
}

// A measured is a sum of values with its variance.
type measured struct {
	value    int64
	variance float64
}

func (m *measured) add(value int64, variance float64) {
	m.value += value
	m.variance += variance
}

// times scales a measurement.
func (m measured) times(s float64) measured {
	if s == 1 {
		return m
	}
	return measured{int64(math.Round(float64(m.value) * s)), m.variance * s * s}
}

// compare compares b with a.
func compare(a, b measured) Value {
	d := Value{Before: a.value, After: b.value, Change: b.value - a.value}
	if a.value != 0 {
		r := float64(d.Change) / math.Abs(float64(a.value))
		d.Relative = &r
	}
	variance := a.variance + b.variance
	noise := 2 * math.Sqrt(variance)
	d.Noise = int64(math.Round(noise))
	if variance > 0 {
		whole := math.Abs(float64(a.value)) + math.Abs(float64(b.value))
		d.WithinNoise = math.Abs(float64(d.Change)) <= noise || whole*whole/variance < minEvents
	} else {
		d.WithinNoise = d.Change == 0
	}
	return d
}
