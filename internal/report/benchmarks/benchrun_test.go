package benchmarks

import (
	"io"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/internal/bench/rounds"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/reporttest"
)

// TestWriteBenchRun checks that each benchmark has one line, units that do not fit stand below it, and the
// file's configuration is printed once.
func TestWriteBenchRun(t *testing.T) {
	d := &rounds.Result{
		Schema: rounds.Schema, Go: "go1.26", GOGC: "100", Rounds: 6, Elapsed: time.Second,
	}
	for i, name := range []string{"BenchmarkEncode/json", "BenchmarkEncode/gob"} {
		job := gotest.Job{Name: name, Binary: &gotest.Binary{Package: gotest.Package{ImportPath: "example.com/encode"}}}
		var m gotest.JobResult
		for range 6 {
			values := []benchfmt.Value{
				{Value: 1e-6, Unit: "sec/op", OrigValue: 1000, OrigUnit: "ns/op"},
				{Value: 64, Unit: "B/op"},
				{Value: 2, Unit: "allocs/op"},
			}
			if i == 1 {
				values = append(values, benchfmt.Value{Value: 3, Unit: "widgets/op"})
			}
			m.Results = append(m.Results, &gotest.Result{
				Name: name, Procs: 2,
				Config:       []gotest.Field{{Key: "goos", Value: "linux"}, {Key: "pkg", Value: "example.com/encode"}},
				Measurements: []gotest.Measurement{{Iterations: 10, Values: values}},
			})
		}
		if failed := d.Add([]gotest.Job{job}, []gotest.JobResult{m}); failed != nil {
			t.Fatal(failed)
		}
		d.Inside = 900 * time.Millisecond
	}
	if err := d.SetSummary(t.Context()); err != nil {
		t.Fatal(err)
	}
	for width, want := range map[int]string{
		80: `
goos: linux
pkg: example.com/encode
go: go1.26
gomaxprocs: 2
gogc: 100
               sec/op  ±   B/op  ±  allocs/op  ±  widgets/op  ±
Encode/json-2  1.000µ 0%  64.00 0%      2.000 0%
Encode/gob-2   1.000µ 0%  64.00 0%      2.000 0%       3.000 0%
geomean        1.000µ     64.00         2.000

12 rounds of 2 benchmarks in 1s, 90% of it in benchmarks
`,
		40: `
goos: linux
pkg: example.com/encode
go: go1.26
gomaxprocs: 2
gogc: 100
               sec/op  ±   B/op  ±
Encode/json-2  1.000µ 0%  64.00 0%
Encode/gob-2   1.000µ 0%  64.00 0%
geomean        1.000µ     64.00

               allocs/op  ±
Encode/json-2      2.000 0%
Encode/gob-2       2.000 0%
geomean            2.000

               widgets/op  ±
Encode/json-2
Encode/gob-2        3.000 0%
geomean

12 rounds of 2 benchmarks in 1s, 90% of
it in benchmarks
`,
	} {
		var out strings.Builder
		reporttest.RoundTrip(t, d,
			func(w io.Writer, d *rounds.Result) error { return WriteRun(w, layout.Style{Width: width}, d) })
		if err := WriteRun(&out, layout.Style{Width: width}, d); err != nil {
			t.Fatal(err)
		}
		if got := "\n" + out.String(); got != want {
			t.Errorf("%d columns:%s\nwant%s", width, got, want)
		}
	}
}
