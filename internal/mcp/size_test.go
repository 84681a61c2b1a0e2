package mcp

import (
	"encoding/json"
	"errors"
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
func results() map[string]fit.Shrinker {
	return map[string]fit.Shrinker{
		"record": &recordResult{}, "hot_lines": &hotLines{}, "line_evidence": &lineEvidence{}, "find": &foundResult{},
		"prove": &verdict{}, "prove_status": &verdict{}, "prove_cancel": &verdict{}, "compare": &comparison{},
		"load": &loadResult{}, "trace_requests": &traceResult{},
	}
}

// TestAllTools checks that results has the result of every tool that clients see, and that the default limit is 25 kB.
func TestAllTools(t *testing.T) {
	s, err := New(Options{Roots: []string{t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	if s.o.MaxResult != 25_000 {
		t.Errorf("results have at most %d bytes by default, want 25 kB", s.o.MaxResult)
	}
	here, there := sdk.NewInMemoryTransports()
	session, err := s.server.Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	client, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := client.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(client.Close(), session.Wait()); err != nil {
		t.Error(err)
	}
	all := results()
	for _, tool := range list.Tools {
		result := all[tool.Name]
		if result == nil {
			t.Errorf("TestSizes has no result of %s", tool.Name)
			continue
		}
		delete(all, tool.Name)
		// The type is that of the tool: it has the same fields.
		schema, err := json.Marshal(tool.OutputSchema)
		if err != nil {
			t.Fatal(err)
		}
		fill(reflect.ValueOf(result).Elem(), "text", 1)
		text, err := json.Marshal(result)
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]any
		if err := json.Unmarshal(text, &fields); err != nil {
			t.Fatal(err)
		}
		for name := range fields {
			if !strings.Contains(string(schema), fmt.Sprintf("%q:", name)) {
				t.Errorf("%s returns another type: its schema has no %s", tool.Name, name)
			}
		}
	}
	for name := range all {
		t.Errorf("there is no tool %s", name)
	}
}

// TestSizes has results of all tools with long lists, long texts, and both: each fits into the limit, and describes
// where the rest is. The smallest limit works, too.
func TestSizes(t *testing.T) {
	for _, limit := range []int{fit.DefaultLimit, minMaxResult} {
		for _, size := range []struct{ elements, text int }{{40, 20}, {1, 20_000}, {6, 2000}} {
			for tool, r := range results() {
				fill(reflect.ValueOf(r).Elem(), strings.Repeat("é\"\n", size.text/4), size.elements)
				before, err := json.Marshal(r)
				if err != nil {
					t.Fatal(err)
				}
				name := fmt.Sprintf("%s with %d elements and texts of %d bytes", tool, size.elements, size.text)
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
