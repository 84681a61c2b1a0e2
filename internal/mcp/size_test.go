package mcp

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/whet-go/whet/internal/mcp/fit"
)

// fill sets all that is in a value: texts of some length, and lists with many elements, fewer where lists are in lists.
func fill(v reflect.Value, text string, elements int) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), text, elements)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); (f.IsExported() || f.Anonymous) && f.Type != reflect.TypeFor[fit.Truncated]() {
				fill(v.Field(i), text, elements)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), elements, elements))
		for i := range elements {
			fill(v.Index(i), text, elements/4+1)
		}
	case reflect.String:
		v.SetString(text)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(1234567)
	case reflect.Float64:
		v.SetFloat(0.123456789)
	case reflect.Bool:
		v.SetBool(true)
	}
}

// results returns an empty result of each tool.
func results() []fit.Shrinker {
	return []fit.Shrinker{
		&recordResult{}, &hotLines{}, &lineEvidence{}, &foundResult{}, &verdict{}, &comparison{}, &loadResult{},
		&traceResult{},
	}
}

// TestSizes has results of all tools with long lists, long texts, and both: each fits into the limit, and describes
// where the rest is. The smallest limit works, too.
func TestSizes(t *testing.T) {
	for _, limit := range []int{fit.DefaultLimit, minMaxResult} {
		for _, size := range []struct{ elements, text int }{{40, 20}, {1, 20_000}, {6, 2000}} {
			for _, r := range results() {
				fill(reflect.ValueOf(r).Elem(), strings.Repeat("é\"\n", size.text/4), size.elements)
				before, err := json.Marshal(r)
				if err != nil {
					t.Fatal(err)
				}
				name := fmt.Sprintf("%T with %d elements and texts of %d bytes", r, size.elements, size.text)
				got, err := fit.Result(r, limit, "see there")
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				text := got.Content[0].(*sdk.TextContent).Text
				got.StructuredContent = json.RawMessage(text)
				whole, err := json.Marshal(got)
				if err != nil || len(whole) > limit || !utf8.ValidString(text) {
					t.Errorf("%s: %v, %d bytes, limit %d", name, err, len(whole), limit)
				}
				if text != string(before) && !strings.Contains(text, `"truncated":"see there"`) {
					t.Errorf("%s: %d bytes do not say where the rest is", name, len(whole))
				}
			}
		}
	}
}

// TestCapturedLast checks that what a function is called with is left out after benchmarks, allocations and the
// compiler's notes, but before all of the source.
func TestCapturedLast(t *testing.T) {
	e := &lineEvidence{}
	fill(reflect.ValueOf(e).Elem(), "some text", 20)
	e.Source.Text = strings.Repeat("source\n", 400)
	for whole := len(e.Captured.Parameters); e.Shrink(); {
		if len(e.Captured.Parameters) == whole {
			continue
		}
		if len(e.Notes) > 0 || len(e.Allocations) > 0 || len(e.Proposed) > 0 || len(e.Source.Text) < 400 ||
			len(e.Callers) != 20 {
			t.Errorf("%d notes, %d allocations, %d proposed, %d bytes of source and %d callers are left", len(e.Notes),
				len(e.Allocations), len(e.Proposed), len(e.Source.Text), len(e.Callers))
		}
		break
	}
	for e.Shrink() {
	}
	if len(e.Captured.Parameters) != 0 || len(e.Source.Text) == 0 {
		t.Errorf("%d parameters and %d bytes of source are left", len(e.Captured.Parameters), len(e.Source.Text))
	}
}
