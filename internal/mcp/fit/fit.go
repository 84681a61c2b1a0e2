package fit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/whet-go/whet/internal/diag"
)

// DefaultLimit is the maximum size of a result, in bytes of JSON, unless the user sets another.
const DefaultLimit = 25_000

// A Shrinker is a result that can be made smaller.
type Shrinker interface {
	// Shrink leaves out the least important part that is left, and reports whether there was one.
	Shrink() bool
	// Cut records where the whole document is. It is called once, before anything is left out.
	Cut(where string)
}

// Truncated is the part of a result that describes what was left out.
type Truncated struct {
	// Truncated describes what was left out, and where all of it is.
	Left string `json:"truncated,omitempty"`
}

// Cut implements Shrinker.
func (t *Truncated) Cut(where string) { t.Left = where }

// envelope is the size of what the protocol adds to a result.
const envelope = 300

// Result leaves out parts of a result until its JSON, as text and as structured content together, has at most limit
// bytes. where describes how to get all of it. If the result has nothing more to leave out, all its lists and texts are
// shortened.
func Result(result Shrinker, limit int, where string) (*sdk.CallToolResult, error) {
	last := lastResort()
	for first := true; ; first = false {
		text, err := encode(result)
		if err != nil {
			return nil, err
		}
		whole := &sdk.CallToolResult{
			Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}, StructuredContent: json.RawMessage(text),
		}
		size, err := json.Marshal(whole)
		if err != nil {
			return nil, err
		}
		if len(size) <= limit-envelope {
			whole.StructuredContent = nil // the SDK sets it
			return whole, nil
		}
		if first {
			result.Cut(where)
		}
		shrunk := false
		for range steps(len(size), limit) {
			shrunk = result.Shrink() || shrunk
		}
		for !shrunk && len(last) > 0 {
			shrunk = shorten(reflect.ValueOf(result), last[0])
			last = last[1:]
		}
		if !shrunk {
			return nil, fmt.Errorf("the result has %d bytes, more than the limit of %d, and cannot be shortened",
				len(size), limit)
		}
	}
}

// steps returns how often a result of some size can be shrunk without another look at its size: a step leaves out about
// a quarter of a part, so that many leave out too little.
func steps(size, limit int) int {
	return max(1, int(math.Log(float64(size)/float64(limit))/math.Log(4./3)))
}

// A most is the number of elements of lists, and of bytes of texts.
type most struct{ elements, bytes int }

// lastResort returns what all lists and texts of a result are shortened to, one after the other. A path of a file
// usually has fewer bytes than most of them.
func lastResort() []most {
	return []most{{20, 2000}, {10, 1000}, {5, 500}, {3, 300}, {2, 200}, {1, 150}, {1, 80}, {1, 40}, {0, 40}}
}

// shorten shortens all lists and texts in a value but what describes where all of it is, and reports whether there was
// one to shorten.
func shorten(v reflect.Value, to most) (shortened bool) {
	switch v.Kind() {
	case reflect.Pointer:
		return !v.IsNil() && shorten(v.Elem(), to)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[Truncated]() {
			return false
		}
		for i := range v.NumField() {
			shortened = shorten(v.Field(i), to) || shortened
		}
	case reflect.Slice:
		if n := v.Len(); n > to.elements && v.CanSet() {
			v.SetLen(to.elements)
			shortened = true
		}
		for i := range v.Len() {
			shortened = shorten(v.Index(i), to) || shortened
		}
	case reflect.String:
		if text := v.String(); v.CanSet() && len(text) > to.bytes {
			clipTo(&text, to.bytes)
			v.SetString(text)
			shortened = true
		}
	}
	return shortened
}

// encode returns the JSON of a value in one line, with <, > and & as they are.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Drop removes the last quarter of a list, at least one element, and reports whether there was one more than keep.
func Drop[T any](list *[]T, keep int) bool {
	n := len(*list)
	if n <= keep {
		return false
	}
	*list = (*list)[:max(keep, n-max(1, n/4))]
	return true
}

// Clip shortens a text by a quarter, if it is longer than keep bytes, and reports whether it was. The middle is left
// out, since both ends of a compiler's error or a report matter.
func Clip(text *string, keep int) bool {
	const mark = "\n[…]\n"
	n := len(*text)
	if n <= keep {
		return false
	}
	want := max(keep-len(mark), n*3/4-len(mark))
	if want <= 0 {
		want = 1
	}
	head, tail := (*text)[:want*2/3], (*text)[n-(want-want*2/3):]
	*text = validUTF8(head) + mark + validUTF8(tail)
	return len(*text) < n
}

func validUTF8(s string) string { return string(bytes.ToValidUTF8([]byte(s), nil)) }

// Texts returns warnings as sentences.
func Texts(list diag.Warnings) []string {
	var out []string
	for _, w := range list {
		text := w.String()
		if w.Hint != "" {
			text += " (" + w.Hint + ")"
		}
		if len(text) > 600 {
			text = validUTF8(text[:600]) + "…"
		}
		out = append(out, text)
	}
	return out
}

// Explain returns an error for a model, with its hint.
func Explain(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	clipTo(&text, 4000)
	if hint := diag.Hint(err); hint != "" {
		clipTo(&hint, 2000)
		text += "\nhint: " + hint
	}
	return fmt.Errorf("%s", text)
}

// clipTo shortens a text to about n bytes.
func clipTo(text *string, n int) {
	for len(*text) > n && Clip(text, n) {
	}
}
