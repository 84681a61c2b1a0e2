package profile_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	gprofile "github.com/google/pprof/profile"

	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/profile/profiletest"
)

// encoded returns a generated profile as a gzipped file's content.
func encoded(tb testing.TB, o profiletest.Options) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := profiletest.Generate(o).Write(&b); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func parsed(tb testing.TB, data []byte) *profile.Profile {
	tb.Helper()
	p, err := profile.Parse(data, profile.ReadOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func view(tb testing.TB, p *profile.Profile, q profile.Query) *profile.View {
	tb.Helper()
	v, err := p.View(q)
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

func medium() profiletest.Options {
	o := profiletest.LargeShared()
	o.Samples = 50_000
	return o
}

func BenchmarkRead(b *testing.B) {
	data := encoded(b, medium())
	b.Run("reader=whet", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			parsed(b, data)
		}
	})
	b.Run("reader=pprof", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := gprofile.ParseData(data); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkNodes(b *testing.B) {
	p := parsed(b, encoded(b, medium()))
	for _, by := range []profile.By{profile.ByFunction, profile.ByLine, profile.ByAddress} {
		b.Run("by="+by.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				view(b, p, profile.Query{Type: -1, By: by}).Nodes(false)
			}
		})
	}
}

func BenchmarkOwn(b *testing.B) {
	p := parsed(b, encoded(b, medium()))
	own := profile.OwnMatcher([]string{"example.com/service"}, nil)
	b.ReportAllocs()
	for b.Loop() {
		view(b, p, profile.Query{Type: -1}).Own(own)
	}
}

func BenchmarkTree(b *testing.B) {
	p := parsed(b, encoded(b, medium()))
	for _, c := range []struct {
		name string
		n    int
	}{{"30000", 30_000}, {"all", 0}} {
		b.Run("nodes="+c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				view(b, p, profile.Query{Type: -1}).Tree(c.n, false)
			}
		})
	}
}

// BenchmarkMerge merges 200 profiles of 2000 samples, as in a day of one service.
func BenchmarkMerge(b *testing.B) {
	var ours []*profile.Profile
	var theirs []*gprofile.Profile
	for i := range 200 {
		o := profiletest.LargeShared()
		o.Seed, o.Samples = uint64(i), 2000
		data := encoded(b, o)
		ours = append(ours, parsed(b, data))
		g, err := gprofile.ParseData(data)
		if err != nil {
			b.Fatal(err)
		}
		theirs = append(theirs, g)
	}
	b.Run("merger=whet", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := profile.Merge(ours...); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("merger=pprof", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := gprofile.Merge(theirs); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// TestWriteLarge writes the two large profiles into $WHET_LARGE, for measuring
// whole programs on them (see the bench-profile target).
func TestWriteLarge(t *testing.T) {
	dir := os.Getenv("WHET_LARGE")
	if dir == "" {
		t.Skip("WHET_LARGE names no directory")
	}
	for name, o := range map[string]profiletest.Options{
		"large":  profiletest.Large(),
		"shared": profiletest.LargeShared(),
	} {
		if err := os.WriteFile(filepath.Join(dir, name+".pb.gz"), encoded(t, o), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
