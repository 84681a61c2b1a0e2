package fix_test

import (
	"testing"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/fix"
)

// wrapped is a module whose test passes only if it is started as Options.Wrap says.
const wrapped = `
-- go.mod --
module example.com/service

go 1.26
-- text/text.go --
package text

// Name is not fast.
func Name() string { return "whet" }
-- text/text_test.go --
package text

import (
	"os"
	"testing"
)

func TestWrapped(t *testing.T) {
	if os.Getenv("WHET_WRAPPED") == "" {
		t.Error("not wrapped")
	}
}
`

// TestWrap starts code of the module as Wrap says.
func TestWrap(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	dir := t.TempDir()
	write(t, dir, wrapped)
	x := finding(t, dir, "Name", `"whet"`, `"wh" + "et"`)
	for _, wrap := range []bool{false, true} {
		o := options()
		if wrap {
			o.Wrap = func(string) ([]string, error) { return []string{"env", "WHET_WRAPPED=1"}, nil }
		}
		r, err := fix.Run(t.Context(),
			&find.Result{Module: "example.com/service", Dir: dir, Findings: []find.Finding{x}}, o)
		if err != nil {
			t.Fatal(err)
		}
		if passed := len(r.Failing) == 0; passed != wrap || r.Sandboxed != wrap {
			t.Errorf("wrapped %v: failing %v, sandboxed %v", wrap, r.Failing, r.Sandboxed)
		}
	}
}
