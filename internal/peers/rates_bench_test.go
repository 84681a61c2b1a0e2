//go:build unix

package peers

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/report/layout"
)

// A rateRow is a load that all generators make.
type rateRow struct {
	name        string
	url         func(addresses) string
	connections int
	h2          bool
	server      string   // its processor
	without     []string // generators that cannot make it
}

func rateRows() []rateRow {
	plain := func(a addresses) string { return a.Plain }
	secure := func(a addresses) string { return a.Secure }
	return []rateRow{
		{name: "HTTP/1.1, 16 connections", url: plain, connections: 16, server: serverCPU},
		{name: "HTTP/1.1, 256 connections", url: plain, connections: 256, server: serverCPU},
		{name: "HTTP/1.1 over TLS, 16 connections", url: secure, connections: 16, server: serverCPU},
		// one stream
		{
			name: "HTTP/2 over TLS, 16 connections of 10 streams", url: secure, connections: 16, h2: true, server: serverCPU,
			without: []string{"hey"},
		},
		{
			name: "HTTP/2 without TLS, the same", url: func(a addresses) string { return a.H2C }, connections: 16, h2: true,
			server: serverCPU, without: []string{"hey"},
		},
		{name: "HTTP/1.1, 64 connections, server on the same CPU", url: plain, connections: 64, server: clientCPU},
	}
}

// The maximum of whet's CPU time relative to wrk's, and the minimum of its rate relative to the
// best peer's.
const (
	quietCost, busyCost = 0.8, 0.9
	leastRate           = 1.0
)

// A dueled is what the generators did in a row: one figure for each round.
type dueled struct {
	row     rateRow
	busy    bool
	names   []string // whet first
	rate    map[string][]float64
	cost    map[string][]float64 // us of CPU time for each request
	engines map[string]int       // of whet's runs
	began   string               // load average
}

// ratio is the median over the rounds of whet's figure over another generator's: both of a
// round ran under much the same conditions.
func ratio(of map[string][]float64, other string) float64 {
	var xs []float64
	for i, x := range of["whet"] {
		xs = append(xs, x/of[other][i])
	}
	return medianOf(xs)
}

// best is the peer with the highest median rate; "" without peers.
func (d *dueled) best() string {
	best, most := "", 0.0
	for _, name := range d.names[1:] {
		if m := medianOf(slices.Clone(d.rate[name])); m > most {
			best, most = name, m
		}
	}
	return best
}

// BenchmarkLoadRates runs whet load and the other generators in turn: how many requests the server
// answers and how much CPU time the generator uses, first on an idle machine, then with a busy loop
// at nice 10 on each CPU. WHET_LOAD_ROUNDS (5), WHET_LOAD_TIME (3s) and WHET_LOAD_PAGE, a file for
// the result, are from the environment.
func BenchmarkLoadRates(b *testing.B) {
	needTwoCPUs(b)
	whet, err := whetBinary()
	if err != nil {
		b.Fatal(err)
	}
	rounds, long := 5, 3*time.Second
	if n, err := strconv.Atoi(os.Getenv("WHET_LOAD_ROUNDS")); err == nil && n > 0 {
		rounds = n
	}
	if d, err := time.ParseDuration(os.Getenv("WHET_LOAD_TIME")); err == nil && d >= time.Second {
		long = d.Truncate(time.Second) // wrk knows no less
	}
	var done []*dueled
	for _, busy := range []bool{false, true} {
		for _, row := range rateRows() {
			name := "other=none/" + row.name
			if busy {
				name = "other=loops/" + row.name
			}
			b.Run(strings.ReplaceAll(name, " ", "_"), func(b *testing.B) {
				a := loadServerOn(b, row.server)
				if busy {
					startBusy(b)
				}
				d := &dueled{
					row: row, busy: busy, rate: map[string][]float64{}, cost: map[string][]float64{}, engines: map[string]int{},
					began: loadAverage(),
				}
				gs := slices.DeleteFunc(append([]generator{whetGenerator(whet)}, peersOf(row.h2)...), func(g generator) bool {
					return slices.Contains(row.without, g.name)
				})
				for _, g := range gs {
					d.names = append(d.names, g.name)
				}
				b.ResetTimer()
				for b.Loop() {
					for i := range rounds {
						for k := range gs {
							d.shoot(b, gs[(k+i)%len(gs)], row.url(a), long)
						}
					}
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(medianOf(slices.Clone(d.rate["whet"])), "whet-req/s")
				if best := d.best(); best != "" {
					b.ReportMetric(ratio(d.rate, best), "x-"+best)
				}
				done = append(done, d)
				writeRatesPage(b, done, rounds, long)
			})
		}
	}
	b.Logf("\n%s", ratesPage(done, rounds, long))
}

// shoot runs a generator once. Rates are over the requested time, because starting a program is not
// load.
func (d *dueled) shoot(b *testing.B, g generator, url string, long time.Duration) {
	b.Helper()
	s := g.run(b, url, d.row.connections, long, d.row.h2)
	if over := s.elapsed - long; over > time.Second {
		fmt.Fprintf(os.Stderr, "%s took %s longer than %s\n", g.name, over, long)
	}
	d.rate[g.name] = append(d.rate[g.name], s.requests/long.Seconds())
	d.cost[g.name] = append(d.cost[g.name], float64(s.cpu.Nanoseconds())/1e3/s.requests)
	if g.name == "whet" {
		d.engines[string(s.result.Engine)]++
	}
}

// loadAverage is that of the last minute; "unknown" where the system does not report it.
func loadAverage() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(data), " ")
	return first
}

// writeRatesPage writes the page of the rows so far.
func writeRatesPage(b *testing.B, done []*dueled, rounds int, long time.Duration) {
	b.Helper()
	if name := os.Getenv("WHET_LOAD_PAGE"); name != "" {
		if err := os.WriteFile(name, []byte(ratesPage(done, rounds, long)), 0o644); err != nil {
			b.Fatal(err)
		}
	}
}

// ratesPage is the result for the docs.
func ratesPage(done []*dueled, rounds int, long time.Duration) string {
	var w strings.Builder
	fmt.Fprintf(&w, "# How fast whet load is, and what it costs\n\n")
	fmt.Fprintf(&w, "`make bench-load` pins a load generator to one CPU and a `net/http` server that returns two "+
		"bytes to the other. The generators run in turn, %d rounds of %s each, in an order that changes from round to "+
		"round. whet runs without `--engine`. Figures are medians of the rounds, and ratios are medians of the ratios "+
		"within a round. A ratio that misses its target is **bold**. The targets are at least the rate of the best "+
		"peer, and at most %.1fx of wrk's CPU time per request, or %.1fx next to busy loops. All generators send a "+
		"User-Agent; wrk, which sends none by default, gets one. The load average is from the start of a row: above 1 "+
		"in the first rows means that other programs shared the machine.\n\n",
		rounds, long, quietCost, busyCost)
	fmt.Fprintf(&w, "%s, %s, %d CPUs, Linux %s, %s, %s/%s. wrk and ab do not support HTTP/2; hey has one stream "+
		"per connection and is left out there.\n", time.Now().UTC().Format(time.DateOnly), cpuModel(), runtime.NumCPU(),
		kernelRelease(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	for _, busy := range []bool{false, true} {
		rows := slices.DeleteFunc(slices.Clone(done), func(d *dueled) bool { return d.busy != busy })
		if len(rows) == 0 {
			continue
		}
		title, most := "Without busy loops", quietCost
		if busy {
			title, most = "Next to a busy loop at nice 10 on each CPU", busyCost
		}
		names := peerNames(rows)
		fmt.Fprintf(&w, "\n## %s\n\nResponses per second:\n\n| | whet | engine | %s | whet / best peer | load average "+
			"|\n|---|---|---|%s---|---|\n", title, strings.Join(names, " | "), strings.Repeat("---|", len(names)))
		for _, d := range rows {
			fmt.Fprintf(&w, "| %s | %.0f | %s |", d.row.name, median(d.rate["whet"]), d.engine())
			for _, name := range names {
				w.WriteString(" " + figure("%.0f", d.rate[name]) + " |")
			}
			toBest := "–"
			if best := d.best(); best != "" {
				toBest = marked(ratio(d.rate, best), ratio(d.rate, best) < leastRate, math.Floor) + " " + best
			}
			fmt.Fprintf(&w, " %s | %s |\n", toBest, d.began)
		}
		fmt.Fprintf(&w, "\nCPU time of the generator per request, in µs:\n\n| | whet | %s | whet / wrk "+
			"|\n|---|---|%s---|\n", strings.Join(names, " | "), strings.Repeat("---|", len(names)))
		for _, d := range rows {
			fmt.Fprintf(&w, "| %s | %.1f |", d.row.name, median(d.cost["whet"]))
			for _, name := range names {
				w.WriteString(" " + figure("%.1f", d.cost[name]) + " |")
			}
			toWrk := "–"
			if len(d.cost["wrk"]) > 0 {
				toWrk = marked(ratio(d.cost, "wrk"), ratio(d.cost, "wrk") > most, math.Ceil)
			}
			fmt.Fprintf(&w, " %s |\n", toWrk)
		}
	}
	return layout.WrapMarkdown(w.String(), 100)
}

// peerNames returns the generators of any of the rows, except whet, in the order of the first row
// that has them.
func peerNames(rows []*dueled) []string {
	var names []string
	for _, d := range rows {
		for _, name := range d.names[1:] {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// engine returns the engines of whet's runs, most frequent first: "io_uring 4, epoll 1".
func (d *dueled) engine() string {
	var out []string
	names := slices.Sorted(maps.Keys(d.engines))
	slices.SortStableFunc(names, func(x, y string) int { return cmp.Compare(d.engines[y], d.engines[x]) })
	for _, name := range names {
		out = append(out, fmt.Sprintf("%s %d", name, d.engines[name]))
	}
	return strings.Join(out, ", ")
}

// median does not change xs.
func median(xs []float64) float64 { return medianOf(slices.Clone(xs)) }

// figure is the median, "–" of nothing.
func figure(format string, xs []float64) string {
	if len(xs) == 0 {
		return "–"
	}
	return fmt.Sprintf(format, median(xs))
}

// marked formats a ratio, bold if it misses its target, and rounded towards the miss: 0.996x does
// not become 1.00x.
func marked(x float64, miss bool, round func(float64) float64) string {
	if !miss {
		return fmt.Sprintf("%.2fx", x)
	}
	return fmt.Sprintf("**%.2fx**", round(x*100)/100)
}

// kernelRelease is the version of the kernel.
func kernelRelease() string {
	data, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return "of unknown version"
	}
	return strings.TrimSpace(string(data))
}

// TestRatesPage checks that the page marks misses, and compares within rounds.
func TestRatesPage(t *testing.T) {
	row := func(busy bool, name string, wrk bool) *dueled {
		d := &dueled{
			row: rateRow{name: name}, busy: busy, names: []string{"whet", "wrk", "hey"},
			engines: map[string]int{"epoll": 1, "io_uring": 2}, began: "0.10",
		}
		d.rate = map[string][]float64{"whet": {300, 100, 200}, "wrk": {200, 110, 190}, "hey": {10, 10, 10}}
		d.cost = map[string][]float64{"whet": {4.3, 4.1, 4.0}, "wrk": {5, 5, 5}, "hey": {20, 20, 20}}
		if !wrk {
			d.names = []string{"whet", "hey"}
			delete(d.rate, "wrk")
			delete(d.cost, "wrk")
		}
		return d
	}
	page := ratesPage([]*dueled{row(false, "one", true), row(false, "two", false), row(true, "three", true)}, 3,
		time.Second)
	for _, want := range []string{
		"3 rounds of 1s each",
		"## Without busy loops\n",
		"| one | 200 | io_uring 2, epoll 1 | 190 | 10 | 1.05x wrk | 0.10 |\n",
		"| two | 200 | io_uring 2, epoll 1 | – | 10 | 20.00x hey | 0.10 |\n",
		"| one | 4.1 | 5.0 | 20.0 | **0.82x** |\n",
		"| two | 4.1 | – | 20.0 | – |\n",
		"## Next to a busy loop at nice 10 on each CPU\n",
		"| three | 4.1 | 5.0 | 20.0 | 0.82x |\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q:\n%s", want, page)
		}
	}
	for x, want := range map[float64]string{0.9996: "**0.99x**", 0.5: "**0.50x**"} {
		if got := marked(x, true, math.Floor); got != want {
			t.Errorf("%g that misses is %s, want %s", x, got, want)
		}
	}
	if got := marked(0.8001, true, math.Ceil); got != "**0.81x**" {
		t.Errorf("0.8001 that misses is %s", got)
	}
}
