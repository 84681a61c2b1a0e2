package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/profile/profiletest"
	"github.com/whet-go/whet/store"
)

// What measurements store: CPU profiles of this many samples, of this many services.
const (
	FleetServices = 20
	FleetSamples  = 250
)

// WriteFleet writes profiles of a fleet as pprof files into a directory, one a minute and service from
// Epoch on, and returns the number of their bytes. The services have a number of stacks together, which is an
// error if it is too small for the samples of a profile.
func WriteFleet(dir string, profiles, stacks int) (size int64, err error) {
	rnd := rand.New(rand.NewPCG(7, 7))
	for s := range FleetServices {
		pool := profiletest.Generate(profiletest.Options{
			Seed: uint64(s) + 1, Samples: stacks / FleetServices, Functions: 1500, Lines: 6000, MinDepth: 10, MaxDepth: 40,
			Leave: 0.2, Far: 0.1, Inlines: true,
		})
		d := profile.NewDictionary()
		ids := d.Add(pool)
		table := d.Table()
		if got := table.Counts().Stacks; got < FleetSamples {
			return 0, fmt.Errorf("a service has %d different stacks of %d; a profile has %d samples of different ones", got,
				stacks/FleetServices, FleetSamples)
		}
		for n := range profiles / FleetServices {
			samples := profile.Samples{Values: [][]int64{nil, nil}}
			seen := map[uint32]bool{}
			for len(seen) < FleetSamples {
				// Some stacks are hot.
				at := ids[int(float64(len(ids))*rnd.Float64()*rnd.Float64())]
				if seen[at] {
					continue
				}
				seen[at] = true
				v := 1 + int64(rnd.ExpFloat64()*4)
				samples.Stacks = append(samples.Stacks, at)
				samples.Values[0], samples.Values[1] = append(samples.Values[0], v), append(samples.Values[1], v*1e7)
			}
			meta := *pool
			meta.Time, meta.Duration = Epoch().Add(time.Duration(n)*time.Minute), 10*time.Second
			p, err := table.Profile(&meta, d.MainMapping(pool), samples)
			if err == nil {
				p, err = profile.Merge(p) // leaves out what it does not use
			}
			if err != nil {
				return 0, err
			}
			var b bytes.Buffer
			if err := p.Write(&b); err != nil {
				return 0, err
			}
			size += int64(b.Len())
			if err := os.WriteFile(fleetFile(dir, s, n), b.Bytes(), 0o600); err != nil {
				return 0, err
			}
		}
	}
	return size, nil
}

func fleetFile(dir string, service, n int) string {
	return filepath.Join(dir, fmt.Sprintf("service%02d-%05d.pb.gz", service, n))
}

// ReadFleet reads the profile number n of a service.
func ReadFleet(dir string, service, n int) (store.Profile, error) {
	data, err := profile.ReadFile(fleetFile(dir, service, n), profile.ReadOptions{})
	if err != nil {
		return store.Profile{}, err
	}
	return store.Profile{
		Service: fmt.Sprintf("service%02d", service), Kind: "cpu", Start: data.Time, Duration: data.Duration, Data: data,
		Labels: store.NewLabels(map[string]string{"host": fmt.Sprint("host", n%3), "version": fmt.Sprint("v", n/100)}),
	}, nil
}

// Fill reads and stores a fleet by a number of clients at once, each in batches of a number of
// profiles of one service.
func Fill(ctx context.Context, s store.Writer, dir string, profiles, clients, batch int) error {
	type span struct{ service, from, to int }
	work := make(chan span)
	errs := make([]error, clients)
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			for w := range work {
				var ps []store.Profile
				for n := w.from; n < w.to; n++ {
					p, err := ReadFleet(dir, w.service, n)
					errs[c] = errors.Join(errs[c], err)
					ps = append(ps, p)
				}
				if errs[c] == nil {
					errs[c] = s.Write(ctx, "", ps)
				}
			}
		})
	}
	for n := 0; n < profiles/FleetServices; n += batch {
		for service := range FleetServices {
			work <- span{service, n, min(n+batch, profiles/FleetServices)}
		}
	}
	close(work)
	all.Wait()
	return errors.Join(errs...)
}

// MedianCalls is how often MedianOf calls.
const MedianCalls = 8

// MedianOf returns the median time of seven calls, after one that is not counted.
func MedianOf(tb testing.TB, call func() error) time.Duration {
	tb.Helper()
	var times []time.Duration
	for i := range MedianCalls {
		start := time.Now()
		if err := call(); err != nil {
			tb.Fatal(err)
		}
		if i > 0 {
			times = append(times, time.Since(start))
		}
	}
	slices.Sort(times)
	return times[len(times)/2]
}
