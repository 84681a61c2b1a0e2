package relabel

import (
	"errors"
	"maps"
	"strings"
	"testing"
)

func ptr(s string) *string { return &s }

// labels reads "a=1 b=2".
func labels(text string) map[string]string {
	out := map[string]string{}
	for _, f := range strings.Fields(text) {
		name, value, _ := strings.Cut(f, "=")
		out[name] = value
	}
	return out
}

// TestApply has the cases that Prometheus documents; the values of hashmod are those that its own
// tests expect.
func TestApply(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		rules []Config
		in    string
		want  string // "-" means dropped
	}{
		"replace": {
			[]Config{{SourceLabels: []string{"a"}, Regex: ptr("f(.*)"), TargetLabel: "d", Replacement: ptr("ch${1}-ch${1}")}},
			"a=foo b=bar", "a=foo b=bar d=choo-choo",
		},
		"several rules": {
			[]Config{
				{SourceLabels: []string{"a", "b"}, Regex: ptr("f(.*);(.*)r"), TargetLabel: "a", Replacement: ptr("b${1}${2}m")},
				{SourceLabels: []string{"c", "a"}, Regex: ptr("(b).*b(.*)ba(.*)"), TargetLabel: "d", Replacement: ptr("$1$2$2$3")},
			},
			"a=foo b=bar c=baz", "a=boobam b=bar c=baz d=boooom",
		},
		"replace without a match": {
			[]Config{{SourceLabels: []string{"a"}, Regex: ptr("x"), TargetLabel: "b", Replacement: ptr("y")}},
			"a=boo", "a=boo",
		},
		"an empty replacement deletes": {
			[]Config{{SourceLabels: []string{"a"}, Regex: ptr("boo"), TargetLabel: "a", Replacement: ptr("")}},
			"a=boo b=1", "b=1",
		},
		"target from the match": {
			[]Config{{SourceLabels: []string{"a"}, Regex: ptr("some-([^-]+)-(.*)"), TargetLabel: "$1", Replacement: ptr("$2")}},
			"a=some-name-value", "a=some-name-value name=value",
		},
		"invalid target from the match": {
			[]Config{{SourceLabels: []string{"a"}, Regex: ptr("some-([^-]+)-(.*)"), TargetLabel: "$3", Replacement: ptr("$1")}},
			"a=some-name-value", "a=some-name-value",
		},
		"anchored":     {[]Config{{SourceLabels: []string{"a"}, Regex: ptr("o"), Action: "keep"}}, "a=foo", "-"},
		"keep":         {[]Config{{SourceLabels: []string{"a"}, Regex: ptr("f.*"), Action: "keep"}}, "a=foo", "a=foo"},
		"drop":         {[]Config{{SourceLabels: []string{"a"}, Regex: ptr(".*o.*"), Action: "drop"}}, "a=foo", "-"},
		"drop another": {[]Config{{SourceLabels: []string{"a"}, Regex: ptr("f"), Action: "drop"}}, "a=foo", "a=foo"},
		"keepequal":    {[]Config{{SourceLabels: []string{"a"}, TargetLabel: "b", Action: "keepequal"}}, "a=1 b=2", "-"},
		"dropequal":    {[]Config{{SourceLabels: []string{"a"}, TargetLabel: "b", Action: "dropequal"}}, "a=1 b=1", "-"},
		"hashmod": {
			[]Config{{SourceLabels: []string{"c"}, TargetLabel: "d", Action: "hashmod", Modulus: 1000}},
			"a=foo b=bar c=baz", "a=foo b=bar c=baz d=976",
		},
		"labelmap": {
			[]Config{{Regex: ptr("(b.*)"), Replacement: ptr("bar_${1}"), Action: "labelmap"}},
			"a=foo b1=bar b2=baz", "a=foo b1=bar b2=baz bar_b1=bar bar_b2=baz",
		},
		"labelmap of meta labels": {
			[]Config{{Regex: ptr("__meta_(my.*)"), Action: "labelmap"}},
			"a=foo __meta_my_bar=aaa", "a=foo __meta_my_bar=aaa my_bar=aaa",
		},
		"labeldrop": {[]Config{{Regex: ptr("(b.*)"), Action: "labeldrop"}}, "a=foo b1=bar b2=baz", "a=foo"},
		"labelkeep": {[]Config{{Regex: ptr("(b.*)"), Action: "labelkeep"}}, "a=foo b1=bar b2=baz", "b1=bar b2=baz"},
		"case": {[]Config{
			{SourceLabels: []string{"a"}, TargetLabel: "u", Action: "uppercase"},
			{SourceLabels: []string{"a"}, TargetLabel: "l", Action: "Lowercase"},
		}, "a=bAr", "a=bAr u=BAR l=bar"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var rules []Rule
			for _, c := range test.rules {
				r, err := New(c)
				if err != nil {
					t.Fatal(err)
				}
				rules = append(rules, r)
			}
			in := labels(test.in)
			before := maps.Clone(in)
			got, err := Apply(in, rules)
			if err != nil {
				t.Fatal(err)
			}
			if !maps.Equal(in, before) {
				t.Errorf("the input became %v", in)
			}
			if test.want == "-" {
				if got != nil {
					t.Errorf("got %v, want none", got)
				}
			} else if want := labels(test.want); !maps.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

// TestHashModLines hashes a value of two lines, which the default regular expression matches.
func TestHashModLines(t *testing.T) {
	t.Parallel()
	r, err := New(Config{SourceLabels: []string{"a"}, TargetLabel: "d", Action: "hashmod", Modulus: 1000})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Apply(map[string]string{"a": "foo\nbar"}, []Rule{r})
	if err != nil || got["d"] != "734" { // as Prometheus's tests have it
		t.Errorf("got %v, %v", got, err)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		c         Config
		key, want string
	}{
		{Config{Action: "repalce"}, "action", "want replace, keep, drop"},
		{Config{Action: "keep", Regex: ptr("a(")}, "regex", "missing closing )"},
		{Config{}, "target_label", "needs a target_label"},
		{Config{TargetLabel: "a-b"}, "target_label", `"a-b" is not the name of a label`},
		{Config{Action: "hashmod", TargetLabel: "a"}, "modulus", "above zero"},
		{Config{Action: "labeldrop", SourceLabels: []string{"a"}}, "source_labels", "takes only a regex"},
		{Config{SourceLabels: []string{"a b"}, TargetLabel: "a"}, "source_labels", "is not the name"},
	} {
		_, err := New(test.c)
		var field *FieldError
		if !errors.As(err, &field) || field.Key != test.key || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: got %v, want %s: %s", test.c, err, test.key, test.want)
		}
	}
}

// FuzzApply applies a rule repeatedly: labels stay within their size, and names are valid.
func FuzzApply(f *testing.F) {
	f.Add("a", ";", "b", "(.*)", uint64(3), "$1$1", "replace", "value")
	f.Add("a", "", "b", ".*", uint64(3), "", "hashmod", "value")
	f.Add("", "", "", "(.)(.*)", uint64(0), "${1}x$2", "labelmap", "value")
	f.Fuzz(func(t *testing.T, source, separator, target, regex string, mod uint64, replacement, action, value string) {
		c := Config{
			Separator: &separator, TargetLabel: target, Regex: &regex, Modulus: mod, Replacement: &replacement, Action: action,
		}
		if source != "" {
			c.SourceLabels = []string{source, "b"}
		}
		r, err := New(c)
		if err != nil {
			return
		}
		given := map[string]string{"a": value, "b": "x", "__meta_c": "y"}
		if len(value) > MaxValue {
			return
		}
		for range 20 {
			got, err := Apply(given, []Rule{r})
			if err != nil || got == nil {
				return
			}
			for name, v := range got {
				if len(name) > MaxValue || len(v) > MaxValue || !ValidName(name) {
					t.Fatalf("label %.100q = %.100q", name, v)
				}
			}
			given = got
		}
	})
}
