package measured

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/store"
)

func TestRead(t *testing.T) {
	at := time.Date(2026, 5, 4, 3, 0, 0, 0, time.UTC)
	for text, want := range map[string]Document{
		`{"schema":"whet.load/2","started":"2026-05-04T03:00:00Z","rate":1234.5,"latency":{"p99_ns":2500000}}`: {
			Kind: Load, Time: at, About: "1234 requests/s, p99 2.50ms",
		},
		` {"schema":"whet.find/2","module":"example.com/m","findings":[{},{}]}`: {
			Kind: Find, Module: "example.com/m", About: "2 findings",
		},
		`{"schema":"whet.fix/2","module":"m","attempts":[{}]}`: {
			Kind: Fix, Module: "m", About: "1 attempt",
		},
		`{"schema":"whet.prove/1","module":"m","outcome":"faster","reason":"x\ny"}`: {
			Kind: Prove, Module: "m", About: "faster: x",
		},
		`{"schema":"whet.prove/9","outcome":"unproven","errors":{"a":1},"findings":{}}`: {Kind: Prove, About: "unproven"},
		"goos: linux\nBenchmarkA-2 10 5 ns/op\nBenchmarkA-2 10 6 ns/op\n":               {Kind: Bench, About: "1 benchmark"},
		"BenchmarkA-2 10 5 ns/op\nBenchmarkB 10 6 ns/op\nPASS\n":                        {Kind: Bench, About: "2 benchmarks"},
	} {
		if got, err := Read([]byte(text)); err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "{", `{"schema":"whet.top/1"}`, `{"schema":1}`, "PASS\n", `{"schema":"whet.load/2","rate":"x"}`, "[]",
	} {
		if got, err := Read([]byte(text)); !errors.Is(err, ErrUnknown) {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}

func TestNewEntry(t *testing.T) {
	r := store.Result{Kind: Prove, Service: "m", Time: time.Unix(1e9, 0), Document: []byte(`{"schema":"whet.prove/1",
		"outcome":"` + strings.Repeat("é", 300) + `"}`)}
	e := NewEntry(&r, false)
	if e.ID != r.ID() || e.Document != "" || e.Size != len(r.Document) || len(e.About) > maxAbout+3 ||
		!strings.HasSuffix(e.About, "é…") {
		t.Errorf("%+v", e)
	}
	r.Document = []byte("other")
	if e := NewEntry(&r, true); e.About != "" || e.Document != "other" {
		t.Errorf("%+v", e)
	}
}

// FuzzRead reads any bytes.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"schema":"whet.find/2","module":"m","findings":[{}]}`))
	f.Add([]byte("BenchmarkA-2 10 5 ns/op\n"))
	f.Fuzz(func(t *testing.T, document []byte) {
		d, err := Read(document)
		if err == nil && (d.Kind == "" || len(d.About) > maxAbout+3) {
			t.Errorf("%+v", d)
		}
		if _, err := json.Marshal(d); err != nil {
			t.Error(err)
		}
	})
}
