package summary_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/trace"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/trace/tracetest"
	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/summary"
)

// served runs go tool trace's server for a trace, and returns its address.
func served(t *testing.T, name string) string {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	path, err := exec.Command("go", "tool", "-n", "trace").Output()
	if err != nil {
		t.Skipf("no go tool trace: %v", err)
	}
	cmd := exec.CommandContext(t.Context(), strings.TrimSpace(string(path)), "-http=127.0.0.1:0", name)
	cmd.Env = append(os.Environ(), "BROWSER=true") // a command that does nothing
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	})
	output := ""
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		output += lines.Text() + "\n"
		if _, address, ok := strings.Cut(lines.Text(), "listening on "); ok {
			go func() { _, _ = io.Copy(io.Discard, stderr) }() // until it is killed
			return address
		}
	}
	t.Fatalf("go tool trace does not print its address:\n%s", output)
	return ""
}

// page gets a page.
func page(t *testing.T, address string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", address, resp.Status, err)
	}
	return string(body)
}

// cells returns the texts of a table's cells, row by row.
func cells(t *testing.T, table string) [][]string {
	t.Helper()
	cell, tag := regexp.MustCompile(`(?s)<t[dh].*?>(.*?)</t[dh]>`), regexp.MustCompile(`(?s)<.*?>`)
	var rows [][]string
	for _, row := range strings.Split(table, "<tr>")[1:] {
		var texts []string
		for _, c := range cell.FindAllStringSubmatch(row, -1) {
			texts = append(texts, strings.TrimSpace(html.UnescapeString(tag.ReplaceAllString(c[1], ""))))
		}
		rows = append(rows, texts)
	}
	return rows
}

// tables returns the tables with class "details" of a page.
func tables(t *testing.T, page string) []string {
	t.Helper()
	var all []string
	for _, part := range strings.Split(page, `<table class="details">`)[1:] {
		table, _, _ := strings.Cut(part, "</table>")
		all = append(all, table)
	}
	if len(all) != 2 {
		t.Fatalf("a page with %d tables:\n%s", len(all), page)
	}
	return all
}

func duration(t *testing.T, text string) time.Duration {
	t.Helper()
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// times are those of a goroutine or region, by the names of go tool trace's columns.
type times map[string]time.Duration

func (t times) add(name string, d time.Duration) {
	if d != 0 {
		t[name] += d
	}
}

// theirs returns the goroutines that run a function, as go tool trace reports them.
func theirs(t *testing.T, address, function string) map[int64]times {
	t.Helper()
	both := tables(t, page(t, address+"/goroutine?name="+url.QueryEscape(function)))
	all := map[int64]times{}
	for i, table := range both {
		rows := cells(t, table)
		for _, row := range rows[1:] {
			id, err := strconv.ParseInt(row[0], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			if all[id] == nil {
				all[id] = times{}
			}
			for k, name := range rows[0] {
				switch {
				case k == 0 || name == "" || i == 1 && name == "Total":
				case i == 1:
					all[id].add("range "+name, duration(t, row[k]))
				case name != "Unknown time": // that is where stays overlap
					all[id].add(name, duration(t, row[k]))
				}
			}
		}
	}
	return all
}

// column returns go tool trace's name of a state.
func column(s summary.Stay) string {
	switch s.Code {
	case index.Running, index.Assist:
		return "Execution time"
	case index.Runnable:
		return "Sched wait time"
	case index.Syscall:
		return "Syscall execution time"
	case index.SyscallBlocked:
		return "Block time (syscall)"
	case index.Unknown, index.Waiting:
	}
	return "Block time (" + s.Name + ")"
}

// ours returns the goroutines of an index in go tool trace's terms.
func ours(t *testing.T, x *index.Index) map[int64]times {
	t.Helper()
	list, others, err := summary.Goroutines(x, 0, summary.Options{Order: summary.ByLife})
	if err != nil || others != 0 {
		t.Fatalf("%d others, %v", others, err)
	}
	all := map[int64]times{}
	for _, g := range list {
		one := times{}
		one.add("Total", g.To-g.From)
		for _, s := range g.Stays {
			one.add(column(s), s.Total)
		}
		all[g.ID] = one
	}
	if err := x.Records(index.Ranges, 0, x.Info.Duration, func(r *index.Record) bool {
		if r.Goroutine > 0 {
			g, err := x.Goroutine(r.Goroutine - 1)
			if err != nil {
				t.Fatal(err)
			}
			all[g.ID].add("range "+x.Name(r.Name), time.Duration(r.To-r.From))
		}
		return true
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// edges returns the goroutines that are in a system call when the trace begins or ends. There, go
// tool trace does not distinguish states as it does within a trace: it treats a call without a
// processor as one with it and, at the end, as waiting for a processor, too.
func edges(t *testing.T, x *index.Index) map[int64]bool {
	t.Helper()
	at := map[uint32]bool{}
	if err := x.Spans(0, x.Info.Duration, func(s index.Span) bool {
		if (s.Code == index.Syscall || s.Code == index.SyscallBlocked) && (s.From == 0 || s.To == x.Info.Duration) {
			at[s.Goroutine] = true
		}
		return true
	}); err != nil {
		t.Fatal(err)
	}
	ids := map[int64]bool{}
	for g := range at {
		one, err := x.Goroutine(g)
		if err != nil {
			t.Fatal(err)
		}
		ids[one.ID] = true
	}
	return ids
}

// opened writes a trace and its index to files.
func opened(t *testing.T, data []byte) (name string, x *index.Index) {
	t.Helper()
	name = filepath.Join(t.TempDir(), "trace.out")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return name, tracetest.Index(t, data)
}

// traced returns a trace of run.
func traced(t *testing.T, run func()) []byte {
	t.Helper()
	var data bytes.Buffer
	if err := trace.Start(&data); err != nil {
		t.Fatal(err)
	}
	run()
	trace.Stop()
	return data.Bytes()
}

// server traces a server that answers while its garbage is collected, and goroutines that read
// files.
func server(t *testing.T) []byte {
	var mu sync.Mutex
	var kept [][]byte
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer trace.StartRegion(r.Context(), "answer").End()
		mu.Lock()
		kept = append(kept, make([]byte, 64<<10))
		if len(kept) > 200 {
			kept = nil
		}
		mu.Unlock()
		trace.WithRegion(r.Context(), "file", func() {
			if _, err := os.ReadFile("oracle_test.go"); err != nil {
				t.Error(err)
			}
		})
		_, _ = fmt.Fprintln(w, "hello")
	}))
	defer s.Close()
	ask := func(n int) {
		for range n {
			resp, err := s.Client().Get(s.URL)
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
	}
	ask(1)
	return traced(t, func() {
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() { ask(200) })
		}
		wg.Wait()
	})
}

// tasks traces goroutines that work for tasks, with regions in regions, and much garbage.
func tasks(t *testing.T) []byte {
	type node struct{ left, right *node }
	var tree func(depth int) *node
	tree = func(depth int) *node {
		if depth == 0 {
			return &node{}
		}
		return &node{tree(depth - 1), tree(depth - 1)}
	}
	return traced(t, func() {
		var wg sync.WaitGroup
		results := make(chan *node)
		for range 6 {
			wg.Go(func() {
				ctx, task := trace.NewTask(context.Background(), "build")
				defer task.End()
				for range 4 {
					trace.WithRegion(ctx, "outer", func() {
						trace.WithRegion(ctx, "inner", func() { results <- tree(12) })
						runtime.Gosched()
					})
				}
			})
		}
		go func() { wg.Wait(); close(results) }()
		var kept []*node
		for n := range results {
			kept = append(kept, n)
		}
		runtime.KeepAlive(kept)
	})
}

// TestOracle compares goroutines and regions with go tool trace's.
func TestOracle(t *testing.T) {
	for name, record := range map[string]func(*testing.T) []byte{"server": server, "tasks": tasks} {
		t.Run(name, func(t *testing.T) {
			data := record(t)
			file, x := opened(t, data)
			address := served(t, file)
			sameGoroutines(t, address, x)
			sameRegions(t, address, x)
		})
	}
}

func sameGoroutines(t *testing.T, address string, x *index.Index) {
	t.Helper()
	table := regexp.MustCompile(`href="/goroutine\?name=([^"]*)"`)
	got, edge := ours(t, x), edges(t, x)
	groups, err := summary.Groups(x, summary.ByStart, summary.Options{})
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]summary.Group{}
	for _, g := range groups {
		byName[g.Name] = g
	}
	links := table.FindAllStringSubmatch(page(t, address+"/goroutines"), -1)
	if len(links) != len(groups) || len(links) < 5 {
		t.Fatalf("%d kinds of goroutines, want %d", len(groups), len(links))
	}
	checked, seen := 0, times{}
	for _, link := range links {
		function, err := url.QueryUnescape(html.UnescapeString(link[1]))
		if err != nil {
			t.Fatal(err)
		}
		total := times{}
		all := theirs(t, address, function)
		for id, want := range all {
			have := got[id]
			if edge[id] {
				for _, one := range []times{have, want} {
					delete(one, "Sched wait time")
					delete(one, "Syscall execution time")
					delete(one, "Block time (syscall)")
				}
			}
			for name := range want {
				total.add(name, want[name])
				seen.add(name, want[name])
			}
			if fmt.Sprint(have) != fmt.Sprint(want) {
				t.Errorf("goroutine %d of %s: %v, want %v", id, function, have, want)
			}
			checked++
		}
		sameGroup(t, byName[function], all, edge, total)
	}
	if checked != len(got) {
		t.Errorf("go tool trace has %d goroutines, here are %d", checked, len(got))
	}
	for _, name := range []string{"Execution time", "Sched wait time"} {
		if seen[name] == 0 {
			t.Errorf("the trace has no %s", name)
		}
	}
	t.Logf("compared: %v", seen)
}

// sameGroup compares a group with the sum of its goroutines.
func sameGroup(t *testing.T, g summary.Group, all map[int64]times, edge map[int64]bool, want times) {
	t.Helper()
	have := times{}
	have.add("Total", g.Time)
	for _, s := range g.Stays {
		have.add(column(s), s.Total)
	}
	for _, r := range g.Ranges {
		have.add("range "+r.Name, r.Total)
	}
	for id := range all {
		if edge[id] {
			for _, one := range []times{have, want} {
				delete(one, "Sched wait time")
				delete(one, "Syscall execution time")
				delete(one, "Block time (syscall)")
			}
		}
	}
	if fmt.Sprint(have) != fmt.Sprint(want) || g.Goroutines != int64(len(all)) {
		t.Errorf("%d goroutines of %s: %v, want %d and %v", g.Goroutines, g.Name, have, len(all), want)
	}
	if longest := all[g.Longest.ID]["Total"]; longest != g.Longest.Life {
		t.Errorf("the longest of %s is there for %v, want %v", g.Name, g.Longest.Life, longest)
	}
}

func sameRegions(t *testing.T, address string, x *index.Index) {
	t.Helper()
	got := map[string][]string{}
	if err := x.Records(index.Regions, 0, x.Info.Duration, func(r *index.Record) bool {
		g, err := x.Goroutine(r.Goroutine - 1)
		if err != nil {
			t.Fatal(err)
		}
		task := ""
		if r.Task != 0 {
			task = fmt.Sprint(r.Task)
		}
		name := x.Name(r.Name)
		got[name] = append(got[name], fmt.Sprint(g.ID, " ", task, " ", time.Duration(r.To-r.From)))
		return true
	}); err != nil {
		t.Fatal(err)
	}
	if len(got) == 0 {
		t.Fatal("no regions")
	}
	for name, list := range got {
		var want []string
		for _, row := range cells(t, tables(t, page(t, address+"/userregion?type="+url.QueryEscape(name)))[0])[1:] {
			want = append(want, fmt.Sprint(row[0], " ", row[1], " ", duration(t, row[2])))
		}
		slices.Sort(list)
		slices.Sort(want)
		if len(want) == 0 || !slices.Equal(list, want) {
			t.Errorf("regions %q: %d, want %d", name, len(list), len(want))
			for i := range min(len(list), len(want)) {
				if list[i] != want[i] {
					t.Logf("%s, want %s", list[i], want[i])
					break
				}
			}
		}
	}
}
