package scratch

import (
	"strings"
	"testing"
	"time"
)

// hangingModule has a test that hangs, until Fails is changed: then it fails.
const hangingModule = `
-- go.mod --
module example.com/m

go 1.26
-- a.go --
package m

// Fails says how the test ends.
func Fails() bool { return false }
-- a_test.go --
package m

import (
	"testing"
	"time"
)

func TestFails(t *testing.T) {
	if !Fails() {
		time.Sleep(time.Hour)
	}
	t.Error("it fails")
}
`

// TestRaceLimits says that tests failed, if those of the base did not end: it is not known whether the changes are why.
func TestRaceLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	m := moduleOf(t, hangingModule)
	if !m.CanRace(t.Context()) {
		t.Skip("no C compiler")
	}
	const file = "a.go"
	before := "package m\n\n// Fails says how the test ends.\nfunc Fails() bool { return false }\n"
	changes := Changes{file: {Before: []byte(before), After: []byte(strings.ReplaceAll(before, "false", "true"))}}
	limits := RaceLimits{Build: 5 * time.Minute, Run: 20 * time.Second}
	r, err := m.BeginRace(t.Context(), changes, []string{"example.com/m"}, nil, limits).Wait()
	if err != nil || r != (RaceResult{Late: true, Failed: true}) {
		t.Errorf("%+v, %v", r, err)
	}
	limits.Run = time.Millisecond
	r, err = m.BeginRace(t.Context(), changes, []string{"example.com/m"}, nil, limits).Wait()
	if err != nil || r != (RaceResult{Late: true}) {
		t.Errorf("in no time: %+v, %v", r, err)
	}
}
