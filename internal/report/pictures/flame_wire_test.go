package pictures

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/whet-go/whet/internal/golden"
	"github.com/whet-go/whet/internal/report/pages"
	"github.com/whet-go/whet/internal/report/reporttest"
	"github.com/whet-go/whet/unit"
)

// TestFlameWireTypes keeps the page's types those of Go.
func TestFlameWireTypes(t *testing.T) {
	reporttest.PageTypes(t, "../../../ui/src/api/flame.ts", reflect.TypeFor[pages.Fact](), reflect.TypeFor[flameDocView](),
		reflect.TypeFor[flameDoc]())
}

// TestFlameUnits writes what package unit makes of many quantities. The page's own
// formatting (ui/src/lib/format.ts) is tested against the same file.
func TestFlameUnits(t *testing.T) {
	type sample struct {
		Value int64  `json:"value"`
		Unit  string `json:"unit"`
		Total int64  `json:"total"`
		Text  string `json:"text"`
		Share string `json:"share"`
	}
	r := rand.New(rand.NewPCG(7, 7))
	var all []sample
	for _, u := range []string{
		"nanoseconds", "ns", "microseconds", "ms", "seconds", "bytes", "kilobytes", "MB", "count",
		"objects", "", "samples",
	} {
		values := []int64{0, 1, -1, 999, 1000, 1023, 1024, 59_999, 1_500_000, -2_500_000_000, 3_600_000_000_000}
		for range 10 {
			values = append(values, int64(r.Uint64()>>(16+r.UintN(46))))
		}
		for _, v := range values {
			total := v + int64(r.Uint64()>>(16+r.UintN(40)))
			if share := unit.Share(v, total); share != 0 && share < 1e-6 && share > -1e-6 {
				total = 0 // the page says only that it is next to nothing
			}
			all = append(all, sample{v, u, total, unit.Of(v, u).String(), unit.Percent(v, total)})
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for _, s := range all { // one per line, for diffs
		if err := enc.Encode(s); err != nil {
			t.Fatal(err)
		}
	}
	golden.Check(t, "testdata/flame-units.jsonl", b.Bytes())
}
