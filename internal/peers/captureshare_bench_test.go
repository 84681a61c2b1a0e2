//go:build unix

package peers

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/whet-go/whet/internal/capture/support"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
)

// BenchmarkCaptureShare records each service while it copies arguments at the default rate, and adds what the copies
// take by the recorded profiles: of the CPU time, copying and writing, and what the collection of their garbage takes
// if that is proportional to bytes. It says less than a comparison of two builds, but other programs hardly disturb it.
func BenchmarkCaptureShare(b *testing.B) {
	whet := buildProgram(b, filepath.Join("..", "..", "cmd", "whet"), ".")
	for _, c := range capturedServices() {
		b.Run(c.name, func(b *testing.B) {
			dir := filepath.Join(b.TempDir(), c.name)
			c.copyTo(b, dir)
			for range b.N {
				_, program, err := c.copying(b, dir)
				if err != nil {
					b.Skip(err)
				}
				env := []string{support.DirEnv + "=" + b.TempDir()}
				copying, collecting := captureShare(b, c.recordProgram(b, whet, dir, "", env, program))
				b.ReportMetric(100*(copying+collecting), "%cpu")
				addRow(b, costsPage, "## By the program's profiles", c.name, fmt.Sprintf("%.1f%%", 100*copying),
					fmt.Sprintf("%.1f%%", 100*collecting))
			}
		})
	}
}

// captureShare returns the shares of the CPU time of a recorded program that copies take, and the collection of their
// garbage.
func captureShare(b *testing.B, file string) (copying, collecting float64) {
	b.Helper()
	r, err := recording.Open(file)
	if err != nil {
		b.Fatal(err)
	}
	cpu, err := r.Profile("cpu")
	allocs, err2 := r.Profile("allocs")
	if err := errors.Join(err, err2, r.Close()); err != nil {
		b.Fatal(err)
	}
	copies := regexp.MustCompile(`/zz_whet_capture\.`)
	share := func(p *profile.Profile, kind string, of *regexp.Regexp) float64 {
		at, err := p.TypeIndex(kind)
		if err != nil {
			b.Fatal(err)
		}
		all := p.Below(at, regexp.MustCompile(``))
		if all == 0 {
			b.Fatalf("%s has no %s", file, kind)
		}
		return float64(p.Below(at, of)) / float64(all)
	}
	garbage := regexp.MustCompile(`^runtime\.(gcBgMarkWorker|gcAssistAlloc|bgsweep|bgscavenge)$`)
	return share(cpu, "cpu", copies), share(cpu, "cpu", garbage) * share(allocs, "alloc_space", copies)
}
