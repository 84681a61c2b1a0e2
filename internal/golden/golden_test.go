package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// failures records what a test reports, instead of failing.
type failures struct {
	testing.TB
	text strings.Builder
}

func (f *failures) Helper() {}

func (f *failures) Errorf(format string, args ...any) { fmt.Fprintf(&f.text, format, args...) }

func (f *failures) Error(args ...any) { fmt.Fprintln(&f.text, args...) }

func TestCheck(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "x.txt")
	run := func(got string, update bool) string {
		f := &failures{TB: t}
		check(f, name, []byte(got), update)
		return f.text.String()
	}
	if got := run("a\n", false); !strings.Contains(got, "x.txt") || !strings.Contains(got, "make goldens") {
		t.Errorf("a missing file: %q", got)
	}
	if got := run("a\n", true); got != "" {
		t.Errorf("update: %q", got)
	}
	if got := run("a\n", false); got != "" {
		t.Errorf("the same: %q", got)
	}
	if got := run("b\n", false); !strings.Contains(got, "-a\n+b\n") {
		t.Errorf("another: %q", got)
	}
	if data, err := os.ReadFile(name); err != nil || string(data) != "a\n" {
		t.Errorf("the file holds %q, %v: only -update may write", data, err)
	}
}
