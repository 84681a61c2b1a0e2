package scratch

import (
	"path/filepath"
	"regexp"
	"testing"
)

// TestRelative names files as the user knows them: relative to the module, which may be below the copy's root.
func TestRelative(t *testing.T) {
	t.Parallel()
	temp := filepath.FromSlash("/tmp/whet-fix-1")
	m := &Module{
		Temp: temp, Dir: filepath.Join(temp, "copy", "mod"), root: filepath.Join(temp, "copy"),
		overlays: regexp.MustCompile(regexp.QuoteMeta(filepath.Join(temp, overlayPrefix)) + "[0-9]+/"),
	}
	for _, test := range [][2]string{
		{"goroutine 1:\n\t/tmp/whet-fix-1/copy/mod/a/a.go:3 +0x1", "goroutine 1:\n\ta/a.go:3 +0x1"},
		{"/tmp/whet-fix-1/copy/other/b.go:1", "../other/b.go:1"},
		{"/tmp/whet-fix-1/overlay123/a/a.go:3:4: undefined: x", "a/a.go:3:4: undefined: x"},
		{"/home/u/go/x.go:1", "/home/u/go/x.go:1"},
	} {
		text, want := test[0], test[1]
		if got := m.Relative(filepath.FromSlash(text)); got != filepath.FromSlash(want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
