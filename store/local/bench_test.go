package local

import (
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/procfs"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/storetest"
)

// The store that is measured: as many profiles, of services that have this many stacks together.
const (
	benchServices = storetest.FleetServices
	benchSamples  = storetest.FleetSamples
	benchProfiles = 4000
	benchStacks   = 100_000
)

// peakMemory returns the largest resident size of this process so far, 0 if unknown.
func peakMemory() int64 {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(data), "VmHWM:")
	kb, _ := strconv.ParseInt(strings.Fields(rest + " 0")[0], 10, 64)
	return kb << 10
}

// cpuTime returns the CPU time of this process so far, 0 if unknown.
func cpuTime() time.Duration {
	used, err := procfs.CPU(os.Getpid())
	if err != nil {
		return 0
	}
	return used
}

// figures are what is measured of a store.
type figures struct {
	profiles, stacks           int
	gzipped, disk              int64
	one, eight                 float64       // profiles per second, by clients
	cpu                        time.Duration // of a profile, with 8 clients; 0 if unknown
	oneService, all, top, cold time.Duration
	memory                     int64
}

func measure(b *testing.B, profiles, stacks int) figures {
	b.Helper()
	ctx := b.Context()
	f := figures{profiles: profiles, stacks: stacks}
	dir := b.TempDir()
	var err error
	if f.gzipped, err = storetest.WriteFleet(dir, profiles, stacks); err != nil {
		b.Fatal(err)
	}
	// The peak is not that of generating the profiles.
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // not on every system
	// A part for one client, whose batches wait for the disk one after the other.
	const part = 600
	alone := openTest(b, b.TempDir(), Options{})
	start := time.Now()
	if err := storetest.Fill(ctx, alone, dir, part, 1, 1); err != nil {
		b.Fatal(err)
	}
	f.one = part / time.Since(start).Seconds()
	if err := alone.Close(); err != nil {
		b.Fatal(err)
	}
	place := b.TempDir()
	s := openTest(b, place, Options{})
	start = time.Now()
	used := cpuTime()
	if err := storetest.Fill(ctx, s, dir, profiles, 8, 1); err != nil {
		b.Fatal(err)
	}
	f.eight = float64(profiles) / time.Since(start).Seconds()
	f.cpu = (cpuTime() - used) / time.Duration(profiles)
	if err := s.Compact(ctx); err != nil {
		b.Fatal(err)
	}
	entries, err := os.ReadDir(place)
	if err != nil {
		b.Fatal(err)
	}
	for _, e := range entries {
		if fi, err := e.Info(); err == nil {
			f.disk += fi.Size()
		}
	}
	half := storetest.Epoch().Add(time.Duration(profiles/benchServices/2) * time.Minute)
	one := store.Query{Kind: "cpu", Matchers: storetest.Matchers(b, "service=service03"), From: half}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	s = openTest(b, place, Options{})
	start = time.Now()
	if _, _, err := s.Merge(ctx, one); err != nil {
		b.Fatal(err)
	}
	f.cold = time.Since(start)
	f.oneService = storetest.MedianOf(b, func() error { _, _, err := s.Merge(ctx, one); return err })
	every := store.Query{Kind: "cpu", From: half}
	f.all = storetest.MedianOf(b, func() error { _, _, err := s.Merge(ctx, every); return err })
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
	f.memory = peakMemory()
	if f.gzipped == 0 || f.disk == 0 {
		b.Fatal("nothing was stored")
	}
	return f
}

// baselines measures the pprof files themselves, and a table with a row per sample.
func baselines(b *testing.B, profiles, stacks int) (files, rows time.Duration, disk int64, perSecond float64) {
	b.Helper()
	dir := b.TempDir()
	if _, err := storetest.WriteFleet(dir, profiles, stacks); err != nil {
		b.Fatal(err)
	}
	files = storetest.MedianOf(b, func() error {
		var ps []*profile.Profile
		for n := profiles / benchServices / 2; n < profiles/benchServices; n++ {
			p, err := storetest.ReadFleet(dir, 3, n)
			if err != nil {
				return err
			}
			ps = append(ps, p.Data)
		}
		_, err := profile.Merge(ps...)
		return err
	})
	path := filepath.Join(b.TempDir(), "rows.db")
	db, err := open(path, "synchronous(FULL)")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	rnd := rand.New(rand.NewPCG(1, 1))
	exec := func(text string) {
		if _, err := db.Exec(text); err != nil {
			b.Fatal(err)
		}
	}
	exec("CREATE TABLE sample(service INTEGER, start INTEGER, stack INTEGER, samples INTEGER, cpu INTEGER)")
	exec("CREATE INDEX by_time ON sample(service, start)")
	start := time.Now()
	for n := range profiles / benchServices {
		if err := insertRows(db, n, stacks, rnd); err != nil {
			b.Fatal(err)
		}
	}
	perSecond = float64(profiles) / time.Since(start).Seconds()
	rows = storetest.MedianOf(b, func() error {
		r, err := db.Query("SELECT stack, sum(samples), sum(cpu) FROM sample WHERE service=3 AND start>=? GROUP BY stack",
			profiles/benchServices/2)
		if err != nil {
			return err
		}
		defer func() { _ = r.Close() }()
		for r.Next() {
			var stack, samples, cpu int64
			if err := r.Scan(&stack, &samples, &cpu); err != nil {
				return err
			}
		}
		return r.Err()
	})
	exec("PRAGMA wal_checkpoint(TRUNCATE)")
	fi, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	return files, rows, fi.Size(), perSecond
}

func insertRows(db *sql.DB, n, stacks int, rnd *rand.Rand) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	insert, err := tx.Prepare("INSERT INTO sample VALUES(?,?,?,?,?)")
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	per := stacks / benchServices
	for service := range benchServices {
		for range benchSamples {
			v := 1 + rnd.IntN(5)
			_, err := insert.Exec(service, n, service*per+int(float64(per)*rnd.Float64()*rnd.Float64()), v, v*10_000_000)
			if err != nil {
				return errors.Join(err, tx.Rollback())
			}
		}
	}
	return tx.Commit()
}

// BenchmarkWrite parses and stores a profile, in turn of all services.
func BenchmarkWrite(b *testing.B) {
	const profiles = 400
	dir := b.TempDir()
	if _, err := storetest.WriteFleet(dir, profiles, benchStacks); err != nil {
		b.Fatal(err)
	}
	for _, clients := range []int{1, 8} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
			b.ReportAllocs()
			used := cpuTime()
			for b.Loop() {
				s := openTest(b, b.TempDir(), Options{})
				if err := storetest.Fill(b.Context(), s, dir, profiles, clients, 1); err != nil {
					b.Fatal(err)
				}
				if err := s.Close(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(profiles*b.N)/b.Elapsed().Seconds(), "profiles/s")
			b.ReportMetric((cpuTime()-used).Seconds()*1e3/float64(profiles*b.N), "cpu-ms/profile")
		})
	}
}

// pageVariable names the page that BenchmarkStore writes.
const pageVariable = "WHET_STORE_PAGE"

// Goals of the store, and how many times as long a query of ten times as many profiles may take.
const (
	goalRate    = 300 // profiles a second
	goalService = 15 * time.Millisecond
	goalAll     = 150 * time.Millisecond
	goalTop     = 250 * time.Millisecond
	goalMemory  = 300_000_000
	goalTimes   = 6
)

// TestPage lists the goals that figures miss, also those of ten times as many profiles.
func TestPage(t *testing.T) {
	f := figures{
		profiles: benchProfiles, stacks: benchStacks, gzipped: 1e8, disk: 1e7, eight: 300, memory: 299e6,
		oneService: 14 * time.Millisecond, all: 149 * time.Millisecond, top: 249 * time.Millisecond,
	}
	if met := f.page(f, 0, 0, 0, 0); !strings.Contains(met, "\nAll goals are met.\n") || strings.Contains(met, "Missed") {
		t.Error(met)
	}
	big := f
	big.disk, big.eight, big.memory = 1e7+1, 1, 300e6
	big.oneService, big.all, big.top = 90*time.Millisecond, 899*time.Millisecond, 1501*time.Millisecond
	f.eight, f.oneService = 299, 15*time.Millisecond
	page := f.page(big, 0, 0, 0, 0)
	for _, want := range []string{
		"| merge one service, half of the time | 15 ms | 15.0 ms | 90 ms | 90.0 ms |\n",
		"| merge all services, half of the time | 150 ms | 149.0 ms | 900 ms | 899.0 ms |\n",
		"| parsed, hashed and stored, 8 clients | 300/s | 299/s |  | 1/s |\n",
		`
Missed goals: 6 of 11.

- parsed, hashed and stored, 8 clients: 299/s (goal 300/s)
- the store, tenfold: 10.0 MB: 1/10 (goal a tenth of them)
- merge one service, half of the time: 15.0 ms (goal 15 ms)
- merge one service, half of the time, tenfold: 90.0 ms (goal 90 ms)
- the 50 top functions of everything, tenfold: 1501.0 ms (goal 1500 ms)
- peak memory of the process, tenfold: 300.0 MB (goal 300.0 MB)

Baselines,`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
}

// BenchmarkStore measures the store, next to baselines, and ten times as large, and writes the page.
func BenchmarkStore(b *testing.B) {
	page := os.Getenv(pageVariable)
	if page == "" {
		b.Skip(pageVariable + " is not set: make bench-store measures for some minutes")
	}
	for b.Loop() {
		f := measure(b, benchProfiles, benchStacks)
		b.Logf("%+v", f)
		big := measure(b, 10*benchProfiles, 10*benchStacks)
		b.Logf("%+v", big)
		files, rows, disk, perSecond := baselines(b, benchProfiles, benchStacks)
		if err := os.WriteFile(page, []byte(f.page(big, files, rows, disk, perSecond)), 0o600); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(f.eight, "profiles/s")
		b.ReportMetric(float64(f.disk), "bytes")
	}
}

func (f figures) page(big figures, files, rows time.Duration, rowsDisk int64, rowsPerSecond float64) string {
	mb := func(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
	ms := func(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1e3) }
	var w strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&w, format+"\n", args...) }
	say("# The store, measured\n")
	say("Written by `make bench-store`. The profiles are generated: %d CPU profiles of %d samples,", f.profiles,
		benchSamples)
	say("of %d services with %d different stacks of 10 to 40 frames, a profile a minute and", benchServices, f.stacks)
	say("service; and ten times as many of both. Times are medians of seven on %s/%s with", runtime.GOOS, runtime.GOARCH)
	say("%d CPUs. Each profile is one batch, on the disk before it is acknowledged.\n", runtime.GOMAXPROCS(0))
	say("| | goal | measured | tenfold goal | ten times as large |")
	say("|---|---|---|---|---|")
	var missed []string
	goals := 0
	// row writes a line. of returns a figure and whether it meets the goal, which is one of the larger store if tenfold.
	row := func(what, goal, tenfold string, of func(f figures, tenfold bool) (text string, met bool)) {
		small, met := of(f, false)
		large, metLarge := of(big, true)
		say("| %s | %s | %s | %s | %s |", what, goal, small, tenfold, large)
		for _, text := range []string{goal, tenfold} {
			if text != "" {
				goals++
			}
		}
		if goal != "" && !met {
			missed = append(missed, fmt.Sprintf("%s: %s (goal %s)", what, small, goal))
		}
		if tenfold != "" && !metLarge {
			missed = append(missed, fmt.Sprintf("%s, tenfold: %s (goal %s)", what, large, tenfold))
		}
	}
	plain := func(what string, of func(figures) string) {
		row(what, "", "", func(f figures, _ bool) (string, bool) { return of(f), true })
	}
	within := func(what string, goal time.Duration, of func(figures) time.Duration) {
		whole := func(d time.Duration) string { return fmt.Sprintf("%d ms", d.Milliseconds()) }
		row(what, whole(goal), whole(goalTimes*goal), func(f figures, tenfold bool) (string, bool) {
			limit := goal
			if tenfold {
				limit *= goalTimes
			}
			return ms(of(f)), of(f) < limit
		})
	}
	plain("parsed, hashed and stored, 1 client", func(f figures) string { return fmt.Sprintf("%.0f/s", f.one) })
	row("parsed, hashed and stored, 8 clients", fmt.Sprintf("%d/s", goalRate), "", func(f figures, _ bool) (string, bool) {
		return fmt.Sprintf("%.0f/s", f.eight), f.eight >= goalRate
	})
	plain("CPU time of a profile, all of that", func(f figures) string { return ms(f.cpu) })
	plain("gzipped pprof files", func(f figures) string { return mb(f.gzipped) })
	row("the store", "a tenth of them", "a tenth of them", func(f figures, _ bool) (string, bool) {
		return fmt.Sprintf("%s: 1/%.0f", mb(f.disk), float64(f.gzipped)/float64(f.disk)), 10*f.disk <= f.gzipped
	})
	within("merge one service, half of the time", goalService, func(f figures) time.Duration { return f.oneService })
	plain("the same, just opened", func(f figures) string { return ms(f.cold) })
	within("merge all services, half of the time", goalAll, func(f figures) time.Duration { return f.all })
	within("the 50 top functions of everything", goalTop, func(f figures) time.Duration { return f.top })
	memory := mb(goalMemory)
	row("peak memory of the process", memory, memory, func(f figures, _ bool) (string, bool) {
		return mb(f.memory), f.memory < goalMemory
	})
	if len(missed) == 0 {
		say("\nAll goals are met.")
	} else {
		say("\nMissed goals: %d of %d.\n\n- %s", len(missed), goals, strings.Join(missed, "\n- "))
	}
	say("\nBaselines, for the smaller one: reading and merging the pprof files of one service, half of")
	say("the time, takes %s. SQLite with a row for each sample stores %.0f profiles a second, in", ms(files),
		rowsPerSecond)
	say("batches of %d and without parsing, takes %s without any names, and adds up one service by", benchServices,
		mb(rowsDisk))
	say("stack in %s.\n", ms(rows))
	say("Parca and Pyroscope are not next to it: the module proxy answers 403 for")
	say("`go list -m -versions github.com/parca-dev/parca` and `github.com/grafana/pyroscope`.")
	return w.String()
}
