package patterns

import (
	"regexp"
	"testing"
)

func exprs() []string {
	return []string{
		``, `^$`, `^io\.ReadAll$`, `^runtime\.(growslice|makeslice|mallocgc|memmove|memclrNoHeapPointers)|` +
			`^internal/runtime/maps\..*(grow|rehash|newTable|newGroups|split)`,
		`^$|^fmt\.`, `^fmt\.Sprint|^encoding/json\.Marshal`, `^(text|html)/template\.(New|\(\*Template\)\.(Parse|escape))`,
		`sort\.(Slice|SliceStable)$`, `^a?b`, `^(?i)fmt\.`, `^[fg]mt\.S`, `^runtime\.|memmove`,
		`(^os\.|^net\.)`, `^x*$`, `^fmt\.S+`,
	}
}

func names() []string {
	return []string{
		"", "io.ReadAll", "io.ReadAllOf", "runtime.growslice", "runtime.mallocgcTiny", "runtime.gc",
		"internal/runtime/maps.x.grow",
		"internal/runtime/maps.get", "fmt.Sprintf", "FMT.Sprintf", "gmt.S", "encoding/json.MarshalIndent",
		"text/template.New",
		"html/template.(*Template).escape", "text/template.(*Template).Execute", "sort.Slice",
		"x/sort.SliceStable", "ab", "b", "a",
		"net.Dial", "os.Open", "my/net.Dial", "xxx", "a.memmove",
	}
}

// TestMatch checks that a set matches as its expressions do, one by one.
func TestMatch(t *testing.T) {
	t.Parallel()
	var s Set
	for i, e := range exprs() {
		if n, err := s.Add(e); err != nil || n != i {
			t.Fatalf("Add(%q) = %d, %v", e, n, err)
		}
	}
	if n, err := s.Add(`^$`); err != nil || n != 1 || s.Len() != len(exprs()) {
		t.Errorf("the same pattern has index %d, %v", n, err)
	}
	for _, name := range names() {
		got := s.Match(name)
		for i, e := range exprs() {
			if want := regexp.MustCompile(e).MatchString(name); got.Has(i) != want {
				t.Errorf("%q matches %q: %v, want %v", e, name, got.Has(i), want)
			}
		}
	}
	if _, err := s.Add(`(`); err == nil {
		t.Error("a pattern that does not compile is added")
	}
}

// TestFiled checks that most patterns are not tried for a name that begins in another way.
func TestFiled(t *testing.T) {
	t.Parallel()
	var s Set
	for _, e := range []string{`^runtime\.(growslice|makeslice)`, `^fmt\.Sprint|^encoding/json\.Marshal`} {
		if _, err := s.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	for _, b := range []string{"runtime.growslice", "runtime.makeslice", "fmt.Sprint", "encoding/json.Marshal"} {
		if len(s.begin[b]) != 1 {
			t.Errorf("%d patterns are filed under %q", len(s.begin[b]), b)
		}
	}
	if len(s.anywhere) != 0 || len(s.begin[""]) != 0 {
		t.Errorf("%v, %v are tried for all names", s.anywhere, s.begin[""])
	}
}

// BenchmarkMatch matches names of functions, most of which no pattern is about.
func BenchmarkMatch(b *testing.B) {
	var s Set
	for _, e := range exprs()[1:7] {
		if _, err := s.Add(e); err != nil {
			b.Fatal(err)
		}
	}
	list := names()
	b.ReportAllocs()
	for b.Loop() {
		for _, name := range list {
			s.Match(name)
		}
	}
}
