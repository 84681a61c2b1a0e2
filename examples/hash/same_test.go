package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/quick"

	"github.com/whet-go/whet/examples/hash/fast"
	"github.com/whet-go/whet/examples/hash/slow"
)

// bodies are requests of every kind: valid, unusual, invalid.
func bodies() []string {
	return []string{
		`[{"str_a":"one","str_b":"two"}]`, `[]`, ` [ ] `, `[{}]`, `[{},{}]`, ``, ` `, `null`, `{}`, `"a"`, `1`, `[`,
		`]`, `[]]`, `[] x`,
		"\t[\r\n{ \"str_a\" : \"one\" , \"str_b\" : \"two\" } ,{\"str_b\":\"b first\",\"str_a\":\"\"}\n]\n",
		`[]` + "\x00", `[]` + "\ufeff",
		`[{"str_a":"x"}]`, `[{"str_b":"x"}]`, `[null]`, `[null,{"str_a":"x"},null]`, `[{"str_a":null,"str_b":"x"}]`,
		`[{"str_a":"first","str_a":"second"}]`, `[{"str_a":"first","str_a":null}]`, `[{"str_a":"first","STR_A":"second"}]`,
		`[{"STR_A":"x","Str_B":"y"}]`, `[{"\u0073tr_a":"x"}]`, `[{"ſtr_a":"long s"}]`,
		`[{"other":[1,{"str_a":2}],"str_a":"x"}]`, `[{"":""}]`,
		`[{"str_a":1}]`, `[{"str_a":{}}]`, `[{"str_a":["x"]}]`, `[{"str_a":true}]`, `[1]`, `["x"]`, `[[]]`,
		`[{"str_a":1},{"str_b":"x"}]`,
		`[{"str_a":"x",}]`, `[{,"str_a":"x"}]`, `[{"str_a":"x"},]`, `[,{"str_a":"x"}]`,
		`[{"str_a":"x"}{"str_a":"y"}]`, `[{"str_a" "x"}]`, `[{"str_a":}]`,
		`[{"str_a":"x" "str_b":"y"}]`, `[{"str_a":"x"`, `[{"str_a":"x`, `[{"str_a":"x\`, `[{"str_a":"x\"`, `[{"str_a`,
		`[{"str_a":"x"}`, `[{"str_a":"x"}] {}`,
		`[{"str_a":"tab\there","str_b":"quote\"back\\slash\/\b\f\n\r"}]`,
		`[{"str_a":"\u00e9\ud83d\ude00\ud800\u0000"}]`, `[{"str_a":"\x"}]`, `[{"str_a":"\u12"}]`,
		"[{\"str_a\":\"line\nbreak\"}]", "[{\"str_a\":\"\x00\x1f\"}]", "[{\"str_a\":\"\x7f\"}]",
		"[{\"str_a\":\"\xff\xfe é \xc3\"}]", "[{\"str_a\":\"\\n\xff\"}]",
		"[{\"str_\xff\":\"x\"}]", `[{"str_a":"naïve 世界 😀","str_b":"<script>&\u2028` + "\u2029" + `"}]`,
		`[{"str_a":"` + strings.Repeat("long é ", 3000) + `","str_b":"` + strings.Repeat("x", 5000) + `"}]`,
		`[` + strings.Repeat(`{"str_a":"x","str_b":"y"},`, 3000) + `{}]`, strings.Repeat(`[`, 20_000),
		`[` + strings.Repeat(`{},`, 500) + `1]`,
	}
}

// both are the two services, which serve a whole test: one request must not affect the next.
type both struct{ slow, fast http.Handler }

func newBoth() both { return both{slow.Handler(), fast.Handler()} }

// differ sends both the same body and returns how the answers differ; "" if they do not.
func (h both) differ(body []byte) string {
	s, f := send(h.slow, bytes.NewReader(body)), send(h.fast, bytes.NewReader(body))
	if s.Code != f.Code || s.Body.String() != f.Body.String() || !maps.EqualFunc(s.Header(), f.Header(), slices.Equal) {
		return fmt.Sprintf(
			"%.200q: slow %d %v %.200q, fast %d %v %.200q", body, s.Code, s.Header(), s.Body, f.Code, f.Header(), f.Body,
		)
	}
	return ""
}

func send(h http.Handler, body io.Reader) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/hashes", body))
	return w
}

func TestSame(t *testing.T) {
	h := newBoth()
	for range 2 { // the second time with buffers that were used
		for _, body := range bodies() {
			if d := h.differ([]byte(body)); d != "" {
				t.Error(d)
			}
		}
	}
}

// TestSameTooLong sends bodies around the limit.
func TestSameTooLong(t *testing.T) {
	h := newBoth()
	empty := len(`[{"str_a":""}]`)
	for length, status := range map[int]int{1<<20 - 1: 200, 1 << 20: 200, 1<<20 + 1: 413, 1 << 21: 413} {
		body := []byte(`[{"str_a":"` + strings.Repeat("x", length-empty) + `"}]`)
		if d := h.differ(body); d != "" {
			t.Error(d)
		}
		if got := send(h.fast, bytes.NewReader(body)).Code; got != status {
			t.Errorf("%d bytes: status %d, want %d", length, got, status)
		}
	}
}

func TestSameWhenBodyBreaksOff(t *testing.T) {
	h := newBoth()
	broken := func() io.Reader {
		return io.MultiReader(strings.NewReader(`[{"str_a":"x"}`), iotest.ErrReader(errors.New("connection reset")))
	}
	s, f := send(h.slow, broken()), send(h.fast, broken())
	if s.Code != 400 || s.Code != f.Code || s.Body.String() != f.Body.String() {
		t.Errorf("slow %d %q, fast %d %q", s.Code, s.Body, f.Code, f.Body)
	}
}

func TestSameSum(t *testing.T) {
	if err := quick.CheckEqual(slow.Sum, fast.Sum, nil); err != nil {
		t.Error(err)
	}
	long := strings.Repeat("x", 1000)
	if slow.Sum(long, long) != fast.Sum(long, long) {
		t.Error("long texts differ")
	}
}

// TestSameRandom sends bodies that are assembled from parts of JSON, most of them valid.
func TestSameRandom(t *testing.T) {
	h := newBoth()
	random := rand.New(rand.NewPCG(1, 2))
	fine := 0
	for range 20_000 {
		body := randomBody(random)
		if d := h.differ([]byte(body)); d != "" {
			t.Fatal(d)
		}
		if json.Valid([]byte(body)) {
			fine++
		}
	}
	if fine < 2_000 || fine > 18_000 {
		t.Errorf("%d of 20000 bodies are JSON: they should be mixed", fine)
	}
}

func randomBody(random *rand.Rand) string {
	one := func(of ...string) string { return of[random.IntN(len(of))] }
	usually := func(what, otherwise string) string {
		if random.IntN(60) > 0 {
			return what
		}
		return otherwise
	}
	space := func() string { return usually("", one(" ", "\n", "\t\r", "\v", "\u00a0")) }
	text := func() string {
		var s strings.Builder
		for range random.IntN(4) {
			s.WriteString(one("a", "plain text ", "é", "世", `\n`, `\"`, `\\`, `\u00e9`, `\ud83d\ude00`, "<&>", "/"))
		}
		return `"` + s.String() + usually("", one("\xff", "\n", `\`, `\u12`, `"`, "\x7f")) + `"`
	}
	var s strings.Builder
	s.WriteString(space() + usually("[", ""))
	for i := range random.IntN(4) {
		if i > 0 {
			s.WriteString(space() + usually(",", one("", ",,", ":")))
		}
		s.WriteString(space() + "{")
		for j := range random.IntN(3) {
			if j > 0 {
				s.WriteString(space() + usually(",", one("", ";")))
			}
			key := usually(one(`"str_a"`, `"str_b"`), one(`"STR_A"`, `"x"`, `"\u0073tr_b"`, `str_a`))
			s.WriteString(space() + key + space() + usually(":", "") +
				space() + usually(text(), one("null", "1", "{}", "[]", "tru")))
		}
		s.WriteString(space() + usually("}", ""))
	}
	s.WriteString(space() + usually("]", "") + usually("", one("x", "[]")) + space())
	return s.String()
}

// TestSameConcurrently has many simultaneous clients, each of which must get the answer to its own
// request.
func TestSameConcurrently(t *testing.T) {
	h := newBoth()
	var clients sync.WaitGroup
	for client := range 8 {
		clients.Go(func() {
			for i := range 50 {
				body := fmt.Appendf(
					nil, `[{"str_a":"client %d","str_b":"request %d"},{"str_a":"only %d"},{}%s]`, client, i, client,
					strings.Repeat(`,{}`, i),
				)
				if d := h.differ(body); d != "" {
					t.Error(d)
				}
			}
		})
	}
	clients.Wait()
}

// FuzzSame sends any body to both, after one that leaves data in reused memory.
func FuzzSame(f *testing.F) {
	for _, body := range bodies() {
		f.Add([]byte(body))
	}
	items, err := os.ReadFile("testdata/items.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(items)
	h := newBoth()
	f.Fuzz(func(t *testing.T, body []byte) {
		send(h.fast, strings.NewReader(`[{"str_a":"another client's","str_b":"secret"}]`))
		if d := h.differ(body); d != "" {
			t.Error(d)
		}
	})
}
