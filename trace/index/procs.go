package index

import (
	"golang.org/x/exp/trace"
)

// procs adds up how long each processor runs goroutines.
type procs struct {
	since []int64 // when the goroutine on it began to run, -1 when there is none
	time  []int64 // in this slice
}

// maxProcs bounds the processors: no machine has as many.
const maxProcs = 1 << 12

func (p *procs) at(proc trace.ProcID) bool {
	if proc < 0 || proc >= maxProcs {
		return false
	}
	for len(p.since) <= int(proc) {
		p.since, p.time = append(p.since, -1), append(p.time, 0)
	}
	return true
}

// run notes that a processor begins to run a goroutine, or goes on with one.
func (p *procs) run(proc trace.ProcID, now int64) {
	if p.at(proc) && p.since[proc] < 0 {
		p.since[proc] = now
	}
}

// stop notes that a processor does not run its goroutine any more.
func (p *procs) stop(proc trace.ProcID, now int64) {
	if p.at(proc) && p.since[proc] >= 0 {
		p.time[proc] += now - p.since[proc]
		p.since[proc] = -1
	}
}

// take returns the times of a slice that ends now.
func (p *procs) take(from, now int64) []int64 {
	times := make([]int64, len(p.time))
	for i, since := range p.since {
		if since >= 0 {
			p.time[i] += now - since
			p.since[i] = now
		}
		times[i], p.time[i] = min(p.time[i], max(now-from, 0)), 0
	}
	return times
}
