package gotest_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/bench/gotest"
)

// TestRelinker checks that the order of functions depends on the number of the pair, so that a comparison which
// continues does not repeat orders; that the binaries of former pairs are removed; and that an error of the linker is
// one of the pair.
func TestRelinker(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	dir, to := write(t, `
-- go.mod --
module example.com/order

go 1.24
-- order_test.go --
package order

import "testing"

func BenchmarkNothing(b *testing.B) {
	for b.Loop() {
	}
}
`), t.TempDir()
	src := gotest.Source{Dir: dir}
	pkgs, _, err := gotest.List(t.Context(), src, nil)
	if err != nil || len(pkgs) != 1 {
		t.Fatal(pkgs, err)
	}
	relinked := func(src gotest.Source) *gotest.Subject {
		s := gotest.NewSubject("Nothing", "BenchmarkNothing", &gotest.Binary{}, &gotest.Binary{}, gotest.RunOptions{})
		s.Relink(gotest.NewRelinker(to, [2]gotest.Source{src, src}, [2]gotest.Package{pkgs[0], pkgs[0]}))
		return s
	}
	s := relinked(src)
	for _, test := range []struct {
		pair int
		want []string
	}{
		{4, []string{"A-5.test", "B-5.test"}},
		{4, []string{"A-5.test", "B-5.test"}},
		{5, []string{"A-5.test", "A-6.test", "B-5.test", "B-6.test"}},
		{7, []string{"A-8.test", "B-8.test"}},
	} {
		if err := s.Prepare(t.Context(), test.pair); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(to)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range entries {
			got = append(got, e.Name())
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("pair %d: %q, want %q", test.pair, got, test.want)
		}
	}
	a, err := os.ReadFile(filepath.Join(to, "A-8.test"))
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(to, "B-8.test")); err != nil || !slices.Equal(a, b) {
		t.Errorf("the same program in the same order differs: %v", err)
	}
	err = relinked(gotest.Source{Dir: dir, Flags: []string{"-ldflags=-nosuchflag"}}).Prepare(t.Context(), 0)
	if bad := (*gotest.BuildError)(nil); !errors.As(err, &bad) || !strings.Contains(bad.Output, "nosuchflag") {
		t.Errorf("a flag that the linker does not know: %v", err)
	}
	if text := err.Error(); strings.Contains(text, "\n") ||
		!strings.HasPrefix(text, "link A with its functions in another order: ") || !strings.HasSuffix(text, "nosuchflag") {
		t.Errorf("%q", text)
	}
}
