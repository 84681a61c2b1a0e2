//go:build unix

package peers

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	_ "net/http/pprof" // what whet record asks for
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/report/layout"
)

// beBurner makes this binary a service whose handler runs a loop this many times.
const beBurner = "WHET_PEERS_BURN"

// burn is work for the CPU alone.
//
//go:noinline
func burn(turns int) uint64 {
	x := uint64(88172645463325252)
	for range turns {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

// burner serves until its input ends, and first writes its address.
func burner() error {
	turns, err := strconv.Atoi(os.Getenv(beBurner))
	if err != nil {
		return err
	}
	http.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintln(w, burn(turns)) })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(os.Stdout, "http://"+l.Addr().String()); err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = l.Close()
	}()
	if err := http.Serve(l, nil); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// startBurner starts a service and returns its address and a function that stops it.
func startBurner(b *testing.B, turns int) (address string, stop func()) {
	b.Helper()
	stdout, stop := startSelf(b, beBurner+"="+strconv.Itoa(turns))
	address, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(address), stop
}

// diffPair is what whet diff reports about two recordings.
type diffPair struct {
	planted     float64
	requests    [2]float64
	change      float64
	low, high   float64
	verdict     string
	totalChange float64 // of the whole profile, which is of other amounts of work
}

// right reports whether the interval contains the planted change, and no change is reported without
// one or in the wrong direction.
func (p *diffPair) right() bool {
	claim := map[string]float64{"more": 1, "less": -1}[p.verdict]
	return p.low <= p.planted && p.planted <= p.high && (claim == 0 || claim*p.planted > 0)
}

func (p *diffPair) found() bool { return p.verdict == "more" || p.verdict == "less" }

// BenchmarkDiffPairs records pairs of a service with a change of -5%, none or +5% in the
// CPU time of its handler, under loads of two and four connections, and counts how often
// whet diff is right about a request. Both of a pair are recorded at the same time; the A of
// one and the B of the next pair were recorded one after the other, and are compared too.
// WHET_DIFF_PAIRS (40), WHET_DIFF_TIME (15s) and WHET_DIFF_PAGE, a file for the result, are
// from the environment.
func BenchmarkDiffPairs(b *testing.B) {
	whet, err := whetBinary()
	if err != nil {
		b.Fatal(err)
	}
	count := 40
	if n, err := strconv.Atoi(os.Getenv("WHET_DIFF_PAIRS")); err == nil {
		count = n
	}
	long := cmp.Or(os.Getenv("WHET_DIFF_TIME"), "15s")
	var together, inTurn []diffPair
	for b.Loop() {
		dir := b.TempDir()
		file := func(i int, side string) string { return filepath.Join(dir, fmt.Sprintf("%d%s.whet", i, side)) }
		for i := range count {
			planted := float64(i%3-1) * 0.05
			for tries := 1; ; tries++ {
				// If the target gets no CPU time for seconds, there is no recording.
				err := recordPair(b, whet, long, [2]string{file(i, "a"), file(i, "b")}, planted, i%2 == 1)
				if err == nil {
					break
				}
				if fmt.Fprintln(os.Stderr, err); tries == 3 {
					b.Fatal(err)
				}
			}
			together = append(together, diffOf(b, whet, file(i, "a"), file(i, "b"), planted))
			if i > 0 {
				inTurn = append(inTurn, diffOf(b, whet, file(i-1, "a"), file(i, "b"), planted))
			}
			writeDiffPage(b, together, inTurn, long)
			fmt.Fprintf(os.Stderr, "\r%d: at once %v; in turn %v", i+1, tally(together), tally(inTurn))
		}
		fmt.Fprintln(os.Stderr)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(tally(together).right), "right")
	b.ReportMetric(float64(count), "pairs")
	b.Logf("\n%s", diffPage(together, inTurn, long))
}

// writeDiffPage writes the page of the pairs so far.
func writeDiffPage(b *testing.B, together, inTurn []diffPair, long string) {
	b.Helper()
	if name := os.Getenv("WHET_DIFF_PAGE"); name != "" {
		if err := os.WriteFile(name, []byte(diffPage(together, inTurn, long)), 0o644); err != nil {
			b.Fatal(err)
		}
	}
}

// recordPair records two services at the same time: the handler of B runs its loop planted times
// more than that of A, and one of them has twice the connections.
func recordPair(b *testing.B, whet, long string, files [2]string, planted float64, more bool) error {
	b.Helper()
	const turns = 2_200_000 // some 4 ms
	connections := [2]string{"2", "4"}
	if more {
		connections = [2]string{"4", "2"}
	}
	failed := make(chan error, 2)
	for side, file := range files {
		n := turns
		if side == 1 {
			n = int(math.Round(turns * (1 + planted)))
		}
		address, stop := startBurner(b, n)
		defer stop()
		go func() {
			cmd := exec.CommandContext(b.Context(), whet, "record", address, "-o", file, "-d", long, "--trace", "0", "--load",
				address+"/", "-c", connections[side])
			out, err := cmd.CombinedOutput()
			if err != nil {
				err = fmt.Errorf("record: %w\n%s", err, out)
			}
			failed <- err
		}()
	}
	return errors.Join(<-failed, <-failed)
}

// diffOf asks whet diff.
func diffOf(b *testing.B, whet, before, after string, planted float64) diffPair {
	b.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(b.Context(), whet, "diff", "--all", "-n", "1", "--json", before, after)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		b.Fatalf("diff: %v\n%s", err, &stderr)
	}
	type side struct {
		Work struct {
			Requests float64 `json:"requests"`
		} `json:"work"`
	}
	var doc struct {
		Before side `json:"before"`
		After  side `json:"after"`
		Total  struct {
			Relative   float64 `json:"relative"`
			PerRequest *struct {
				Relative float64  `json:"relative"`
				Low      *float64 `json:"low"`
				High     *float64 `json:"high"`
				Verdict  string   `json:"verdict"`
			} `json:"per_request"`
		} `json:"total"`
	}
	if err := json.Unmarshal(stdout.Bytes(), &doc); err != nil {
		b.Fatal(err)
	}
	r := doc.Total.PerRequest
	if r == nil || r.Low == nil || r.High == nil {
		b.Fatalf("no verdict per request:\n%s", &stdout)
	}
	return diffPair{
		planted: planted, requests: [2]float64{doc.Before.Work.Requests, doc.After.Work.Requests},
		change: r.Relative, low: *r.Low, high: *r.High, verdict: r.Verdict, totalChange: doc.Total.Relative,
	}
}

// A diffTally counts pairs.
type diffTally struct{ pairs, right, changed, found, alarms int }

func tally(pairs []diffPair) (t diffTally) {
	for i := range pairs {
		p := &pairs[i]
		t.pairs++
		if p.right() {
			t.right++
		}
		switch {
		case p.planted != 0:
			t.changed++
			if p.found() && p.right() {
				t.found++
			}
		case p.found():
			t.alarms++
		}
	}
	return t
}

func (t diffTally) String() string {
	return fmt.Sprintf("%d of %d right, %d of %d changes found, %d false alarms", t.right, t.pairs, t.found,
		t.changed, t.alarms)
}

// diffPage is the result for the docs.
func diffPage(together, inTurn []diffPair, long string) string {
	var w strings.Builder
	fmt.Fprintf(&w, "# How often whet diff is right about a request\n\n")
	fmt.Fprintf(&w, "`make bench-diff` records a real service whose handler uses about 4 ms of CPU time, with a planted "+
		"change of -5%%, none or +5%%, under loads of two and four connections, for %s each, and compares the "+
		"cost of a request with `whet diff`. *Right* means that the 99%% interval contains the planted change, that a "+
		"change is not reported in the wrong direction, and that none is reported where there is none.\n\n", long)
	fmt.Fprintf(&w, "| recorded | pairs | right | changes of 5%% found | false alarms | half width of the interval "+
		"|\n|---|---|---|---|---|---|\n")
	for _, row := range []struct {
		name  string
		pairs []diffPair
	}{{"both at the same time", together}, {"one after the other", inTurn}} {
		t := tally(row.pairs)
		width := 0.0
		for _, p := range row.pairs {
			width += (p.high - p.low) / 2 / float64(len(row.pairs))
		}
		fmt.Fprintf(&w, "| %s | %d | **%d** | %d of %d | %d of %d | %.1f%% |\n", row.name, t.pairs, t.right, t.found,
			t.changed, t.alarms, t.pairs-t.changed, 100*width)
	}
	fmt.Fprintf(&w, "\nThe second row compares the A of each pair with the B of the next. The last column below is the "+
		"change of the totals, which `whet diff` reported in earlier versions: it depends on the load.\n\n")
	fmt.Fprintf(&w, "%s, %s, %d CPUs, %s, %s/%s.\n\n", time.Now().UTC().Format(time.DateOnly), cpuModel(),
		runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	fmt.Fprintf(&w, "| planted | requests A | requests B | per request | 99%% interval | verdict | right | totals "+
		"|\n|---|---|---|---|---|---|---|---|\n")
	for i := range together {
		p := &together[i]
		right := "yes"
		if !p.right() {
			right = "**no**"
		}
		fmt.Fprintf(&w, "| %+.0f%% | %.0f | %.0f | %+.1f%% | %+.1f to %+.1f%% | %s | %s | %+.1f%% |\n",
			100*p.planted, p.requests[0], p.requests[1], 100*p.change, 100*p.low, 100*p.high, p.verdict,
			right, 100*p.totalChange)
	}
	return layout.WrapMarkdown(strings.ReplaceAll(w.String(), "+0%", "0%"), 100)
}

// cpuModel returns the model of the CPU.
func cpuModel() string {
	data, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for line := range strings.Lines(string(data)) {
			if name, ok := strings.CutPrefix(line, "model name\t: "); ok {
				return strings.TrimSpace(name)
			}
		}
	}
	return "unknown processor"
}
