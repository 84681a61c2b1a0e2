package cli_test

import (
	"io"
	"path/filepath"
	"testing"

	"github.com/whet-go/whet/internal/cli"
)

// BenchmarkTop is a complete run of whet top on an ordinary profile (8 565 samples), except for the
// start of the process.
func BenchmarkTop(b *testing.B) {
	path := filepath.Join(goroot(b), "src", "cmd", "compile", "default.pgo")
	for _, args := range [][]string{{"view=own", "--own", "cmd/compile"}, {"view=all", "--all"}} {
		b.Run(args[0], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if code := cli.Main(
					b.Context(), append([]string{"top", path}, args[1:]...), nil, io.Discard, io.Discard,
				); code != 0 {
					b.Fatalf("exit code %d", code)
				}
			}
		})
	}
}
