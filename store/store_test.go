package store_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/golden"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/profile/profiletest"
	"github.com/whet-go/whet/store"
)

func TestParseMatchers(t *testing.T) {
	for text, want := range map[string]string{
		``:                                 `{}`,
		` { } `:                            `{}`,
		`service=shop`:                     `{service="shop"}`,
		`{a="b",c!="d", e=~"f.*" ,g!~'h'}`: `{a="b",c!="d",e=~"f.*",g!~"h"}`,
		`{a="b",}`:                         `{a="b"}`,
		"{a=`\\d`}":                        `{a="\\d"}`,
		`{a="\"\n\x41ü"}`:                  `{a="\"\nAü"}`,
		`version=v1.2-3/x:4,host!=web_1`:   `{version="v1.2-3/x:4",host!="web_1"}`,
	} {
		ms, err := store.ParseMatchers(text)
		if err != nil || store.Selector(ms) != want {
			t.Errorf("%s: %s, %v, want %s", text, store.Selector(ms), err, want)
		}
	}
	for text, want := range map[string]string{
		`{`: "name of a label", `{a`: "want =", `{a=}`: "want a value", `{a="b"`: "comma or the end",
		`{a="b`: "not closed", `{a="b"}x`: "after the selector", `{1a="b"}`: "name of a label",
		`{a=~"("}`: "missing closing", `{a=~"a)(b"}`: "unexpected",
		`{a="\q"}`: "invalid escape", "{a=`b}": "not closed", `{a="\xff"}`: "UTF-8", "a=\xff": "UTF-8",
		strings.Repeat("a=b,", 65) + "a=b": "more than 64", strings.Repeat("a", 1<<15): "longer than",
	} {
		_, err := store.ParseMatchers(text)
		var s *store.SelectorError
		if !errors.As(err, &s) || !strings.Contains(err.Error(), want) || s.Hint() == "" {
			t.Errorf("%.40s: %v, want %s", text, err, want)
		}
	}
}

// TestSelectorsOfPages writes selectors and names of queries as this package reads them; the pages'
// tests compare what they read.
func TestSelectorsOfPages(t *testing.T) {
	var out bytes.Buffer
	for _, text := range []string{
		``, ` { } `, `service=shop`, `{a="b",c!="d", e=~"f.*" ,g!~'h'}`, `{a="b",}`, `{a="b"`, "{a=`\\d`}", `{a=""}`,
		`{a="\"\n\x41ü\u00fc\U0001F600"}`, `version=v1.2-3/x:4,host!=web_1`, `{a}`, `{a=}`, `a="b",`, `{,}`, `{a="b"}x`,
		`{1a="b"}`, `{a=="b"}`, `{a="b" c="d"}`, `{a="b`, `a=b,c`, `{_x9="Zürich, \\ {}"}`, `{a='"'}`,
	} {
		line := struct {
			Text     string `json:"text"`
			Selector string `json:"selector"`
			Name     string `json:"name"`
			Valid    bool   `json:"valid"`
		}{Text: text}
		if ms, err := store.ParseMatchers(text); err == nil {
			q := store.Query{Kind: "cpu", Matchers: ms, From: time.Date(2026, 5, 4, 3, 0, 0, 0, time.UTC)}
			line.Selector, line.Name, line.Valid = store.Selector(ms), q.Name(), true
		}
		if err := json.NewEncoder(&out).Encode(line); err != nil {
			t.Fatal(err)
		}
	}
	golden.Check(t, "testdata/selectors.jsonl", out.Bytes())
}

func TestMatches(t *testing.T) {
	labels := store.NewLabels(map[string]string{"env": "prod", "host": "a\nb"})
	for text, want := range map[string]bool{
		`{}`: true, `service=shop`: true, `kind=cpu,env=prod`: true, `env=~"pro"`: false, `env=~"pr.*"`: true,
		`zone=""`: true, `zone!=""`: false, `env!=prod`: false, `env!~"test|dev"`: true,
		`host=~"a.b"`: true, `env=~"a|prod"`: true,
	} {
		ms, err := store.ParseMatchers(text)
		if err != nil {
			t.Fatal(err)
		}
		if q := (store.Query{Matchers: ms}); q.Matches("shop", "cpu", labels) != want {
			t.Errorf("%s: %v", text, !want)
		}
	}
	if q := (store.Query{Kind: "heap"}); q.Matches("shop", "cpu", labels) {
		t.Error("another kind matches")
	}
}

func FuzzParseMatchers(f *testing.F) {
	for _, s := range []string{`{a="b",c!="d",e=~"f.*",g!~'h'}`, "a=`b`", `service=shop`, `{a="\u00fc\n"}`, `{`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ms, err := store.ParseMatchers(text)
		if err != nil {
			return
		}
		canonical := store.Selector(ms)
		again, err := store.ParseMatchers(canonical)
		if len(canonical) < 16<<10 && (err != nil || store.Selector(again) != canonical) {
			t.Fatalf("%q: %q, %v", canonical, store.Selector(again), err)
		}
		for i := range ms {
			ms[i].Matches("x")
		}
	})
}

func TestLabels(t *testing.T) {
	ls := store.NewLabels(map[string]string{"b": "2", "a.b": "1", "service": "s", "empty": "", "9": "n", "bad": "\xff"})
	if got := ls.String(); got != `{_="n",a_b="1",b="2",bad="`+"\uFFFD"+`",exported_service="s"}` {
		t.Error(got)
	}
	data, err := json.Marshal(ls)
	if err != nil {
		t.Fatal(err)
	}
	var again store.Labels
	if err := json.Unmarshal(data, &again); err != nil || again.String() != ls.String() {
		t.Errorf("%s: %s, %v", data, again, err)
	}
	if ls.Get("b") != "2" || ls.Get("none") != "" {
		t.Error("wrong values")
	}
}

func TestCheck(t *testing.T) {
	good := store.Profile{
		Service: "shop", Kind: "cpu", Start: time.Unix(1e9, 0), Data: profiletest.Generate(profiletest.Options{Samples: 10}),
		Labels: store.NewLabels(map[string]string{"a": "b"}),
	}
	if err := (store.Limits{}).Check([]store.Profile{good}); err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(*store.Profile){
		"no data":      func(p *store.Profile) { p.Data = nil },
		"want a name":  func(p *store.Profile) { p.Service = "" },
		"kind":         func(p *store.Profile) { p.Kind = "CPU" },
		"start":        func(p *store.Profile) { p.Start = time.Time{} },
		"negative":     func(p *store.Profile) { p.Duration = -1 },
		"reserved":     func(p *store.Profile) { p.Labels = store.Labels{{Name: "kind", Value: "x"}} },
		"not in order": func(p *store.Profile) { p.Labels = store.Labels{{Name: "b", Value: "x"}, {Name: "a", Value: "x"}} },
		"no value":     func(p *store.Profile) { p.Labels = store.Labels{{Name: "b"}} },
		"label name":   func(p *store.Profile) { p.Labels = store.Labels{{Name: "b-c", Value: "x"}} },
		"profile 2":    func(p *store.Profile) { p.Kind = "" },
	} {
		bad := good
		change(&bad)
		err := store.Limits{}.Check([]store.Profile{good, bad})
		var invalid *store.InvalidError
		if !errors.As(err, &invalid) || invalid.Index != 1 || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	long := good
	long.Labels = store.NewLabels(map[string]string{"a": strings.Repeat("x", 2000)})
	for _, err := range []error{
		store.Limits{}.Check([]store.Profile{long}), store.Limits{Samples: 9}.Check([]store.Profile{good}),
		store.Limits{Labels: 1}.Check([]store.Profile{{
			Service: "s", Kind: "cpu", Start: good.Start, Data: good.Data,
			Labels: store.NewLabels(map[string]string{"a": "b", "c": "d"}),
		}}),
	} {
		var limit *store.LimitError
		if !errors.As(err, &limit) || limit.Status() != 413 {
			t.Errorf("%v", err)
		}
	}
}

func TestBucket(t *testing.T) {
	b := store.NewBucket(store.Limits{ProfileRate: 2, Burst: 10})
	now := time.Unix(1e9, 0)
	if err := b.Take("a", 10, now); err != nil {
		t.Fatal(err)
	}
	var limit *store.LimitError
	if err := b.Take("a", 4, now); !errors.As(err, &limit) || limit.RetryAfter != 2*time.Second || limit.Status() != 429 {
		t.Errorf("%v", err)
	}
	if err := b.Take("b", 4, now); err != nil {
		t.Error(err)
	}
	if err := b.Take("a", 4, now.Add(2*time.Second)); err != nil {
		t.Error(err)
	}
	if err := b.Take("c", 1000, now); err != nil {
		t.Errorf("a batch larger than the burst: %v", err)
	}
	if err := store.NewBucket(store.Limits{}).Take("a", 1<<30, now); err != nil {
		t.Error(err)
	}
}

// TestID checks that an ID is that of the content, in any order.
func TestID(t *testing.T) {
	build := func(reverse bool, change func(*store.Profile), value int64) store.ID {
		b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
		samples := []int{0, 1, 2, 3}
		if reverse {
			samples = []int{3, 2, 1, 0}
		}
		start := uint64(0x1000)
		if reverse {
			start = 0x5000 // the same file elsewhere
		}
		m := b.Mapping(profile.Mapping{Start: start, Limit: start + 0x1000, File: "/bin/shop"})
		for _, i := range samples {
			f := b.Function(profile.Function{Name: "f", File: string(rune('a' + i))})
			loc := b.Location(start+uint64(i), m, false, profile.Line{Function: f, Line: int32(i)})
			labels := []profile.Label{{Key: "k", Str: "v"}, {Key: "n", Num: 3, Numeric: true}}
			if reverse {
				labels[0], labels[1] = labels[1], labels[0]
			}
			if err := b.Sample([]uint32{loc, loc}, labels, value+int64(i)); err != nil {
				t.Fatal(err)
			}
		}
		p := store.Profile{Service: "shop", Kind: "cpu", Start: time.Unix(5, 0), Data: b.Profile(nil)}
		if change != nil {
			change(&p)
		}
		return store.NewID(&p)
	}
	id := build(false, nil, 1)
	if build(true, nil, 1) != id {
		t.Error("the order matters")
	}
	for what, other := range map[string]store.ID{
		"value":   build(false, nil, 2),
		"service": build(false, func(p *store.Profile) { p.Service = "mail" }, 1),
		"kind":    build(false, func(p *store.Profile) { p.Kind = "wall" }, 1),
		"start":   build(false, func(p *store.Profile) { p.Start = p.Start.Add(1) }, 1),
		"labels":  build(false, func(p *store.Profile) { p.Labels = store.NewLabels(map[string]string{"a": "b"}) }, 1),
		"period":  build(false, func(p *store.Profile) { p.Data.Period = 3 }, 1),
	} {
		if other == id {
			t.Errorf("another %s has the same ID", what)
		}
	}
	if back, err := store.ParseID(id.String()); err != nil || back != id {
		t.Errorf("%v, %v", back, err)
	}
	if _, err := store.ParseID("abc"); err == nil {
		t.Error("no error")
	}
}

// TestIDStays computes the ID that stores have: with another one, what is sent again would be stored twice.
func TestIDStays(t *testing.T) {
	p := store.Profile{
		Service: "shop", Kind: "cpu", Start: time.Unix(1e9, 5).UTC(), Duration: time.Second,
		Labels: store.NewLabels(map[string]string{"host": "a", "zone": "b"}),
		Data: profiletest.Generate(profiletest.Options{
			Seed: 3, Samples: 200, Functions: 60, Lines: 200, Inlines: true, Labels: true,
		}),
	}
	if id := store.NewID(&p).String(); id != "d12f9a1f699f558533257c1df8cce900" {
		t.Errorf("ID %s", id)
	}
}
