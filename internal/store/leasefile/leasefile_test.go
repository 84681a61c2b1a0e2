package leasefile

import (
	"strings"
	"testing"
	"time"
)

// TestClockSetBack sets the clock back by an hour: the lease of a member that is gone ends no later than one
// that began then, and that of a longer lease is not cut.
func TestClockSetBack(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 4, 3, 0, 0, 0, time.UTC)
	l := New(t.TempDir(), func() time.Time { return now })
	defer func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}()
	alive := func() string {
		t.Helper()
		all, err := l.Renew(t.Context(), "", "shop", "here", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for i := range all {
			if all[i].Alive() {
				names = append(names, all[i].Member)
			}
		}
		return strings.Join(names, " ")
	}
	for member, ttl := range map[string]time.Duration{"gone": time.Minute, "patient": 10 * time.Minute} {
		if _, err := l.Renew(t.Context(), "", "shop", member, ttl); err != nil {
			t.Fatal(err)
		}
	}
	now = now.Add(-time.Hour)
	if got := alive(); got != "gone here patient" {
		t.Errorf("after the clock was set back, %s are alive", got)
	}
	now = now.Add(61 * time.Second)
	if got := alive(); got != "here patient" {
		t.Errorf("a minute later, %s are alive", got)
	}
	now = now.Add(10 * time.Minute)
	if got := alive(); got != "here" {
		t.Errorf("ten minutes later, %s are alive", got)
	}
}
