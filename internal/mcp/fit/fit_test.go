package fit_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/mcp/fit"
)

type result struct {
	Lines []string `json:"lines"`
	Text  string   `json:"text"`
	fit.Truncated
}

func (r *result) Shrink() bool { return fit.Drop(&r.Lines, 1) || fit.Clip(&r.Text, 40) }

// TestResult reduces results to several limits: what is left out is stated, and the limit holds for the text and the
// structured content together.
func TestResult(t *testing.T) {
	for _, limit := range []int{1000, 5000, 100_000} {
		r := &result{Lines: []string{"<first>"}, Text: strings.Repeat("täxt ", 100)}
		for range 200 {
			r.Lines = append(r.Lines, "a line of \"text\"")
		}
		got, err := fit.Result(r, limit, "see there")
		if err != nil {
			t.Fatal(err)
		}
		text := got.Content[0].(*sdk.TextContent).Text
		got.StructuredContent = json.RawMessage(text)
		size, err := json.Marshal(got)
		if err != nil || len(size) > limit {
			t.Errorf("limit %d: %v, %d bytes", limit, err, len(size))
		}
		if !strings.Contains(text, "<first>") || !utf8.ValidString(text) ||
			strings.Contains(text, "see there") != (limit < 100_000) {
			t.Errorf("limit %d: %s", limit, text)
		}
		if limit == 5000 && len(size) < 2500 {
			t.Errorf("limit %d: only %d bytes are left", limit, len(size))
		}
	}
	long := &result{Lines: []string{strings.Repeat("x", 5000)}}
	if got, err := fit.Result(long, 1000, "see there"); err != nil || len(long.Lines) != 1 || len(long.Lines[0]) < 80 {
		t.Errorf("a long line: %v, %v", err, got)
	}
	if got, err := fit.Result(long, 320, strings.Repeat("see there", 10)); err == nil {
		t.Errorf("what cannot be shortened: %v", got)
	}
}

// TestClip shortens a text step by step, and keeps both ends.
func TestClip(t *testing.T) {
	text := "begin " + strings.Repeat("ä", 5000) + " end"
	for steps := 0; fit.Clip(&text, 100); steps++ {
		if steps > 50 || !utf8.ValidString(text) || !strings.HasPrefix(text, "begin") || !strings.HasSuffix(text, "end") {
			t.Fatalf("step %d: %q", steps, text)
		}
	}
	if len(text) > 100 {
		t.Errorf("%d bytes are left", len(text))
	}
}

// TestExplain writes an error with its hint, both of limited length.
func TestExplain(t *testing.T) {
	err := fit.Explain(&diag.Error{
		Op: "read", Err: errors.New(strings.Repeat("x", 1<<20)), Hint: strings.Repeat("y", 1<<20),
	})
	text := err.Error()
	if len(text) > 7000 || !strings.HasPrefix(text, "read: xxx") || !strings.Contains(text, "\nhint: yyy") {
		t.Errorf("%d bytes: %.50s", len(text), text)
	}
	if fit.Explain(nil) != nil {
		t.Error("nil is an error")
	}
}

// TestSchema has one type for each value, and the descriptions of fields, also of embedded ones.
func TestSchema(t *testing.T) {
	s := fit.Schema[*result](map[string]string{"result.text": "a text", "Truncated.truncated": "what is missing"})
	text, err := json.Marshal(s)
	if err != nil || strings.Contains(string(text), `"null"`) || s.Type != "object" ||
		s.Properties["lines"].Type != "array" || s.Properties["text"].Description != "a text" ||
		s.Properties["truncated"].Description != "what is missing" {
		t.Errorf("%v: %s", err, text)
	}
}
