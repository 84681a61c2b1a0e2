package whose_test

import (
	"os"
	"testing"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/input/whose"
	"github.com/whet-go/whet/internal/trace/tracetest"
	"github.com/whet-go/whet/profile"
)

// TestKinds counts as own what --own names, such as a module without a dot, which looks like the standard library.
func TestKinds(t *testing.T) {
	data, err := os.ReadFile("../../trace/testdata/go1.26.trace")
	if err != nil {
		t.Fatal(err)
	}
	x := tracetest.Index(t, data)
	kind := whose.Kinds(x, input.TraceOwn("no such file", x, []string{"net/http"}))
	count := map[string]int{}
	for _, f := range x.Frames() {
		got := kind(f)
		count[got]++
		if pkg := profile.PackagePath(f.Func); pkg == "net/http" && got != "own" || pkg == "runtime" && got != "std" {
			t.Errorf("%s is %q", f.Func, got)
		}
	}
	if count["own"] == 0 || count["std"] == 0 || count[""] > 0 {
		t.Errorf("kinds %v", count)
	}
}
