package requests

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestBuckets checks that buckets are in the order of latencies, and that the latencies of one
// bucket are close.
func TestBuckets(t *testing.T) {
	t.Parallel()
	least := map[uint16]time.Duration{}
	last := uint16(0)
	for d := time.Duration(0); d < 365*24*time.Hour; d += 1 + d/1000 {
		b := bucketOf(d)
		if b < last {
			t.Fatalf("%v is in bucket %d, after %d", d, b, last)
		}
		last = b
		if _, ok := least[b]; !ok {
			least[b] = d
		}
		if width := d - least[b]; width > least[b]/64 {
			t.Fatalf("%v and %v are in one bucket", least[b], d)
		}
	}
	if len(least) > 4000 {
		t.Errorf("%d buckets", len(least))
	}
}

// TestGroup compares a class with results computed from all of its requests.
func TestGroup(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, 3, 99, 100, 101, 20_000} {
		cs := classes{all: map[string]*group{}, slowest: 7}
		all := make([]Request, n)
		for i := range all {
			r := &all[i]
			latency := int64(random.ExpFloat64() * float64(time.Millisecond))
			r.From = random.Int64N(1e9)
			r.To = r.From + latency
			r.Times[Running] = time.Duration(latency / 4)
			r.Times[Lock] = time.Duration(latency - latency/4)
			cs.add("a", false, r)
		}
		slices.SortFunc(all, func(a, b Request) int { return slower(&b, &a) })
		c := cs.sorted()[0]
		near := func(what string, got, want time.Duration) {
			if diff := (got - want).Abs(); diff > want/50+time.Microsecond {
				t.Errorf("of %d, %s is %v, want %v", n, what, got, want)
			}
		}
		at := func(q float64) time.Duration { return all[min(int(q*float64(n)), n-1)].Latency() }
		near("p50", c.P50, at(0.5))
		near("p90", c.P90, at(0.9))
		near("p99", c.P99, at(0.99))
		mean := func(list []Request) (times Times) {
			for _, r := range list {
				for cause, d := range r.Times {
					times[cause] += d
				}
			}
			for cause := range times {
				times[cause] /= time.Duration(len(list))
			}
			return times
		}
		middle, slow := mean(all[n*4/10:max(n*6/10, n*4/10+1)]), mean(all[min(n*99/100, n-1):])
		for _, cause := range []Cause{Running, Lock} {
			near("middle "+cause.String(), c.Middle[cause], middle[cause])
			near("slow "+cause.String(), c.Slow[cause], slow[cause])
		}
		if c.Count != n || c.Max != all[n-1].Latency() || len(c.Slowest) != min(n, 7) {
			t.Errorf("of %d: %d, the slowest %v, %d kept", n, c.Count, c.Max, len(c.Slowest))
		}
		for i, r := range c.Slowest {
			if r.Latency() != all[n-1-i].Latency() {
				t.Errorf("of %d, the slowest but %d is %v, want %v", n, i, r.Latency(), all[n-1-i].Latency())
			}
		}
	}
}

// TestManyClasses bounds classes.
func TestManyClasses(t *testing.T) {
	t.Parallel()
	cs := classes{all: map[string]*group{}, slowest: 1}
	for i := range 3 * maxClasses {
		cs.add(fmt.Sprint(i), false, &Request{To: 1})
	}
	list := cs.sorted()
	total := 0
	for _, c := range list {
		total += c.Count
	}
	if len(list) != maxClasses || total != 3*maxClasses || list[0].Name != others {
		t.Errorf("%d classes of %d requests, the first %q", len(list), total, list[0].Name)
	}
}
