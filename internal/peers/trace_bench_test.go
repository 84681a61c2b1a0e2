//go:build unix

package peers

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/exp/trace"
)

const (
	benchTrace = "WHET_BENCH_TRACE" // file of the trace to measure on
	readTrace  = "WHET_PEERS_READ"  // makes this binary read the trace of this name, and do nothing with it
)

// maxPeerTrace is the maximum size of traces for go tool trace, which takes about 60 bytes of
// memory per byte of a trace.
const maxPeerTrace = 200 << 20

// readEvents is what any tool must do: read all events.
func readEvents(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	r, err := trace.NewReader(bufio.NewReaderSize(f, 1<<20))
	if err != nil {
		return errors.Join(err, f.Close())
	}
	n := 0
	for ; ; n++ {
		if _, err := r.ReadEvent(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return errors.Join(err, f.Close())
		}
	}
	fmt.Println(n)
	return f.Close()
}

func traceFile(b *testing.B) (name string, size int64) {
	b.Helper()
	name = os.Getenv(benchTrace)
	if name == "" {
		b.Skipf("%s names no trace; make bench-trace makes one", benchTrace)
	}
	info, err := os.Stat(name)
	if err != nil {
		b.Fatal(err)
	}
	if name, err = filepath.Abs(name); err != nil {
		b.Fatal(err)
	}
	return name, info.Size()
}

// A series is the runs of one program.
type series []usage

// median is the median of each figure.
func (s series) median() (m usage) {
	by := func(of func(usage) int64) int64 {
		all := make([]int64, len(s))
		for i, u := range s {
			all[i] = of(u)
		}
		slices.Sort(all)
		return all[len(all)/2]
	}
	m.wall = time.Duration(by(func(u usage) int64 { return int64(u.wall) }))
	m.cpu = time.Duration(by(func(u usage) int64 { return int64(u.cpu) }))
	m.peak = by(func(u usage) int64 { return u.peak })
	return m
}

// BenchmarkTraceIndex compares whet trace index with a program that only reads the events.
func BenchmarkTraceIndex(b *testing.B) {
	whet, err := whetBinary()
	if err != nil {
		b.Fatal(err)
	}
	file, size := traceFile(b)
	out := filepath.Join(b.TempDir(), "trace.index")
	bare := []string{os.Args[0]}
	ours := []string{whet, "trace", "index", "-o", out, file}
	measure(b, b.TempDir(), ours...) // warm the page cache
	var us, floor series
	for b.Loop() {
		b.Setenv(readTrace, file)
		floor = append(floor, measure(b, b.TempDir(), bare...))
		b.Setenv(readTrace, "")
		us = append(us, measure(b, b.TempDir(), ours...))
	}
	info, err := os.Stat(out)
	if err != nil {
		b.Fatal(err)
	}
	whetRun, bareRun := us.median(), floor.median()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(whetRun.wall.Seconds(), "whet-s")
	b.ReportMetric(bareRun.wall.Seconds(), "bare-s")
	b.ReportMetric(float64(whetRun.wall)/float64(bareRun.wall), "x-time")
	b.ReportMetric(float64(whetRun.cpu)/float64(bareRun.cpu), "x-cpu")
	b.ReportMetric(float64(whetRun.peak)/1e6, "whet-MB")
	b.ReportMetric(float64(bareRun.peak)/1e6, "bare-MB")
	b.ReportMetric(float64(size)/1e6, "trace-MB")
	b.ReportMetric(float64(info.Size())/float64(size), "x-size")
}

// BenchmarkTraceTimeline compares the time until a page of whet trace timeline is ready, without a
// cached index, with that until go tool trace has sent the data of its first page.
func BenchmarkTraceTimeline(b *testing.B) {
	whet, err := whetBinary()
	if err != nil {
		b.Fatal(err)
	}
	file, size := traceFile(b)
	if help, err := exec.Command(whet, "trace", "--help").Output(); err != nil ||
		!bytes.Contains(help, []byte("\n  timeline ")) {
		b.Skipf("whet has no trace timeline: %v", err)
	}
	if size > maxPeerTrace {
		b.Skipf("go tool trace would need some %d GB of memory", size*60>>30)
	}
	peer, err := exec.Command("go", "tool", "-n", "trace").Output()
	if err != nil {
		b.Skipf("no go tool trace: %v", err)
	}
	dir := b.TempDir()
	page := filepath.Join(dir, "page.html")
	var us, them series
	for b.Loop() {
		for range 3 {
			b.Setenv("XDG_CACHE_HOME", b.TempDir())
			us = append(us, measure(b, dir, whet, "trace", "timeline", "-o", page, file))
			if err := os.Remove(page); err != nil {
				b.Fatal(err)
			}
		}
		them = append(them, firstTimeline(b, strings.TrimSpace(string(peer)), file))
	}
	whetRun, peerRun := us.median(), them.median()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(whetRun.wall.Seconds(), "whet-s")
	b.ReportMetric(peerRun.wall.Seconds(), "peer-s")
	b.ReportMetric(float64(peerRun.wall)/float64(whetRun.wall), "x-faster")
	b.ReportMetric(float64(whetRun.peak)/1e6, "whet-MB")
	b.ReportMetric(float64(peerRun.peak)/1e6, "peer-MB")
	b.ReportMetric(float64(peerRun.peak)/float64(whetRun.peak), "x-smaller")
}

// firstTimeline runs go tool trace until it has answered with the data of the first timeline that its
// main page names.
func firstTimeline(b *testing.B, tool, file string) usage {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, tool, "-http=127.0.0.1:0", file)
	cmd.Env = append(os.Environ(), "BROWSER=true") // which shows nothing
	stderr, err := cmd.StderrPipe()
	if err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	var output bytes.Buffer
	address := ""
	lines := bufio.NewScanner(io.TeeReader(stderr, &output))
	for address == "" && lines.Scan() {
		_, address, _ = strings.Cut(lines.Text(), "listening on ")
	}
	var drained sync.WaitGroup
	drained.Go(func() {
		for lines.Scan() { // it waits for whoever reads
		}
	})
	err = errors.New("it did not listen")
	if address != "" {
		err = fetchTimeline(ctx, address)
	}
	took := time.Since(start)
	cancel()
	_ = cmd.Wait() // killed
	drained.Wait()
	if err != nil {
		b.Fatalf("go tool trace: %v\n%s", err, &output)
	}
	u := usageOf(cmd)
	u.wall = took
	return u
}

// timelineLink is a link to a timeline on the main page.
var timelineLink = regexp.MustCompile(`/trace(\?[^"']+)`)

func fetchTimeline(ctx context.Context, address string) error {
	var page bytes.Buffer
	if err := fetch(ctx, address, &page); err != nil {
		return err
	}
	link := timelineLink.FindStringSubmatch(page.String())
	if link == nil {
		return errors.New("its page names no timeline")
	}
	return fetch(ctx, address+"/jsontrace"+html.UnescapeString(link[1]), io.Discard)
}

func fetch(ctx context.Context, address string, w io.Writer) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, resp.Body)
	if resp.StatusCode != http.StatusOK {
		err = errors.Join(err, fmt.Errorf("%s: %s", address, resp.Status))
	}
	return errors.Join(err, resp.Body.Close())
}
