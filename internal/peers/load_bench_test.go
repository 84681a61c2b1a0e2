//go:build unix

package peers

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/whet-go/whet/load"
)

// serveAddresses makes this binary a server for the load benchmarks, which prints
// its addresses as JSON and ends when its input does.
const serveAddresses = "WHET_PEERS_SERVE"

// The server stalls for stallTime at the end of each stallPeriod, on one of its
// addresses.
const (
	stallPeriod = 10 * time.Second
	stallTime   = time.Second
)

// addresses are where the server answers.
type addresses struct{ Plain, Secure, H2C, Stall string }

// serveLoad answers every request with two bytes until stdin ends.
func serveLoad() error {
	ok := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok")) })
	start := time.Now()
	stalling := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if at := time.Since(start) % stallPeriod; at >= stallPeriod-stallTime {
			time.Sleep(stallPeriod - at)
		}
		_, _ = w.Write([]byte("ok"))
	})
	var a addresses
	open := func(address *string, scheme string, h http.Handler, protocols func(*http.Protocols)) error {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		*address = scheme + "://" + l.Addr().String() + "/"
		s := &http.Server{
			Handler: h, ReadHeaderTimeout: time.Minute, Protocols: new(http.Protocols),
			ErrorLog: log.New(io.Discard, "", 0), // generators that end in a handshake
		}
		protocols(s.Protocols)
		if scheme == "https" {
			// The certificate that net/http's own tests use.
			ts := httptest.NewUnstartedServer(nil)
			ts.StartTLS()
			cert := ts.TLS.Certificates[0]
			ts.Close()
			s.TLSConfig = &tls.Config{Certificates: []tls.Certificate{cert}}
			go func() { _ = s.ServeTLS(l, "", "") }()
			return nil
		}
		go func() { _ = s.Serve(l) }()
		return nil
	}
	if err := errors.Join(
		open(&a.Plain, "http", ok, func(p *http.Protocols) { p.SetHTTP1(true) }),
		open(&a.Secure, "https", ok, func(p *http.Protocols) { p.SetHTTP1(true); p.SetHTTP2(true) }),
		open(&a.H2C, "http", ok, func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) }),
		open(&a.Stall, "http", stalling, func(p *http.Protocols) { p.SetHTTP1(true) }),
	); err != nil {
		return err
	}
	if err := json.NewEncoder(os.Stdout).Encode(a); err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	return nil
}

// The client has one CPU, the server the other.
const (
	clientCPU = "0"
	serverCPU = "1"
)

func needTwoCPUs(b *testing.B) {
	b.Helper()
	if _, err := exec.LookPath("taskset"); err != nil || runtime.GOOS != "linux" || runtime.NumCPU() < 2 {
		b.Skip("needs Linux, taskset and two CPUs")
	}
}

// loadServer starts the server on its CPU.
func loadServer(b *testing.B) addresses {
	b.Helper()
	return loadServerOn(b, serverCPU)
}

func loadServerOn(b *testing.B, cpu string) addresses {
	b.Helper()
	stdout, _ := startSelf(b, serveAddresses+"=1", "taskset", "-c", cpu)
	var a addresses
	if err := json.NewDecoder(stdout).Decode(&a); err != nil {
		b.Fatal(err)
	}
	return a
}

// A shot is one run of a load generator.
type shot struct {
	requests float64
	elapsed  time.Duration
	cpu      time.Duration // of the generator
	peak     float64       // MB
	output   []byte
	result   load.Result // of whet
}

// fire runs a generator on its CPU.
func fire(b *testing.B, args ...string) shot {
	b.Helper()
	cmd := exec.Command("taskset", append([]string{"-c", clientCPU}, args...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		b.Fatalf("%q: %v\n%s%s", args, err, &stdout, &stderr)
	}
	s := shot{elapsed: time.Since(start), output: stdout.Bytes()}
	s.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if ru, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		s.peak = float64(ru.Maxrss) * 1024 / 1e6
	}
	return s
}

// A generator is a load generator to be compared.
type generator struct {
	name string
	// run loads url for d over n connections, with extra arguments for HTTP/2.
	run func(b *testing.B, url string, n int, d time.Duration, h2 bool) shot
}

func count(b *testing.B, s *shot, pattern string) {
	b.Helper()
	m := regexp.MustCompile(pattern).FindSubmatch(s.output)
	if m == nil {
		b.Fatalf("no %q in\n%s", pattern, s.output)
	}
	n, err := strconv.ParseFloat(strings.ReplaceAll(string(m[1]), ",", ""), 64)
	if err != nil {
		b.Fatal(err)
	}
	s.requests = n
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.0f", math.Ceil(d.Seconds())) }

// whetLoad runs whet load and reads its result.
func whetLoad(b *testing.B, whet string, args ...string) shot {
	b.Helper()
	s := fire(b, append([]string{whet, "load", "--json"}, args...)...)
	if err := json.Unmarshal(s.output, &s.result); err != nil {
		b.Fatalf("%v\n%s", err, s.output)
	}
	s.requests = float64(s.result.Requests)
	if n := s.result.Errors.Total() + s.result.Failed(); n > 0 {
		b.Fatalf("whet: %d requests failed: %s", n, s.result.Failures())
	}
	return s
}

// whetGenerator is whet load without flags: it compares its engines during the run.
func whetGenerator(whet string) generator {
	return generator{"whet", func(b *testing.B, url string, n int, d time.Duration, h2 bool) shot {
		b.Helper()
		args := []string{"-c", strconv.Itoa(n), "-d", d.String(), "--insecure"}
		if h2 {
			args = append(args, "--http2", "--streams", "10")
		}
		return whetLoad(b, whet, append(args, url)...)
	}}
}

// peersOf are the other generators that are installed.
func peersOf(h2 bool) []generator {
	all := []generator{
		{"h2load", func(b *testing.B, url string, n int, d time.Duration, h2 bool) shot {
			b.Helper()
			args := []string{"h2load", "-t1", "-c", strconv.Itoa(n), "-D", seconds(d)}
			if h2 {
				args = append(args, "-m10")
			} else {
				args = append(args, "--h1")
			}
			s := fire(b, append(args, url)...)
			count(b, &s, `, (\d+) succeeded`)
			return s
		}},
		{"oha", func(b *testing.B, url string, n int, d time.Duration, h2 bool) shot {
			b.Helper()
			args := []string{"oha", "--no-tui", "--insecure", "-c", strconv.Itoa(n), "-z", seconds(d) + "s"}
			if h2 {
				args = append(args, "--http2", "-p", "10")
			}
			s := fire(b, append(args, url)...)
			count(b, &s, `\[200\] (\d+) responses`)
			return s
		}},
		{"hey", func(b *testing.B, url string, n int, d time.Duration, h2 bool) shot {
			b.Helper()
			args := []string{"hey", "-c", strconv.Itoa(n), "-z", d.String()}
			if h2 {
				args = append(args, "-h2")
			}
			s := fire(b, append(args, url)...)
			count(b, &s, `\[200\]\s+(\d+) responses`)
			return s
		}},
	}
	if !h2 {
		all = append([]generator{
			{"wrk", func(b *testing.B, url string, n int, d time.Duration, _ bool) shot {
				b.Helper()
				// The others send a User-Agent by default, which costs the server 3%.
				s := fire(b, "wrk", "-t1", "-H", "User-Agent: wrk", "-c", strconv.Itoa(n), "-d", seconds(d)+"s", url)
				count(b, &s, `(\d+) requests in`)
				return s
			}},
			{"ab", func(b *testing.B, url string, n int, d time.Duration, _ bool) shot {
				b.Helper()
				s := fire(b, "ab", "-k", "-q", "-c", strconv.Itoa(n), "-t", seconds(d), "-n", "100000000", url)
				count(b, &s, `Complete requests:\s+(\d+)`)
				return s
			}},
		}, all...)
	}
	var there []generator
	for _, g := range all {
		if _, err := exec.LookPath(g.name); err == nil {
			there = append(there, g)
		}
	}
	return there
}

func medianOf(xs []float64) float64 {
	slices.Sort(xs)
	return xs[len(xs)/2]
}

// BenchmarkLoadConnections holds 10 000 connections on one CPU.
func BenchmarkLoadConnections(b *testing.B) {
	needTwoCPUs(b)
	whet, err := whetBinary()
	if err != nil {
		b.Fatal(err)
	}
	a := loadServer(b)
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil || l.Max < 10_200 {
		b.Skipf("only %d files may be open", l.Max)
	}
	for _, e := range []load.Engine{load.IOUring, load.Epoll} {
		b.Run("engine="+string(e), func(b *testing.B) {
			var peak, rate []float64
			for b.Loop() {
				s := whetLoad(b, whet, "-c", "10000", "-d", "5s", "--engine", string(e), a.Plain)
				if s.result.Connects != 10_000 {
					b.Fatalf("%d connections were opened", s.result.Connects)
				}
				peak, rate = append(peak, s.peak), append(rate, s.result.Rate)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(medianOf(peak), "whet-MB")
			b.ReportMetric(medianOf(rate), "req/s")
		})
	}
}

// BenchmarkLoadMemory shows that memory does not grow with the requests.
func BenchmarkLoadMemory(b *testing.B) {
	needTwoCPUs(b)
	whet, err := whetBinary()
	if err != nil {
		b.Fatal(err)
	}
	a := loadServer(b)
	for _, requests := range []string{"10000", "1000000"} {
		b.Run("requests="+requests, func(b *testing.B) {
			var peak []float64
			for b.Loop() {
				peak = append(peak, whetLoad(b, whet, "-c", "256", "-n", requests, a.Plain).peak)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(medianOf(peak), "whet-MB")
		})
	}
}

// BenchmarkLoadStall compares the latencies of a server that stalls with those that follow from the
// schedule: of evenly spaced requests, one in ten is due while the server stalls, and waits for the
// rest of that second. hey waits with the server and so measures five slow answers per stall. So
// does wrk, but since version 4 it adds the requests that it would have sent at its mean rate,
// which has the same result for stalls at regular intervals.
func BenchmarkLoadStall(b *testing.B) {
	needTwoCPUs(b)
	whet, err := whetBinary()
	if err != nil {
		b.Fatal(err)
	}
	a := loadServer(b)
	// A share 1-q of all requests waits longer than the q-quantile: waits are spread evenly over
	// the second, and stallTime/stallPeriod of the requests have one.
	want := func(q float64) float64 {
		return stallTime.Seconds() * (1 - (1-q)/(stallTime.Seconds()/stallPeriod.Seconds()))
	}
	length := 3 * stallPeriod
	report := func(b *testing.B, name string, p99, p999 float64) {
		b.ReportMetric(p99*1e3, name+"-p99-ms")
		b.ReportMetric(p999*1e3, name+"-p99.9-ms")
		b.ReportMetric(100*(p99/want(.99)-1), name+"-p99-off%")
		b.ReportMetric(100*(p999/want(.999)-1), name+"-p99.9-off%")
	}
	for b.Loop() {
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(want(.99)*1e3, "schedule-p99-ms")
		b.ReportMetric(want(.999)*1e3, "schedule-p99.9-ms")
		s := whetLoad(b, whet, "-r", "1000", "-c", "5", "-d", length.String(), a.Stall)
		report(b, "whet", s.result.Latency.P99.Seconds(), s.result.Latency.P999.Seconds())
		if _, err := exec.LookPath("wrk"); err == nil {
			s := fire(b, "wrk", "-t1", "-c5", "-d", seconds(length)+"s", "-s", wrkPercentiles(b), a.Stall)
			m := regexp.MustCompile(`p99 (\S+) p99.9 (\S+)`).FindSubmatch(s.output)
			if m == nil {
				b.Fatalf("wrk printed\n%s", s.output)
			}
			p99, _ := strconv.ParseFloat(string(m[1]), 64)
			p999, _ := strconv.ParseFloat(string(m[2]), 64)
			report(b, "wrk", p99/1e6, p999/1e6)
		}
		if _, err := exec.LookPath("hey"); err == nil {
			// Its rate is per connection.
			s := fire(b, "hey", "-c", "5", "-q", "200", "-z", length.String(), "-o", "csv", a.Stall)
			var times []float64
			for line := range strings.Lines(string(s.output)) {
				if t, err := strconv.ParseFloat(strings.SplitN(line, ",", 2)[0], 64); err == nil {
					times = append(times, t)
				}
			}
			slices.Sort(times)
			report(b, "hey", times[len(times)*99/100], times[len(times)*999/1000])
		}
	}
}

// wrkPercentiles writes a script that makes wrk print percentiles above 99, too.
func wrkPercentiles(b *testing.B) string {
	b.Helper()
	file := b.TempDir() + "/percentiles.lua"
	script := `done = function(summary, latency) ` +
		`io.write(string.format("p99 %d p99.9 %d\n", latency:percentile(99), latency:percentile(99.9))) end` + "\n"
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		b.Fatal(err)
	}
	return file
}

// BenchmarkLoadSend measures how late requests are sent at a rate at which the generator's CPU is
// mostly idle.
func BenchmarkLoadSend(b *testing.B) {
	needTwoCPUs(b)
	whet, err := whetBinary()
	if err != nil {
		b.Fatal(err)
	}
	a := loadServer(b)
	for _, e := range []load.Engine{load.IOUring, load.Epoll} {
		b.Run("engine="+string(e), func(b *testing.B) {
			var p50, p99, cores []float64
			for b.Loop() {
				s := whetLoad(b, whet, "-r", "20000", "-c", "64", "-d", "5s", "--engine", string(e), a.Plain)
				p50 = append(p50, s.result.SendDelay.P50.Seconds()*1e6)
				p99 = append(p99, s.result.SendDelay.P99.Seconds()*1e6)
				cores = append(cores, s.result.CPU.Cores)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(medianOf(p50), "send-p50-us")
			b.ReportMetric(medianOf(p99), "send-p99-us")
			b.ReportMetric(medianOf(cores), "cores")
		})
	}
}
