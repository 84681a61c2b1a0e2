package export

import (
	"io"
	"regexp"
	"testing"

	"github.com/whet-go/whet/internal/input/diff"
	"github.com/whet-go/whet/internal/input/listing"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/profile/profiletest"
)

// BenchmarkExports measures the reports that pass over every sample, on a tenth of
// the large profile of the engine's benchmarks.
func BenchmarkExports(b *testing.B) {
	o := profiletest.LargeShared()
	o.Samples /= 10
	p := profiletest.Generate(o)
	view := func(q profile.Query) *profile.View {
		q.Type = -1
		v, err := p.View(q)
		if err != nil {
			b.Fatal(err)
		}
		return v
	}
	byFunction := view(profile.Query{})
	byLine := view(profile.Query{By: profile.ByLine})
	byAddress := view(profile.Query{By: profile.ByAddress})
	for _, x := range []struct {
		name string
		run  func() error
	}{
		{"folded", func() error { return Folded(io.Discard, byFunction) }},
		{"raw", func() error { return Raw(io.Discard, byFunction) }},
		{"callgrind", func() error { return Callgrind(io.Discard, byAddress, "") }},
		{"speedscope", func() error { return Speedscope(io.Discard, byFunction, "") }},
		{"list", func() error {
			_, err := listing.List(byLine, listing.ListOptions{Match: regexp.MustCompile("1")})
			return err
		}},
		{"diff", func() error {
			side := diff.Input{View: byFunction}
			_, err := diff.New(side, side, diff.Options{})
			return err
		}},
	} {
		b.Run("report="+x.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := x.run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
