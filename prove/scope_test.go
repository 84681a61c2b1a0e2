package prove_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/prove/provetest"
	"github.com/whet-go/whet/prove"
)

// TestScope checks that packages that a change cannot affect are not tested, and that those that
// depend on it are.
func TestScope(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	module := before + `
-- other/other.go --
package other
-- other/other_test.go --
package other

import "testing"

func TestFails(t *testing.T) { t.Error("always") }
-- user/user.go --
package user

import "example.com/p/text"

func Line() string { return text.Join([]string{"x"}) }
-- user/user_test.go --
package user

import (
	"strings"
	"testing"
)

func TestFails(t *testing.T) { t.Error("always") }

func TestLine(t *testing.T) {
	if strings.Contains(Line(), ";") {
		t.Error(Line())
	}
}
`
	a := writeModule(t, module)
	faster := writeModule(t, strings.Replace(module, slowJoin, fastJoin, 1))
	r := proveDirs(t, a, faster, nil)
	if r.Outcome != prove.OutcomeFaster || !slices.Equal(r.Base.Failing, []string{"example.com/p/user.TestFails"}) {
		t.Errorf("%s (%s), failing before: %q", r.Outcome, r.Reason, r.Base.Failing)
	}
	if r.Verdict.Tested != 2 { // text and user; the program has no tests
		t.Errorf("tested %d packages", r.Verdict.Tested)
	}
	changed := strings.NewReplacer(slowJoin, semicolons, `"a,b,"`, "Join(nil)+\"a;b;\"").Replace(module)
	r = proveDirs(t, a, writeModule(t, changed), func(q *prove.Request) { q.AcceptTests = true })
	if r.Outcome != prove.OutcomeDifferent || !strings.Contains(r.Reason, "user.TestLine fails") {
		t.Errorf("%s: %s", r.Outcome, r.Reason)
	}
}
