package clickhouse_test

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/clickhouse"
	"github.com/whet-go/whet/store/clickhouse/clickhousetest"
	"github.com/whet-go/whet/store/local"
	"github.com/whet-go/whet/store/storetest"
)

// Variables of BenchmarkStore: the page that it writes, and the number of profiles.
const (
	pageVariable = "WHET_STORE_CLICKHOUSE_PAGE"
	sizeVariable = "WHET_STORE_PROFILES"
)

// figures are what is measured of a store.
type figures struct {
	name                       string
	parsed, ready              float64 // samples per second, with and without parsing
	disk, symbols              int64
	cold, oneService, all, top time.Duration
}

// batch is how many profiles a client stores at once.
const batch = 100

// measure fills a store, and another one with profiles that are in memory, and queries the first.
func measure(b *testing.B, name, dir string, profiles int, open func(database string) storetest.Maintained) figures {
	b.Helper()
	ctx := b.Context()
	f := figures{name: name}
	s := open("filled")
	start := time.Now()
	if err := storetest.Fill(ctx, s, dir, profiles, 4, batch); err != nil {
		b.Fatal(err)
	}
	f.parsed = float64(profiles*storetest.FleetSamples) / time.Since(start).Seconds()
	f.ready = ingest(b, open("ready"), dir, min(profiles, 2000))
	stats, err := s.Stats(ctx)
	if err != nil {
		b.Fatal(err)
	}
	f.disk = stats.Bytes
	for _, x := range stats.Services {
		f.symbols += x.Symbols
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	s = open("filled")
	half := storetest.Epoch().Add(time.Duration(profiles/storetest.FleetServices/2) * time.Minute)
	one := store.Query{Kind: "cpu", Matchers: storetest.Matchers(b, "service=service03"), From: half}
	merge := func(q store.Query) func() error {
		return func() error {
			_, _, err := s.Merge(ctx, q)
			return err
		}
	}
	start = time.Now()
	if err := merge(one)(); err != nil {
		b.Fatal(err)
	}
	f.cold = time.Since(start)
	f.oneService = storetest.MedianOf(b, merge(one))
	f.all = storetest.MedianOf(b, merge(store.Query{Kind: "cpu", From: half}))
	f.top = storetest.MedianOf(b, func() error {
		p, _, err := s.Merge(ctx, store.Query{Kind: "cpu"})
		if err != nil {
			return err
		}
		v, err := p.View(profile.Query{Type: 1})
		if err == nil && len(v.Nodes(false)[:50]) != 50 {
			err = errors.New("not 50 functions")
		}
		return err
	})
	return f
}

// ingest returns how many samples a second are stored by four clients, of profiles in memory.
func ingest(b *testing.B, s store.Writer, dir string, profiles int) float64 {
	b.Helper()
	var batches [][]store.Profile
	for service := range storetest.FleetServices {
		var ps []store.Profile
		for n := range profiles / storetest.FleetServices {
			p, err := storetest.ReadFleet(dir, service, n)
			if err != nil {
				b.Fatal(err)
			}
			ps = append(ps, p)
		}
		batches = append(batches, ps)
	}
	start := time.Now()
	work := make(chan []store.Profile)
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			for ps := range work {
				if err := s.Write(b.Context(), "", ps); err != nil {
					b.Error(err)
				}
			}
		})
	}
	for _, ps := range batches {
		work <- ps
	}
	close(work)
	clients.Wait()
	return float64(profiles*storetest.FleetSamples) / time.Since(start).Seconds()
}

// BenchmarkStore measures ClickHouse, one server and two shards, next to store/local in the same run,
// and writes the page.
func BenchmarkStore(b *testing.B) {
	page := os.Getenv(pageVariable)
	if page == "" {
		b.Skip(pageVariable + " is not set: make bench-store measures for some minutes")
	}
	profiles := 4000
	if text := os.Getenv(sizeVariable); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			b.Fatal(err)
		}
		profiles = n
	}
	// Profiles of this week: the symbols of older ones would be stored again with each batch.
	now := func() time.Time { return storetest.Epoch().Add(24 * time.Hour) }
	for b.Loop() {
		dir := b.TempDir()
		gzipped, err := storetest.WriteFleet(dir, profiles, 25*profiles)
		if err != nil {
			b.Fatal(err)
		}
		base := b.TempDir()
		all := []figures{measure(b, "a directory", dir, profiles, func(name string) storetest.Maintained {
			s, err := local.Open(base+"/"+name, local.Options{Create: true})
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = s.Close() }) // what was acknowledged is stored
			return s
		})}
		for _, o := range []struct {
			name string
			clickhousetest.Options
		}{{"one server", clickhousetest.Options{}}, {"two shards", clickhousetest.Options{Shards: 2}}} {
			servers := clickhousetest.ForTest(b, o.Options)
			all = append(all, measure(b, "ClickHouse, "+o.name, dir, profiles, func(name string) storetest.Maintained {
				return open(b, servers, name, clickhouse.Options{Now: now})
			}))
		}
		for _, f := range all {
			b.Logf("%+v", f)
		}
		if err := os.WriteFile(page, []byte(pageOf(all, profiles, gzipped)), 0o600); err != nil {
			b.Fatal(err)
		}
	}
}

func pageOf(all []figures, profiles int, gzipped int64) string {
	var w strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&w, format+"\n", args...) }
	say("# The store on ClickHouse, measured\n")
	say("Written by `make bench-store`. The profiles are those of [store.md](store.md): %d CPU", profiles)
	say("profiles of %d samples, of %d services with %d stacks together; as gzipped pprof files", storetest.FleetSamples,
		storetest.FleetServices, 25*profiles)
	say("they take %.1f MB. whet, the servers and the directory were on one machine, %s/%s with %d", float64(gzipped)/1e6,
		runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0))
	say("CPUs: two shards share them. Four clients stored batches of %d profiles. Times are medians", batch)
	say("of seven.\n")
	header, rule := "| |", "|---|"
	for _, f := range all {
		header, rule = header+" "+f.name+" |", rule+"---|"
	}
	say("%s\n%s", header, rule)
	row := func(what string, of func(figures) string) {
		line := "| " + what + " |"
		for _, f := range all {
			line += " " + of(f) + " |"
		}
		say("%s", line)
	}
	ms := func(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1e3) }
	rate := func(n float64) string { return fmt.Sprintf("%.2f M/s", n/1e6) }
	row("samples stored, parsing included", func(f figures) string { return rate(f.parsed) })
	row("samples stored, of parsed profiles", func(f figures) string { return rate(f.ready) })
	row("on the disk, of which symbols", func(f figures) string {
		return fmt.Sprintf("%.1f MB, %.1f MB", float64(f.disk)/1e6, float64(f.symbols)/1e6)
	})
	row("merge one service, half of the time, just opened", func(f figures) string { return ms(f.cold) })
	row("the same again", func(f figures) string { return ms(f.oneService) })
	row("merge all services, half of the time", func(f figures) string { return ms(f.all) })
	row("the 50 top functions of everything", func(f figures) string { return ms(f.top) })
	return w.String()
}
