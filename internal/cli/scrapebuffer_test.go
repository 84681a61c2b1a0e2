package cli_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/scrape"
	"github.com/whet-go/whet/internal/scrape/buffer"
	"github.com/whet-go/whet/internal/store/documents"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store"
)

// What an unreliable store answers.
const (
	gone     = iota // nothing: connections are closed
	busy            // 429
	broken          // 503
	reliable        // what the store behind it does
)

// unreliable is in front of a store, and can fail. It keeps when the profiles began that it stored.
type unreliable struct {
	mode  atomic.Int32
	proxy http.Handler

	mu    sync.Mutex
	times []time.Time
}

func (u *unreliable) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch u.mode.Load() {
	case gone:
		panic(http.ErrAbortHandler)
	case busy:
		w.Header().Set("Retry-After", "1")
		http.Error(w, "too many profiles", http.StatusTooManyRequests)
		return
	case broken:
		http.Error(w, "the disk is full", http.StatusServiceUnavailable)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if p, err := profile.Read(bytes.NewReader(body), profile.ReadOptions{}); err == nil {
		u.mu.Lock()
		u.times = append(u.times, p.Time)
		u.mu.Unlock()
	}
	u.proxy.ServeHTTP(w, r)
}

// scraper is a process that scrapes.
type scraper struct {
	t      *testing.T
	cmd    *exec.Cmd
	lines  *bufio.Scanner
	stderr output
}

// output is what a process has written.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{}
}

// Write implements io.Writer.
func (o *output) Write(data []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.more != nil {
		close(o.more)
		o.more = nil
	}
	return o.text.Write(data)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// wait waits until the process has written part n times.
func (o *output) wait(t *testing.T, part string, n int) {
	t.Helper()
	for {
		o.mu.Lock()
		if o.more == nil {
			o.more = make(chan struct{})
		}
		more, text := o.more, o.text.String()
		o.mu.Unlock()
		if strings.Count(text, part) >= n {
			return
		}
		select {
		case <-more:
		case <-time.After(time.Minute):
			t.Fatalf("no %q in\n%s", part, text)
		}
	}
}

func startScraper(t *testing.T, args ...string) *scraper {
	t.Helper()
	w := &scraper{t: t, cmd: exec.Command("whet", append([]string{"watch", "--json"}, args...)...)}
	w.cmd.Stderr = &w.stderr
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = w.cmd.Process.Kill() // it has ended, if the test passed
		_ = w.cmd.Wait()
	})
	w.lines = bufio.NewScanner(out)
	return w
}

// scrape waits for a scrape that yields profiles.
func (w *scraper) scrape() scrape.Event {
	w.t.Helper()
	for w.lines.Scan() {
		var e scrape.Event
		if err := json.Unmarshal(w.lines.Bytes(), &e); err != nil {
			w.t.Fatalf("%s: %v", w.lines.Bytes(), err)
		}
		if e.Stored() > 0 {
			return e
		}
	}
	err := w.cmd.Wait()
	w.t.Fatalf("no more scrapes: %v\n%s", err, &w.stderr)
	return scrape.Event{}
}

// end interrupts the process, and returns what it wrote to stderr.
func (w *scraper) end() string {
	w.t.Helper()
	if err := w.cmd.Process.Signal(os.Interrupt); err != nil {
		w.t.Fatal(err)
	}
	for w.lines.Scan() { // the rest
	}
	if err := w.cmd.Wait(); err != nil {
		w.t.Errorf("%v\n%s", err, &w.stderr)
	}
	return w.stderr.String()
}

// heapConfig returns a configuration that scrapes one kind each second.
func heapConfig(t *testing.T) string {
	t.Helper()
	config := scrapedService(t)
	data, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("2s", "1s", "[cpu, heap, block]", "[heap]").
		Replace(string(data))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return config
}

// storedIDs counts the stored profiles by their IDs.
func storedIDs(t *testing.T, address string) map[string]int {
	t.Helper()
	exit, stdout, errs := runWhet(t, "query", "profiles", "{}", "-n", "10000", "--json", "--store", address)
	if exit != 0 {
		t.Fatalf("exit code %d\n%s", exit, errs)
	}
	var doc documents.Profiles
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil {
		t.Fatal(err)
	}
	ids := map[string]int{}
	for _, m := range doc.Profiles {
		ids[m.ID.String()]++
	}
	return ids
}

// kept returns the IDs of the profiles in copies of a buffer's files, in order.
func kept(t *testing.T, dir string) []string {
	t.Helper()
	copied := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	b, err := buffer.Open(copied, buffer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}()
	var ids []string
	for b.Stats().Profiles > 0 {
		batch, err := b.First(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i := range batch.Profiles {
			ids = append(ids, store.NewID(&batch.Profiles[i]).String())
		}
		b.Remove(batch)
	}
	return ids
}

// TestWatchBuffer has a store that is away, refuses and fails, and a watcher that is killed meanwhile:
// all profiles that it had on disk are stored afterwards, each once and in order.
func TestWatchBuffer(t *testing.T) {
	config := heapConfig(t)
	address := serving(t, "--store", filepath.Join(t.TempDir(), "profiles"), t.TempDir())
	to, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u := &unreliable{proxy: &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}}
	front := httptest.NewServer(u)
	t.Cleanup(front.Close)
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // the directory of the user's cache on Linux
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"--config", config, "--store", front.URL}

	files := func() []string {
		names, err := filepath.Glob(filepath.Join(cache, "whet", "buffers", "*", "*.profiles"))
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	w := startScraper(t, args...)
	for len(files()) < 3 {
		w.scrape()
	}
	if err := w.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = w.cmd.Wait() // killed
	dir := filepath.Dir(files()[0])
	want := kept(t, dir)
	if len(want) < 3 {
		t.Fatalf("%d profiles are on disk", len(want))
	}

	w = startScraper(t, args...)
	for _, mode := range []int32{busy, broken} {
		u.mode.Store(mode)
		for before := len(files()); len(files()) <= before; {
			w.scrape()
		}
	}
	if exit, _, errs := runWhet(t, "watch", "--config", config, "--store", front.URL, "--buffer", dir); exit != 1 ||
		!strings.Contains(errs, "another process uses it") ||
		!strings.Contains(errs, "hint: give each process its own --buffer") {
		t.Errorf("two processes: exit code %d\n%s", exit, errs)
	}
	u.mode.Store(reliable)
	for len(files()) > 0 {
		w.scrape()
	}
	last := w.scrape() // stored directly
	text := w.end()
	ids := storedIDs(t, address)
	for _, id := range want {
		if ids[id] != 1 {
			t.Errorf("profile %s is stored %d times", id, ids[id])
		}
	}
	for id, n := range ids {
		if n != 1 {
			t.Errorf("profile %s is stored %d times", id, n)
		}
	}
	if len(ids) <= len(want)+2 {
		t.Errorf("%d profiles are stored, %d of them were on disk", len(ids), len(want))
	}
	u.mu.Lock()
	times := slices.Clone(u.times)
	u.mu.Unlock()
	if !slices.IsSortedFunc(times, time.Time.Compare) || times[len(times)-1].Before(last.Time.Add(-time.Second)) {
		t.Errorf("not in order: %v, the last scrape was at %v", times, last.Time)
	}
	for _, part := range []string{
		fmt.Sprintf("; profiles are kept in %s", dir), "the store works again", "profiles stored: ",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
}

// TestWatchKeeps ends a watcher in order while the store is away: it says what it keeps.
func TestWatchKeeps(t *testing.T) {
	u := &unreliable{}
	front := httptest.NewServer(u)
	t.Cleanup(front.Close)
	dir := filepath.Join(t.TempDir(), "buffer")
	w := startScraper(t, "--config", heapConfig(t), "--store", front.URL, "--buffer", dir, "--buffer-size", "10MB")
	w.scrape()
	text := w.end()
	n := len(kept(t, dir))
	if n == 0 || !strings.Contains(text, fmt.Sprintf("profiles kept in %s until the next start: %d\n", dir, n)) ||
		!strings.Contains(text, "profiles stored: 0, dropped: 0, refused: 0") {
		t.Errorf("%d are kept:\n%s", n, text)
	}
}

// TestWatchBuffers has two processes with one configuration, which share its targets: each has its own
// buffer without naming one.
func TestWatchBuffers(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache) // the directory of the user's cache on Linux
	config := heapConfig(t)
	st := serving(t, "--store", t.TempDir(), t.TempDir())
	one := startScraper(t, "--config", config, "--store", st)
	two := startScraper(t, "--config", config, "--store", st)
	one.scrape()
	two.scrape()
	entries, err := os.ReadDir(filepath.Join(cache, "whet", "buffers"))
	if err != nil || len(entries) != 2 || entries[1].Name() != entries[0].Name()+"-2" {
		t.Errorf("%v, %v", entries, err)
	}
	one.end()
	two.end()
}

// TestWatchReload changes the configuration of a watcher: it takes it when the process gets SIGHUP, or
// else after some seconds, and goes on with the old one if the new one is wrong.
func TestWatchReload(t *testing.T) {
	config := heapConfig(t)
	data, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	change := func(from, to string) {
		t.Helper()
		changed := strings.Replace(string(data), from, to, 1)
		if changed == string(data) {
			t.Fatalf("no %q in the configuration", from)
		}
		if err := os.WriteFile(config, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w := startScraper(t, "--config", config, "--store", filepath.Join(t.TempDir(), "profiles"))
	hangUp := func() {
		t.Helper()
		if err := w.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	if e := w.scrape(); e.Service != "shop" {
		t.Errorf("%+v", e)
	}
	change("job_name: shop", "job_name: mail")
	hangUp()
	w.stderr.wait(t, "configuration read again; jobs: 1, new or changed: 1\n", 1)
	for w.scrape().Service != "mail" {
	}
	change("[heap]", "[heap, cpux]")
	hangUp()
	w.stderr.wait(t, "the configuration is not changed: "+config+":6: ", 1)
	if e := w.scrape(); e.Service != "mail" {
		t.Errorf("%+v", e)
	}
	change("job_name: shop", "job_name: mail # as before")
	w.stderr.wait(t, "configuration read again; jobs: 1, new or changed: 0\n", 1) // without a signal
	text := w.end()
	if strings.Contains(text, "the-token") {
		t.Errorf("the token is in the output: %s", text)
	}
}
