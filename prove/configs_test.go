package prove_test

import (
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/prove/provetest"
	"github.com/whet-go/whet/prove"
)

// TestConfigs builds in the configurations that CI names: a file that only one of them compiles is built, but not
// compared, and must build, unless version A does not.
func TestConfigs(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	const ci = "-- .github/workflows/ci.yml --\njobs:\n  a:\n    steps:\n      - run: go test -tags odd ./...\n" +
		"      - run: go vet -tags small ./...\n"
	const others = "-- text/small.go --\n//go:build small\n\npackage text\n\nconst system = 9\n" +
		"-- text/odd.go --\n//go:build odd\n\npackage text\n\nvar x = missing\n"
	module := before + ci + others
	replace := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(module) }
	for _, test := range []struct {
		name, after string
		outcome     prove.Outcome
		reason      string // part of it
		missing     string
	}{
		{"all build", replace(slowJoin, fastJoin), prove.OutcomeFaster, "allocs/op", ""},
		{
			"one does not build", replace(slowJoin, fastJoin, "system = 9", "system = 9 + none"),
			prove.OutcomeBroken, "+small: ", "",
		},
		{
			"a file of one", replace(slowJoin, fastJoin, "system = 9", "system = 10"),
			prove.OutcomeUnproven, "",
			"+small, but not compared: it is not part of this build",
		},
	} {
		r := proveDirs(t, writeModule(t, module), writeModule(t, test.after), func(q *prove.Request) { q.CIConfigs = true })
		missing := ""
		for _, m := range r.Missing {
			missing += m.What + "\n"
		}
		if r.Outcome != test.outcome || !strings.Contains(r.Reason, test.reason) || !strings.Contains(missing, test.missing) {
			t.Errorf("%s: %s: %s\n%s", test.name, r.Outcome, r.Reason, missing)
		}
		if r.Outcome != prove.OutcomeFaster {
			continue
		}
		var builds []string
		for _, b := range r.Verdict.Configs {
			builds = append(builds, b.Config+" "+b.NotBuilt)
		}
		got := strings.Join(builds, "\n")
		if len(builds) != 2 || !strings.Contains(got, "+odd version A does not build: ") ||
			!strings.HasSuffix(got, "+small ") {
			t.Error(got)
		}
	}
}
