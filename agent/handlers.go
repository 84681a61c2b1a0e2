package agent

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	defaultProfileWindow = 30 * time.Second
	defaultTraceWindow   = time.Second
	maxWindow            = time.Hour
	maxSymbolBody        = 1 << 20
)

func (a *Agent) routes() http.Handler {
	mux := http.NewServeMux()
	handle := func(pattern string, h http.HandlerFunc) {
		method, path, _ := strings.Cut(pattern, " ")
		mux.HandleFunc(method+" "+a.prefix+"/"+path, h)
	}
	handle("GET ", a.index)
	handle("GET cmdline", cmdline)
	handle("GET profile", cpuProfile)
	handle("GET trace", executionTrace)
	handle("GET symbol", symbol)
	handle("POST symbol", symbol)
	handle("GET whet", a.info)
	handle("GET flight", a.flight.serve)
	handle("GET slow", a.slow.serve)
	handle("GET {name}", named)
	return mux
}

// serveError answers with plain text, which go tool pprof shows to its user.
func serveError(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Go-Pprof", "1")
	w.Header().Del("Content-Disposition")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n") // the caller may have disconnected
}

func cmdline(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, strings.Join(os.Args, "\x00"))
}

// window reads the request's seconds parameter, a decimal number.
func window(r *http.Request, otherwise time.Duration) (time.Duration, error) {
	text := r.FormValue("seconds")
	if text == "" {
		return otherwise, nil
	}
	seconds, err := strconv.ParseFloat(text, 64)
	// Written so that NaN is rejected too.
	if err != nil || !(seconds > 0 && seconds <= maxWindow.Seconds()) {
		return 0, fmt.Errorf("invalid seconds=%s (want a number above 0 and at most %v)", text, maxWindow.Seconds())
	}
	return time.Duration(seconds * float64(time.Second)), nil
}

// sleep waits for d, or until the caller disconnects or the agent closes.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func attach(w http.ResponseWriter, name string) {
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
}

// cpuProfile runs the CPU profiler for the requested window. It ends early when the caller
// disconnects, so that the next caller can use the profiler.
func cpuProfile(w http.ResponseWriter, r *http.Request) {
	d, err := window(r, defaultProfileWindow)
	if err != nil {
		serveError(w, http.StatusBadRequest, err.Error())
		return
	}
	attach(w, "profile")
	if err := pprof.StartCPUProfile(w); err != nil {
		serveError(w, http.StatusInternalServerError, "start CPU profile: "+err.Error())
		return
	}
	sleep(r.Context(), d)
	pprof.StopCPUProfile()
}

func executionTrace(w http.ResponseWriter, r *http.Request) {
	d, err := window(r, defaultTraceWindow)
	if err != nil {
		serveError(w, http.StatusBadRequest, err.Error())
		return
	}
	attach(w, "trace")
	if err := trace.Start(w); err != nil {
		serveError(w, http.StatusInternalServerError, "start trace: "+err.Error())
		return
	}
	sleep(r.Context(), d)
	trace.Stop()
}

// named serves one of the runtime's profiles, or one that the program made with [pprof.NewProfile].
func named(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	p := pprof.Lookup(name)
	if p == nil {
		serveError(w, http.StatusNotFound, "unknown profile "+strconv.Quote(name))
		return
	}
	if r.FormValue("seconds") != "" {
		serveError(w, http.StatusBadRequest,
			"this agent does not subtract profiles: take the profile twice and subtract the first, as whet record does")
		return
	}
	if gc, _ := strconv.Atoi(r.FormValue("gc")); gc > 0 && (name == "heap" || name == "allocs") {
		runtime.GC()
	}
	debug, _ := strconv.Atoi(r.FormValue("debug"))
	if debug == 0 {
		attach(w, name)
	} else {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	}
	_ = p.WriteTo(w, debug) // the caller sees a short body
}

// symbol maps program counters to function names, as go tool pprof requests them: counters
// separated by plus signs, in the body or in the query.
func symbol(w http.ResponseWriter, r *http.Request) {
	var in io.Reader = strings.NewReader(r.URL.RawQuery)
	if r.Method == http.MethodPost {
		in = http.MaxBytesReader(w, r.Body, maxSymbolBody)
	}
	var out bytes.Buffer
	out.WriteString("num_symbols: 1\n") // any number but 0 means that there are symbols
	for br := bufio.NewReader(in); ; {
		word, err := br.ReadString('+')
		if pc, _ := strconv.ParseUint(strings.TrimSuffix(word, "+"), 0, 64); pc != 0 {
			if f := runtime.FuncForPC(uintptr(pc)); f != nil {
				fmt.Fprintf(&out, "%#x %s\n", pc, f.Name())
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			serveError(w, http.StatusBadRequest, "read counters: "+err.Error())
			return
		}
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write(out.Bytes())
}

func (a *Agent) info(w http.ResponseWriter, _ *http.Request) {
	info := readInfo(a.rates)
	info.Flight = a.flight.info()
	data, err := json.MarshalIndent(info, "", "  ")
	if err != nil {
		serveError(w, http.StatusInternalServerError, "encode info: "+err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(data, '\n'))
}

// index lists the profiles, in the format of net/http/pprof's index.
func (a *Agent) index(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != a.prefix+"/" {
		serveError(w, http.StatusNotFound, "page not found; the index is "+a.prefix+"/")
		return
	}
	type entry struct{ name, href, count, text string }
	entries := []entry{
		{"cmdline", "cmdline", "", "command line, separated by NUL bytes"},
		{"profile", "profile?seconds=30", "", "CPU profile of the next seconds"},
		{"symbol", "symbol", "", "names of functions by program counter"},
		{"trace", "trace?seconds=1", "", "execution trace of the next seconds"},
		{"whet", "whet", "", "build information, rates and runtime metrics of this process, as JSON"},
	}
	if a.flight != nil {
		entries = append(entries, entry{"flight", "flight", "", "execution trace of the last seconds"})
	}
	if a.slow.watched.Load() {
		entries = append(entries, entry{"slow", "slow?than=1s", "", "the next request slower than the given limit, as JSON"})
	}
	for _, p := range pprof.Profiles() {
		entries = append(entries, entry{p.Name(), p.Name() + "?debug=1", strconv.Itoa(p.Count()), describe(p.Name())})
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })

	var out bytes.Buffer
	out.WriteString("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" +
		html.EscapeString(a.prefix) + "/</title></head><body>\n<table>\n")
	out.WriteString("<tr><th>Count</th><th>Profile</th><th></th></tr>\n")
	for _, e := range entries {
		// A program may give its own profiles any name.
		fmt.Fprintf(&out, "<tr><td>%s</td><td><a href='%s'>%s</a></td><td>%s</td></tr>\n", e.count, html.EscapeString(e.href),
			html.EscapeString(e.name), e.text)
	}
	out.WriteString("</table>\n</body></html>\n")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(out.Bytes())
}

func describe(name string) string {
	switch name {
	case "allocs":
		return "all allocations since the start, sampled"
	case "block":
		return "where goroutines waited for channels, locks and conditions"
	case "goroutine":
		return "stacks of all goroutines"
	case "goroutineleak":
		return "stacks of goroutines that are blocked forever"
	case "heap":
		return "live objects as of the last garbage collection, sampled; gc=1 collects first"
	case "mutex":
		return "where contended locks were held"
	case "threadcreate":
		return "stacks that created threads"
	}
	return ""
}
