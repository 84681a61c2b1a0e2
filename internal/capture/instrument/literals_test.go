package instrument_test

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/capture/instrument"
)

// TestLiterals checks that function literals are listed with the reason by the names that the program has for them,
// whether the regular expression is that of one or of all functions of the package.
func TestLiterals(t *testing.T) {
	dir := module(t, "literals")
	run := exec.Command("go", "run", ".")
	run.Dir = dir
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	names := strings.Fields(string(out))
	if len(names) < 8 || !slices.Contains(names, "main.main.func1") {
		t.Fatalf("the program has the literals %q", names)
	}
	o := instrument.Options{Dir: dir, Packages: []string{"."}, Rank: matching(`^main\.`), Temp: t.TempDir()}
	p, err := instrument.Make(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		name = strings.ReplaceAll(name, "[...]", "")
		want := instrument.Left{
			Function: "example.com/literals" + strings.TrimPrefix(name, "main"),
			Why:      "it is a function literal: only calls of declared functions are copied",
		}
		if !slices.Contains(p.Left, want) {
			t.Errorf("%s is not in %v", name, p.Left)
		}
	}
	o.Rank = matching(`^main\.main\.func1$`)
	want := "no function can be copied: example.com/literals.main.func1: it is a function literal"
	if _, err := instrument.Make(context.Background(), o); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}
