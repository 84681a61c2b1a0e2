//go:build unix

package peers

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/whet-go/whet/profile/profiletest"
)

// Environment variables that the benchmarks set for themselves.
const (
	binDir      = "WHET_PEERS_BIN"      // where to build whet
	generateDir = "WHET_PEERS_GENERATE" // write profiles there and end
)

// whetBinary builds whet once.
var whetBinary = sync.OnceValues(func() (string, error) {
	bin := filepath.Join(os.Getenv(binDir), "whet")
	cmd := exec.Command("go", "build", "-o", bin, "github.com/whet-go/whet/cmd/whet")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build whet: %w\n%s", err, out)
	}
	return bin, nil
})

var pprofBinary = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "tool", "-n", "pprof").Output()
	return strings.TrimSpace(string(out)), err
})

func TestMain(m *testing.M) {
	if dir := os.Getenv(generateDir); dir != "" {
		if err := generate(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if name := os.Getenv(readTrace); name != "" {
		if err := readEvents(name); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if os.Getenv(beNeighbor) != "" {
		neighbor()
		os.Exit(0)
	}
	if os.Getenv(beBusy) != "" {
		busy()
	}
	if os.Getenv(beBurner) != "" {
		if err := burner(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if os.Getenv(serveAddresses) != "" {
		if err := serveLoad(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	dir, err := os.MkdirTemp("", "whet-peers")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := 1
	if err := os.Setenv(binDir, dir); err == nil {
		code = m.Run()
	}
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// usage is the resources that one run of a program used.
type usage struct {
	wall time.Duration
	cpu  time.Duration
	peak int64 // bytes of resident memory
}

// measure runs a program once and discards its output.
func measure(b *testing.B, dir string, args ...string) usage {
	b.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PPROF_TMPDIR="+dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		b.Fatalf("%q: %v\n%s", args, err, &stderr)
	}
	took := time.Since(start)
	u := usageOf(cmd)
	u.wall = took
	return u
}

// usageOf returns the resources that an ended program used, without its wall time.
func usageOf(cmd *exec.Cmd) usage {
	u := usage{cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if ru, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		u.peak = ru.Maxrss
		if runtime.GOOS != "darwin" {
			u.peak <<= 10
		}
	}
	return u
}

// compare runs ours and theirs in turn and reports medians and ratios. ours runs as often as an
// accurate time requires, even if the peer takes half a minute.
func compare(b *testing.B, dir string, ours, theirs []string) {
	b.Helper()
	measure(b, dir, ours...) // warm the page cache and whet's own
	var us, them []usage
	for b.Loop() {
		for range 5 {
			us = append(us, measure(b, dir, ours...))
		}
		them = append(them, measure(b, dir, theirs...))
	}
	median := func(xs []usage) (wall time.Duration, peak int64) {
		slices.SortFunc(xs, func(x, y usage) int { return int(x.wall - y.wall) })
		wall = xs[len(xs)/2].wall
		slices.SortFunc(xs, func(x, y usage) int { return int(x.peak - y.peak) })
		return wall, xs[len(xs)/2].peak
	}
	ourWall, ourPeak := median(us)
	theirWall, theirPeak := median(them)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(ourWall.Seconds()*1e3, "whet-ms")
	b.ReportMetric(theirWall.Seconds()*1e3, "peer-ms")
	b.ReportMetric(float64(theirWall)/float64(ourWall), "x-faster")
	b.ReportMetric(float64(ourPeak)/1e6, "whet-MB")
	b.ReportMetric(float64(theirPeak)/1e6, "peer-MB")
	b.ReportMetric(float64(theirPeak)/float64(ourPeak), "x-smaller")
}

func tools(b *testing.B) (whet, pprof string) {
	b.Helper()
	whet, err := whetBinary()
	if err != nil {
		b.Fatal(err)
	}
	pprof, err = pprofBinary()
	if err != nil {
		b.Skipf("no go tool pprof: %v", err)
	}
	return whet, pprof
}

// generated are the profiles to measure on.
func generated() map[string]profiletest.Options {
	return map[string]profiletest.Options{
		"large":    profiletest.Large(),
		"shared":   profiletest.LargeShared(),
		"ordinary": {Samples: 3000, Functions: 2500, Lines: 9000, MinDepth: 10, MaxDepth: 45, Inlines: true},
	}
}

func generate(dir string) error {
	for name, o := range generated() {
		f, err := os.Create(filepath.Join(dir, name+".pb.gz"))
		if err != nil {
			return err
		}
		if err := errors.Join(profiletest.Generate(o).Write(f), f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// profiles writes the profiles to measure on and returns their paths by name. A separate process
// generates them, because Linux counts the memory of a process towards the peak of the processes
// that it starts.
func profiles(b *testing.B, dir string) map[string]string {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), generateDir+"="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("generate profiles: %v\n%s", err, out)
	}
	files := map[string]string{}
	for name := range generated() {
		files[name] = filepath.Join(dir, name+".pb.gz")
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Fatal(err)
	}
	pgo := filepath.Join(strings.TrimSpace(string(goroot)), "src/cmd/compile/default.pgo")
	if _, err := os.Stat(pgo); err == nil {
		files["compiler"] = pgo
	}
	return files
}

// BenchmarkTop is whet top against go tool pprof -top.
func BenchmarkTop(b *testing.B) {
	whet, pprof := tools(b)
	dir := b.TempDir()
	for name, file := range profiles(b, dir) {
		b.Run("profile="+name, func(b *testing.B) {
			compare(b, dir, []string{whet, "top", file}, []string{pprof, "-top", file})
		})
	}
}

// BenchmarkPicture is whet flame and whet graph against go tool pprof -svg, which
// needs Graphviz.
func BenchmarkPicture(b *testing.B) {
	whet, pprof := tools(b)
	if _, err := exec.LookPath("dot"); err != nil {
		b.Skip("go tool pprof -svg needs Graphviz's dot")
	}
	dir := b.TempDir()
	for name, file := range profiles(b, dir) {
		theirs := []string{pprof, "-svg", "-output=" + filepath.Join(dir, "peer.svg"), file}
		for _, view := range []string{"flame", "graph"} {
			out := filepath.Join(dir, view+map[string]string{"flame": ".html", "graph": ".svg"}[view])
			b.Run("profile="+name+"/view="+view, func(b *testing.B) {
				compare(b, dir, []string{whet, view, "-o", out, "--force", file}, theirs)
			})
		}
	}
}
