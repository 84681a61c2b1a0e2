package judgment

import (
	"math"
	"slices"
	"strings"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/gotest"
)

// mostHidden is the ratio of time that noise may hide where another figure of the same work is within [SameWithin]:
// the CPU time of the benchmark, or the time of the benchmark that does least besides.
const mostHidden = 1.25

// A noiseLevel is how much noise may hide in the time of a benchmark.
type noiseLevel int

const (
	quiet noiseLevel = iota // at most SameWithin
	loose                   // at most mostHidden
	loud
)

// noises collects how much noise may hide in each benchmark that counts.
type noises struct {
	most     noiseLevel
	shortest float64 // the time of an iteration of the benchmark with the shortest one, and its level
	level    noiseLevel
	known    bool // there is one
}

// add adds a benchmark.
func (n *noises) add(s *ab.SubjectResult) {
	level := levelOf(s)
	n.most = max(n.most, level)
	if len(s.Units) == 0 || !strings.Contains(s.Units[0].Unit, "sec/op") {
		return
	}
	if took := float64(s.Units[0].A.Median); took > 0 && (!n.known || took < n.shortest) {
		n.known, n.shortest, n.level = true, took, level
	}
}

// wide reports whether noise may hide too much for the same speed. The benchmark whose iteration is the shortest does
// the least besides what changed, so a loss shows most there: if that one is quiet, the others may be loose.
func (n *noises) wide() bool {
	return n.most == loud || n.most == loose && !(n.known && n.level == quiet)
}

// levelOf returns how much noise may hide in the undecided figures of a benchmark.
func levelOf(s *ab.SubjectResult) (level noiseLevel) {
	for i := range s.Units {
		u := &s.Units[i]
		switch {
		case u.Verdict != ab.Undecided || isSecond(s, i) || !isWide(u):
		case isTime(u) && hidesAtMost(u, mostHidden):
			level = max(level, loose)
		default:
			return loud
		}
	}
	if level == loose && knowsCPU(s) {
		return quiet
	}
	return level
}

// leastOfTime is the share of the least time of a benchmark's rounds that its CPU time must be to stand for it: CPU
// time does not show waiting. A garbage collector that uses more CPUs than one takes more CPU time, and less time.
const leastOfTime = 0.5

// knowsCPU reports whether noise hides little in the CPU time of a benchmark that does not wait.
func knowsCPU(s *ab.SubjectResult) bool {
	i := slices.IndexFunc(s.Units, func(u ab.Unit) bool { return u.Unit == gotest.CPUTime })
	if i < 0 || s.Units[i].Verdict == ab.Undecided && isWide(&s.Units[i]) {
		return false
	}
	first := &s.Units[0]
	if first.Unit != "sec/op" {
		return true
	}
	for side, times := range first.Rounds {
		cpu := [2]ab.Summary{s.Units[i].A, s.Units[i].B}[side].Median
		if len(times) > 0 && float64(cpu) < leastOfTime*slices.Min(times) {
			return false
		}
	}
	return true
}

// hidesAtMost reports whether a unit's interval contains no difference, and none of more than a ratio.
func hidesAtMost(u *ab.Unit, ratio float64) bool {
	low, high := float64(u.Low), float64(u.High)
	return low <= 1 && high >= 1 && low >= 1/ratio && high <= ratio && !math.IsNaN(low+high)
}

// isSecond reports whether an undecided unit counts less than another one of its benchmark: what disturbs the mean and
// CPU time comes from other processes, and affects sec/op less. CPU time that was measured while both sides shared a
// CPU is disturbed least of all, and counts more than a time that differs little.
func isSecond(s *ab.SubjectResult, i int) bool {
	u := &s.Units[i]
	switch {
	case u.Unit == gotest.MeanTime:
		return true
	case i == 0:
		shared := slices.ContainsFunc(s.Units[1:], func(o ab.Unit) bool { return o.Shared })
		return shared && isTime(u) && hidesAtMost(u, mostHidden) && knowsCPU(s)
	}
	return u.Unit == gotest.CPUTime && !u.Shared && u.Low <= 1 && u.High <= mostCPU
}
