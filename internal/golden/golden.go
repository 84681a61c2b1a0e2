package golden

import (
	"flag"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
)

//nolint:gochecknoglobals // the one flag of all golden tests
var update = flag.Bool("update", false, "rewrite golden and generated files")

// Update reports whether to rewrite golden files.
func Update() bool { return *update }

// Check fails the test if the file does not contain got. With -update it writes the file.
func Check(t testing.TB, name string, got []byte) {
	t.Helper()
	check(t, name, got, *update)
}

func check(t testing.TB, name string, got []byte, update bool) {
	t.Helper()
	if update {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Error(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Errorf("%v (make goldens)", err)
		return
	}
	if d := diff.Diff(name, want, "got", got); len(d) > 0 {
		t.Errorf("%s is out of date (make goldens):\n%s", name, d)
	}
}
