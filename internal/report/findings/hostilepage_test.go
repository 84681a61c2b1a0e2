package findings

import (
	"bytes"
	"strings"
	"testing"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/fix"
	untrusted "github.com/whet-go/whet/internal/hostile"
	"github.com/whet-go/whet/internal/report/reporttest"
	"github.com/whet-go/whet/internal/report/traces"
	"github.com/whet-go/whet/internal/trace/tracetest"
	"github.com/whet-go/whet/internal/trace/window"
	"github.com/whet-go/whet/prove"
	"github.com/whet-go/whet/trace/timeline"
)

// evil is a name that a browser or a terminal would act on, as long as a trace may have one.
func evil() string {
	s := `</script><script>window.pwned=1</script>"><img src=x onerror="window.pwned=1"><!--<b>'` + "`${window.pwned=1}" +
		untrusted.Terminal
	return s + strings.Repeat("x", 1000-len(s))
}

// TestHostileJourney walks through pages with names that were chosen to do harm, in a real browser, as
// ui/journey/hostile.mjs says.
func TestHostileJourney(t *testing.T) {
	reporttest.RunJourney(t, "hostile.mjs", func() map[string][]byte {
		pages := map[string][]byte{}
		for name, data := range map[string][]byte{"functions": untrusted.Texts(evil()), "tasks": tracetest.User(t, evil())} {
			var page bytes.Buffer
			if err := traces.WriteTimelinePage(t.Context(), &page, timeline.New(tracetest.Index(t, data), evil()),
				window.Options{}); err != nil {
				t.Fatal(err)
			}
			pages[name] = page.Bytes()
		}
		long := evil() + strings.Repeat("y", 1<<20)
		x := hostileFinding(evil())
		x.Function, x.Title = long, evil()
		x.Places[0].Code = long
		var found, fixed bytes.Buffer
		if err := Find(&find.Result{
			Module: evil(), Dir: "/src", Findings: []find.Finding{x},
			Unexplained: []find.HotLine{{Place: x.Places[0], Function: evil(), Why: evil()}},
			Stale:       []find.Stale{{Function: long, File: evil(), Reason: evil()}},
		}).WritePage(&found); err != nil {
			t.Fatal(err)
		}
		if err := Fix(&fix.Result{
			Module: evil(), Attempts: []fix.Attempt{
				{Finding: x, Stage: fix.StageKept, Diff: x.Fix.Diff}, {
					Finding: x, Stage: fix.StageTest, Reason: long,
					Diff: x.Fix.Diff,
				}, {Finding: x, Stage: fix.StageNeeds, Reason: evil()},
			}, Untried: []fix.Untried{{Title: evil(), File: evil(), Line: 1, Function: long, Reason: evil()}},
			Base: prove.Base{Broken: []fix.Broken{{Package: evil(), Reason: long}}},
		}).WritePage(&fixed); err != nil {
			t.Fatal(err)
		}
		pages["find"], pages["fix"] = found.Bytes(), fixed.Bytes()
		return pages
	})
}
