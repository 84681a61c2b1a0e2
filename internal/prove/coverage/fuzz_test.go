package coverage

import (
	"slices"
	"strings"
	"testing"
)

// FuzzRead reads any cover profile without a panic, and returns at most as many blocks as
// there are lines, all of them in the module.
func FuzzRead(f *testing.F) {
	f.Add("mode: set\nexample.com/m/a/a.go:10.2,12.16 2 1\nexample.com/m/a.go:1.1,2.2 1 0\n", "example.com/m")
	f.Add("mode: atomic\nother.com/x.go:1.1,1.2 1 5\n", "example.com/m")
	f.Add("example.com/m/a.go:x 1 1\n", "example.com/m")
	f.Add("a 1\n:1.2,3.4 1 1\n", "")
	f.Fuzz(func(t *testing.T, profile, module string) {
		ran, missed, err := Read(strings.NewReader(profile), module)
		if err != nil {
			return
		}
		blocks := slices.Concat(ran, missed)
		if len(blocks) > strings.Count(profile, "\n")+1 {
			t.Errorf("%d blocks of %q", len(blocks), profile)
		}
		for _, b := range blocks {
			if !strings.Contains(profile, module+"/"+b.File) {
				t.Errorf("%+v is not in %q", b, profile)
			}
		}
	})
}
