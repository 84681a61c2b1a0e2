package diffs

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/whet-go/whet/internal/input/diff"
	"github.com/whet-go/whet/internal/profile/oracletest"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/profile"
)

func TestText(t *testing.T) {
	side := func(name string, stacks ...string) diff.Input {
		var samples []oracletest.Sample
		for _, text := range stacks {
			var n int64
			stack, count, _ := strings.Cut(text, ": ")
			if _, err := fmt.Sscan(count, &n); err != nil {
				t.Fatal(err)
			}
			samples = append(samples, oracletest.Sample{Stack: stack, Values: []int64{n, 10 * n}})
		}
		p := oracletest.Profile(t, "samples/count cpu/nanoseconds", samples...)
		return diff.Input{
			Name: name, View: oracletest.Bind(t, p, profile.Query{}), Duration: 30 * time.Second,
			Own: func(f profile.Function) bool { return strings.HasPrefix(f.Name, "main.") },
		}
	}
	r, err := diff.New(side("a.pb.gz", "rt.start main.f lib.g: 2000", "rt.start main.old: 60", "rt.gc: 3000"),
		side("b.pb.gz", "rt.start main.f lib.g: 500", "rt.start main.new: 30", "rt.gc: 3010"),
		diff.Options{Own: true, N: 2})
	if err != nil {
		t.Fatal(err)
	}
	got := oracletest.WriteString(t, func(b *bytes.Buffer) error { return Write(b, layout.Style{}, r) })
	const want = `cpu by function, B against A
A  50.60us ±1.40us · 5060 clock ticks · 30s · a.pb.gz
B  35.40us ±1.20us · 3540 clock ticks · 30s · b.pb.gz
total -15.20us (-30.0%), beyond the noise of ±1.90us

own code: each sample is charged to its innermost own frame
  cost A  cost B  change       %   noise    function
    20us     5us   -15us  -75.0%    ±1us    main.f
   600ns       .  -600ns    gone  ±160ns    main.old

no own code on the stack: by outermost frame
  cost A   cost B  change      %    noise    function
    30us  30.10us  +100ns  +0.3%  ±1.60us ~  rt.gc

1 smaller change is left out (--number 0 shows all)
`
	if got != want {
		t.Errorf("(-want +got)\n%s", cmp.Diff(want, got))
	}
}
