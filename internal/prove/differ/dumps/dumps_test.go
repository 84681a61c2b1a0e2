package dumps_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/prove/differ/dumps"
)

// TestCompare counts equal results, ignores varying ones, and reports the first difference.
func TestCompare(t *testing.T) {
	const a = "0 a \"x\" \"x\"\n1 varies\n2 b \"error: no\" \"error\"\n3 a \"é\\n\" \"\"\n4 panics \"p\"\n"
	for _, c := range []struct {
		name, b string
		want    dumps.Counts
		differs int    // input; -1 none
		fails   string // part of the error
	}{
		{"same", a, dumps.Counts{Alike: 3, Distinct: 2, Panics: 1, Varying: 1}, -1, ""},
		{
			"another text of an error", strings.Replace(a, "error: no", "error: other", 1),
			dumps.Counts{Alike: 3, Distinct: 2, Texts: 1, Panics: 1, Varying: 1},
			-1, "",
		},
		{
			"varies on one side", strings.Replace(a, `0 a "x" "x"`, "0 varies", 1),
			dumps.Counts{Alike: 2, Distinct: 2, Panics: 1, Varying: 2},
			-1, "",
		},
		{"another answer", strings.Replace(a, `é\n" "`, `é" "1`, 1), dumps.Counts{Alike: 2, Distinct: 2, Varying: 1}, 3, ""},
		{"another panic", strings.Replace(a, `"p"`, `"q"`, 1), dumps.Counts{Alike: 3, Distinct: 2, Varying: 1}, 4, ""},
		{
			"no panic", strings.Replace(a, `panics "p"`, `a "p" ""`, 1),
			dumps.Counts{Alike: 3, Distinct: 2, Varying: 1},
			4, "",
		},
		{"ends earlier", "0 a \"x\" \"x\"\n1 end\n", dumps.Counts{Alike: 1, Distinct: 1}, -1, ""},
		{"cut off", "0 a \"x\" \"x\"\n", dumps.Counts{Alike: 1, Distinct: 1}, 1, ""},
		{"not numbered", "1 varies\n", dumps.Counts{}, -1, "line 1"},
		{"not quoted", "0 x\n", dumps.Counts{}, -1, "line 1"},
		{"more", "0 a \"x\" \"x\" \"x\"\n", dumps.Counts{}, -1, "line 1"},
	} {
		d, err := dumps.Compare(strings.NewReader(a), strings.NewReader(c.b))
		var differs *dumps.DifferenceError
		switch {
		case c.fails != "":
			if err == nil || errors.As(err, &differs) || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s: %v, want %s", c.name, err, c.fails)
			}
			continue
		case c.differs < 0 && err != nil, c.differs >= 0 && (!errors.As(err, &differs) || differs.Input != c.differs):
			t.Errorf("%s: %v", c.name, err)
		}
		if *d != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, *d, c.want)
		}
	}
}

func FuzzCompare(f *testing.F) {
	f.Add("0 a \"x\" \"x\"\n1 varies\n", "0 a \"x\" \"y\"\n")
	f.Add("0 a \"x\n", "0 panics \"\"\n")
	f.Fuzz(func(t *testing.T, a, b string) {
		d, err := dumps.Compare(strings.NewReader(a), strings.NewReader(b))
		if lines := int64(strings.Count(a, "\n") + 1); d.Alike+d.Panics+d.Varying > lines || d.Texts > d.Alike {
			t.Errorf("%+v of %d lines", d, lines)
		}
		again, err2 := dumps.Compare(strings.NewReader(a), strings.NewReader(a))
		var differs *dumps.DifferenceError
		if errors.As(err2, &differs) || again.Texts != 0 {
			t.Errorf("differs from itself: %v", err2)
		}
		if err == nil && err2 != nil {
			t.Errorf("can be compared, but not with itself: %v", err2)
		}
	})
}
