package jsoncodec

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/whet-go/whet/find/rules/ruletest"
	"github.com/whet-go/whet/internal/find/driver"
)

func Test(t *testing.T) {
	t.Setenv("GOEXPERIMENT", "nojsonv2") // the default since Go 1.27
	ruletest.Run(t, New())
}

// The setting is not suggested if the new implementation is already used, as it is by default in Go
// 1.27.
func TestNewImplementation(t *testing.T) {
	t.Setenv("GOEXPERIMENT", "jsonv2")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/app\n\ngo 1.25\n",
		"app.go": "package app\n\nimport \"encoding/json\"\n\n" +
			"func f(b []byte) (v []struct{ A int }, err error) { err = json.Unmarshal(b, &v); return }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pkgs, err := driver.Load(t.Context(), driver.Options{Dir: dir}, ".")
	if err != nil {
		t.Fatal(err)
	}
	a := New().Analyzer
	found, err := driver.Run(t.Context(), pkgs[0], []*analysis.Analyzer{a})
	if err != nil {
		t.Fatal(err)
	}
	if got := found[a]; len(got) != 1 || got[0].Category != generated {
		t.Errorf("%+v", got)
	}
}
