package clickhouse_test

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/procfs"
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

// cost is what something takes: time, and CPU time of this process and of ClickHouse.
type cost struct{ time, whet, server time.Duration }

// figures are what is measured of a store.
type figures struct {
	name                       string
	profiles                   int
	parsed, ready              float64 // samples per second, with and without parsing; ready 0: not measured
	profile                    cost    // of one that is parsed and stored
	disk, symbols              int64
	cold, oneService, all, top cost
}

// batch is how many profiles a client stores at once.
const batch = 100

// A place is where stores are opened.
type place struct {
	name string
	open func(database string) storetest.Maintained
	cpu  func() (time.Duration, error) // of the servers
}

// took returns what work takes for each of n things.
func (p place) took(b *testing.B, n int, work func() error) cost {
	b.Helper()
	used := func() (whet, server time.Duration) {
		whet, err := procfs.CPU(os.Getpid())
		if err == nil {
			server, err = p.cpu()
		}
		if err != nil {
			b.Fatal(err)
		}
		return whet, server
	}
	whet, server := used()
	start := time.Now()
	if err := work(); err != nil {
		b.Fatal(err)
	}
	c := cost{time: time.Since(start)}
	w, s := used()
	c.whet, c.server = w-whet, s-server
	return cost{c.time / time.Duration(n), c.whet / time.Duration(n), c.server / time.Duration(n)}
}

// asked returns the median time of a query, and its mean CPU time, after one that is not counted.
func (p place) asked(b *testing.B, query func() error) cost {
	b.Helper()
	if err := query(); err != nil {
		b.Fatal(err)
	}
	var median time.Duration
	c := p.took(b, storetest.MedianCalls, func() error {
		median = storetest.MedianOf(b, query)
		return nil
	})
	c.time = median
	return c
}

// measure fills a store, and another one with profiles that are in memory unless ready is false, and
// queries the first.
func measure(b *testing.B, p place, dir string, profiles int, ready bool) figures {
	b.Helper()
	ctx := b.Context()
	f := figures{name: p.name, profiles: profiles}
	s := p.open(fmt.Sprint("filled", profiles))
	f.profile = p.took(b, profiles, func() error { return storetest.Fill(ctx, s, dir, profiles, 4, batch) })
	f.parsed = storetest.FleetSamples / f.profile.time.Seconds()
	if ready {
		f.ready = ingest(b, p.open("ready"), dir, min(profiles, 2000))
	}
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
	s = p.open(fmt.Sprint("filled", profiles))
	half := storetest.Epoch().Add(time.Duration(profiles/storetest.FleetServices/2) * time.Minute)
	one := store.Query{Kind: "cpu", Matchers: storetest.Matchers(b, "service=service03"), From: half}
	merge := func(q store.Query) func() error {
		return func() error {
			_, _, err := s.Merge(ctx, q)
			return err
		}
	}
	f.cold = p.took(b, 1, merge(one))
	f.oneService = p.asked(b, merge(one))
	f.all = p.asked(b, merge(store.Query{Kind: "cpu", From: half}))
	f.top = p.asked(b, func() error {
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

// BenchmarkStore measures ClickHouse, one server and two shards, next to store/local in the same run, and
// two shards again with ten times as many profiles and stacks, and writes the page.
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
		base := b.TempDir()
		directory := place{"a directory", func(name string) storetest.Maintained {
			s, err := local.Open(base+"/"+name, local.Options{Create: true})
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = s.Close() }) // what was acknowledged is stored
			return s
		}, func() (time.Duration, error) { return 0, nil }}
		on := func(name string, o clickhousetest.Options) place {
			servers := clickhousetest.ForTest(b, o)
			return place{"ClickHouse, " + name, func(name string) storetest.Maintained {
				return open(b, servers, name, clickhouse.Options{Now: now})
			}, servers.CPU}
		}
		dir := b.TempDir()
		gzipped, err := storetest.WriteFleet(dir, profiles, 25*profiles)
		if err != nil {
			b.Fatal(err)
		}
		all := []figures{
			measure(b, directory, dir, profiles, true),
			measure(b, on("one server", clickhousetest.Options{}), dir, profiles, true),
		}
		shards := on("two shards", clickhousetest.Options{Shards: 2})
		all = append(all, measure(b, shards, dir, profiles, true))
		dir = b.TempDir()
		if _, err := storetest.WriteFleet(dir, 10*profiles, 250*profiles); err != nil {
			b.Fatal(err)
		}
		tenfold := []figures{
			measure(b, directory, dir, 10*profiles, false), measure(b, shards, dir, 10*profiles, false),
		}
		for _, f := range append(all, tenfold...) {
			b.Logf("%+v", f)
		}
		text := pageOf(all, tenfold, profiles, gzipped) + projection(tenfold[1])
		if err := os.WriteFile(page, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
}

// Goals of two shards: samples a second, and how many times as long as in a directory a query may take.
const (
	goalRate  = 0.3e6
	goalTimes = 3
)

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1e3) }

// pageOf returns the page: figures of a directory, one server and two shards, then of a directory and two
// shards with ten times as many profiles.
func pageOf(all, tenfold []figures, profiles int, gzipped int64) string {
	var w strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&w, format+"\n", args...) }
	say("# The store on ClickHouse, measured\n")
	say("Written by `make bench-store`. The profiles are those of [store.md](store.md): %d CPU", profiles)
	say("profiles of %d samples, of %d services with %d stacks together; as gzipped pprof files", storetest.FleetSamples,
		storetest.FleetServices, 25*profiles)
	say("they take %.1f MB; and ten times as many of both. whet, the servers and the directory were", float64(gzipped)/1e6)
	say("on one machine, %s/%s with %d CPUs: two shards share them. Four clients stored batches of", runtime.GOOS,
		runtime.GOARCH, runtime.GOMAXPROCS(0))
	say("%d profiles. Times are medians of seven. Below them is the CPU time of the process of whet and", batch)
	say("of ClickHouse, whose merges in the background are in it. The goal of two shards is %.1f million", goalRate/1e6)
	say("samples a second, and that a query takes at most %d times as long as in a directory.\n", goalTimes)
	columns := append(slices.Clone(all), tenfold...)
	header, rule := "| | goal |", "|---|---|"
	for i, f := range columns {
		if header += " " + f.name; i >= len(all) {
			header += ", tenfold"
		}
		header, rule = header+" |", rule+"---|"
	}
	say("%s\n%s", header, rule)
	row := func(what, goal string, of func(figures) string) {
		line := "| " + what + " | " + goal + " |"
		for _, f := range columns {
			line += " " + of(f) + " |"
		}
		say("%s", line)
	}
	var missed []string
	check := func(met bool, format string, args ...any) {
		if !met {
			missed = append(missed, fmt.Sprintf(format, args...))
		}
	}
	rates := func(what string, of func(figures) float64) {
		row(what, fmt.Sprintf("%.1f M/s", goalRate/1e6), func(f figures) string {
			if of(f) == 0 {
				return "-"
			}
			return fmt.Sprintf("%.2f M/s", of(f)/1e6)
		})
	}
	rates("samples stored, parsing included", func(f figures) float64 { return f.parsed })
	row("CPU time of a profile of them: whet, ClickHouse", "", func(f figures) string {
		return ms(f.profile.whet) + ", " + ms(f.profile.server)
	})
	rates("samples stored, of parsed profiles", func(f figures) float64 { return f.ready })
	check(all[2].ready >= goalRate, "%.2f million parsed samples a second were stored", all[2].ready/1e6)
	row("on the disk, of which symbols", "", func(f figures) string {
		return fmt.Sprintf("%.1f MB, %.1f MB", float64(f.disk)/1e6, float64(f.symbols)/1e6)
	})
	for _, q := range []struct {
		what string
		of   func(figures) cost
	}{
		{"merge one service, half of the time, just opened", func(f figures) cost { return f.cold }},
		{"merge one service, half of the time, again", func(f figures) cost { return f.oneService }},
		{"merge all services, half of the time", func(f figures) cost { return f.all }},
		{"the 50 top functions of everything", func(f figures) cost { return f.top }},
	} {
		row(q.what, fmt.Sprintf("%d times a directory", goalTimes), func(f figures) string { return ms(q.of(f).time) })
		row("its CPU time: whet, ClickHouse", "", func(f figures) string {
			return ms(q.of(f).whet) + ", " + ms(q.of(f).server)
		})
		for i, pair := range [][2]figures{{all[0], all[2]}, {tenfold[0], tenfold[1]}} {
			times := q.of(pair[1]).time.Seconds() / q.of(pair[0]).time.Seconds()
			check(times <= goalTimes, "%s%s takes %.1f times as long", q.what, []string{"", ", tenfold,"}[i], times)
		}
	}
	say("")
	if len(missed) == 0 {
		say("Two shards meet all goals.")
		return w.String()
	}
	say("Two shards miss %d goals:\n", len(missed))
	for _, m := range missed {
		say("- %s", m)
	}
	cpu := all[2].profile.whet + all[2].profile.server
	say("\nWith parsing, whet and ClickHouse together need %s of CPU time for a profile, so that %d CPUs", ms(cpu),
		runtime.GOMAXPROCS(0))
	most := float64(runtime.GOMAXPROCS(0)) * storetest.FleetSamples / cpu.Seconds()
	say("can store at most %.2f million samples a second.", most/1e6)
	return w.String()
}

// projection returns what follows from figures for many targets.
func projection(f figures) string {
	const (
		targets    = 10_000
		perSecond  = targets / 60.0
		perDay     = perSecond * 86400
		coreHour   = 0.04 // dollars
		gigabyte   = 0.08 // dollars a month
		kept       = 30   // days
		monthsDays = 30
	)
	bytes := float64(f.disk-f.symbols) / float64(f.profiles)
	disk := bytes * perDay / 1e9 * kept
	whet, server := perSecond*f.profile.whet.Seconds(), perSecond*f.profile.server.Seconds()
	var w strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&w, format+"\n", args...) }
	say("\n## 10 000 targets, a CPU profile a minute\n")
	say("What follows from the figures of two shards and ten times as many profiles, without queries, for")
	say("one copy of everything. **Assumed prices**: $%.2f for an hour of a core, $%.2f for a GB and", coreHour,
		gigabyte)
	say("month of disk.\n")
	say("| | |\n|---|---|")
	say("| profiles | %.0f a second, %.1f million a day |", perSecond, perDay/1e6)
	say("| disk | %.1f kB a profile: %.0f GB a day, %.0f GB for %d days |", bytes/1e3, bytes*perDay/1e9, disk, kept)
	say("| symbols | %.0f bytes a stack, once for each version of a service |", float64(f.symbols)/float64(25*f.profiles))
	say("| cores that parse, hash and send | %.1f |", whet)
	say("| cores of ClickHouse | %.1f |", server)
	say("| cost of the cores a day | $%.2f |", (whet+server)*24*coreHour)
	say("| cost of the disk a day | $%.2f |", disk*gigabyte/monthsDays)
	return w.String()
}
