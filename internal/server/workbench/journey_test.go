package workbench

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/collect"
	"github.com/whet-go/whet/internal/hostile"
	"github.com/whet-go/whet/internal/report/reporttest"
	"github.com/whet-go/whet/internal/server/access"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/ui"
)

// joinSlowly and joinQuickly do the same.
func joinSlowly(n int) string {
	text := ""
	for i := range n {
		text += strconv.Itoa(i) //nolint:perfsprint // the cost that the journey finds
	}
	return text
}

func joinQuickly(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strconv.Itoa(i))
	}
	return b.String()
}

// debugMux serves the profiles of this process.
func debugMux() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	return mux
}

// service serves join at / and its profiles.
func service(t *testing.T, join func(int) string) string {
	t.Helper()
	mux := debugMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(join(400))) // the client may be gone
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

// record records a service under load.
func record(t *testing.T, address, out string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	sum, err := collect.Run(ctx, collect.Options{
		URL: address, Out: out, Duration: 3 * time.Second, Trace: time.Second,
		Load: &load.Options{URL: address + "/", Connections: 2},
	})
	if err != nil || len(sum.Failures) > 0 {
		t.Fatal(err, sum)
	}
}

// TestJourney walks through the pages in a real browser, as ui/journey/workbench.mjs says.
// WHET_SHOTS names a directory for its screenshots.
func TestJourney(t *testing.T) {
	reporttest.RunJourney(t, "workbench.mjs", func() map[string][]byte {
		dir := t.TempDir()
		record(t, service(t, joinSlowly), filepath.Join(dir, "before.whet"))
		target := service(t, joinQuickly)
		record(t, target, filepath.Join(dir, "after.whet"))
		// Foreign names: markup, and what a terminal would interpret.
		markup := `</script><script>window.pwned=1</script><img src=x onerror="window.pwned=1">`
		after, err := os.ReadFile(filepath.Join(dir, "after.whet"))
		if err != nil {
			t.Fatal(err)
		}
		foreign := t.TempDir()
		for name, data := range map[string][]byte{
			"hostile.whet":    hostile.RecordingOf(markup + hostile.Terminal),
			"strings.pb.gz":   hostile.Gzip(hostile.Strings(markup + hostile.Terminal)),
			"labels.pb.gz":    hostile.Gzip(hostile.Labels(1_000_000)),
			"labels.whet":     hostile.Recording(hostile.Gzip(hostile.Labels(1_000_000))),
			"wide.pb.gz":      wide(t, 300),
			"keys.pb.gz":      hostile.Gzip(hostile.LabelKeys(1_000_000)),
			"cut.whet":        after[:len(after)*2/3],
			"<b>markup.whet":  after,
			"damaged.pb.gz":   []byte("\x1f\x8bdamaged"),
			"empty.whet":      nil,
			"empty.pb.gz":     nil,
			"head.whet":       after[:100],
			"cut.trace":       []byte("go 1.26 trace\x00\x00\x00"),
			"cut.json":        []byte(`{"schema": "whet.find/2", "findings": [`),
			"deep/older.whet": after,
		} {
			path := filepath.Join(foreign, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		largeRecording(t, filepath.Join(foreign, "large.whet"), 2<<30)
		for name, data := range resultFiles(t) {
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			old := time.Now().Add(-time.Hour)
			if err := os.Chtimes(path, old, old); err != nil {
				t.Fatal(err)
			}
		}
		for i, name := range []string{"before.whet", "after.whet"} { // the newest, in this order
			at := time.Now().Add(time.Duration(i) * time.Minute)
			if err := os.Chtimes(filepath.Join(dir, name), at, at); err != nil {
				t.Fatal(err)
			}
		}
		for name, of := range map[string]string{"first-load.json": "before.whet", "second-load.json": "after.whet"} {
			writeLoad(t, filepath.Join(dir, of), filepath.Join(dir, name))
		}
		s, _ := serveDir(t, dir, access.Options{}, func(o *Options) {
			o.Assets = ui.App()
			o.Roots = []string{"recordings"}
			o.Own = []string{"github.com/whet-go/whet"}
			o.Targets = []Target{{Address: target, Name: target}}
			o.Loads = []Load{{Name: target + "/", Options: load.Options{URL: target + "/", Connections: 2}}}
		})
		locked, _ := serveDir(t, dir, access.Options{Token: strings.Repeat("journey", 3)},
			func(o *Options) { o.Assets = ui.App() })
		others, _ := serveDir(t, foreign, access.Options{}, func(o *Options) { o.Assets = ui.App() })
		addresses := map[string][]byte{"service": []byte(target)}
		for name, handler := range map[string]http.Handler{"address": s, "locked": locked, "foreign": others} {
			server := httptest.NewServer(handler)
			t.Cleanup(server.Close)
			addresses[name] = []byte(server.URL)
		}
		return addresses
	})
}

// writeLoad writes the load of a recording as whet load --json does.
func writeLoad(t *testing.T, from, to string) {
	t.Helper()
	r, err := recording.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }() // it was only read
	var l load.Result
	if err := r.JSON(recording.LoadPart, &l); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestServices has both functions return the same.
func TestServices(t *testing.T) {
	if a, b := joinSlowly(30), joinQuickly(30); a != b || !strings.HasSuffix(a, "2829") {
		t.Errorf("%q, %q", a, b)
	}
}
