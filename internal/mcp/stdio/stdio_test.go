package stdio

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestReader passes messages on, and answers one that is too large under its ID.
func TestReader(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", MaxMessage)
	for _, test := range []struct{ name, in, passed, answered string }{
		{"two messages", "{\"id\":1}\n{\"id\":2}\n", "{\"id\":1}\n{\"id\":2}\n", ""},
		{"no line break at the end", `{"id":1}`, `{"id":1}`, ""},
		{
			"a large one between others",
			"{\"id\":1}\n{\"params\":{\"id\":9,\"a\":\"" + large + "\"},\"id\":\"b\"}\n{\"id\":2}\n",
			"{\"id\":1}\n{\"id\":2}\n", `"id":"b"`,
		},
		{"an ID first", `{"id": 7 ,"method":"` + large + "\"}\n", "", `"id":7`},
		{"no ID", `["` + large + "\"]\n", "", `"id":null`},
		{"an ID that is none", `{"id":{"id":3},"a":"` + large + "\"}\n", "", `"id":null`},
		{"an end within", `{"id":7,"a":"` + large, "", `"id":7`},
	} {
		var out bytes.Buffer
		passed, err := io.ReadAll(NewReader(strings.NewReader(test.in), NewWriter(&out)))
		if err != nil || string(passed) != test.passed {
			t.Errorf("%s: passed %q, %v", test.name, passed[:min(len(passed), 100)], err)
		}
		if got := out.String(); !strings.Contains(got, test.answered) || (got == "") != (test.answered == "") ||
			got != "" && !json.Valid(out.Bytes()) {
			t.Errorf("%s: answered %q, want %s", test.name, got, test.answered)
		}
	}
}

// TestReaderWaits waits at the end until requests are answered, but not for long.
func TestReaderWaits(t *testing.T) {
	t.Parallel()
	for _, answered := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			w := NewWriter(io.Discard)
			r := NewReader(strings.NewReader("{\"id\":1,\"method\":\"a\"}\n{\"method\":\"note\"}\n"), w)
			go func() {
				time.Sleep(answerTime / 2)
				if answered {
					_, _ = w.Write([]byte("{\"id\":1,\"result\":{}}\n"))
				}
			}()
			began := time.Now()
			if _, err := io.ReadAll(r); err != nil {
				t.Error(err)
			}
			want := answerTime
			if answered {
				want /= 2
			}
			if took := time.Since(began); took != want {
				t.Errorf("answered: %v: waited %v, want %v", answered, took, want)
			}
			time.Sleep(answerTime)
		})
	}
}

// FuzzID holds that the ID of a message is found as encoding/json finds it, in whatever parts it comes.
func FuzzID(f *testing.F) {
	for _, seed := range []string{
		`{"id":1}`, `{"a":{"id":2},"id":"x\"y"}`,
		`{"a":"\"id\":3","id":4.5}`, `{"id":null}`, `{"id":[1]}`, `[{"id":1}]`, `{"id`,
		`{"id":"a,b}c"}`, `{ "id" : -1e3 , "b":[{"id":7}]}`,
	} {
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, text string, at int) {
		at = min(max(at, 0), len(text))
		var whole, parts idFinder
		whole.write([]byte(text))
		parts.write([]byte(text[:at]))
		parts.write([]byte(text[at:]))
		got := whole.value()
		if parts.value() != got {
			t.Errorf("%q in two parts: %s and %s", text, parts.value(), got)
		}
		var v any
		if json.Unmarshal([]byte(got), &v) != nil {
			t.Errorf("%q: %q is not JSON", text, got)
		}
		var object map[string]json.RawMessage
		if strings.Count(text, "id") != 1 || strings.Contains(text, `\u`) || json.Unmarshal([]byte(text), &object) != nil {
			return // which one counts, and escaped keys, are left to encoding/json
		}
		want := "null"
		if id, ok := object["id"]; ok && len(id) < maxID && (id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9') {
			want = string(id)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	})
}
