package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/whet-go/whet/store"
)

// membersOf lists the members of leases: those that are alive, and those whose lease has ended.
func membersOf(all []store.Lease) (alive, ended []string) {
	for _, l := range all {
		if l.Alive() {
			alive = append(alive, l.Member)
		} else {
			ended = append(ended, l.Member)
		}
	}
	return alive, ended
}

// names lists the members of leases.
func names(all []store.Lease) (out []string) {
	for _, l := range all {
		out = append(out, l.Member)
	}
	return out
}

// testLeases has leases that last longer than the test, and ones that end at once, because the clock is
// the store's.
func testLeases(t *testing.T, u Store) {
	ctx := t.Context()
	s := u.Open(t, "leases", Options{})
	renew := func(tenant, group, member string, ttl time.Duration) (alive, ended []string) {
		t.Helper()
		all, err := s.Renew(ctx, tenant, group, member, ttl)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.IsSortedFunc(all, func(a, b store.Lease) int { return strings.Compare(a.Member, b.Member) }) {
			t.Errorf("not by member: %q", names(all))
		}
		for _, l := range all {
			if l.Group != group || l.Left > ttl+time.Hour || l.Document != nil {
				t.Errorf("%s/%s with %v left is in the answer to group %s", l.Group, l.Member, l.Left, group)
			}
		}
		return membersOf(all)
	}
	want := func(alive, ended []string, wantAlive, wantEnded string) {
		t.Helper()
		if strings.Join(alive, " ") != wantAlive || strings.Join(ended, " ") != wantEnded {
			t.Errorf("alive %q, ended %q, want %s, and %s", alive, ended, wantAlive, wantEnded)
		}
	}
	alive, ended := renew("", "shop", "a", time.Hour)
	want(alive, ended, "a", "")
	alive, ended = renew("", "shop", "b", time.Nanosecond)
	if !slices.Contains(alive, "a") || len(alive)+len(ended) != 2 {
		t.Errorf("alive %q, ended %q, want a and b", alive, ended)
	}
	alive, ended = renew("", "shop", "a", time.Hour)
	want(alive, ended, "a", "b")
	alive, ended = renew("", "shop", "b", time.Hour) // it is back
	want(alive, ended, "a b", "")
	alive, ended = renew("", "mail", "c", time.Hour) // another group
	want(alive, ended, "c", "")
	alive, ended = renew("red", "shop", "d", time.Hour) // another tenant
	want(alive, ended, "d", "")

	documents := map[string][]byte{
		"a": []byte(`{"text":"it's a \\ document"}`), "b": bytes.Repeat([]byte("0123456789abcdef"), 1<<15),
	}
	for range 2 { // the last one counts
		for member, text := range documents {
			if err := s.Publish(ctx, "", "shop", member, text); err != nil {
				t.Fatal(err)
			}
			documents[member] = append(text, ' ')
		}
	}
	alive, ended = renew("", "shop", "a", time.Hour) // keeps what was published
	want(alive, ended, "a b", "")
	listed := func(tenant string) (out []string) {
		t.Helper()
		all, err := s.Leases(ctx, tenant)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range all {
			text := "none"
			if l.Document != nil {
				text = fmt.Sprint(bytes.Equal(append(l.Document, ' '), documents[l.Member]))
			}
			out = append(out, l.Group+" "+l.Member+" "+text)
		}
		return out
	}
	if got := listed(""); !slices.Equal(got, []string{"mail c none", "shop a true", "shop b true"}) {
		t.Errorf("%q", got)
	}
	if got := listed("red"); !slices.Equal(got, []string{"shop d none"}) {
		t.Errorf("%q", got)
	}
	if got := listed("blue"); len(got) != 0 {
		t.Errorf("%q of a tenant without any", got)
	}
	for range 2 { // again is harmless
		if err := s.Release(ctx, "", "shop", "b"); err != nil {
			t.Fatal(err)
		}
	}
	alive, ended = renew("", "shop", "a", time.Hour)
	want(alive, ended, "a", "")
	alive, ended = renew("", "shop", "b", time.Hour) // what it published before is forgotten
	want(alive, ended, "a b", "")
	if got := listed(""); !slices.Equal(got, []string{"mail c none", "shop a true", "shop b none"}) {
		t.Errorf("%q", got)
	}

	var invalid *store.InvalidError
	var limit *store.LimitError
	for _, x := range [][3]string{
		{"/", "shop", "a"}, {"", "", "a"}, {"", "shop", ""}, {"", "two words", "a"}, {"", "shop", strings.Repeat("x", 201)},
	} {
		if _, err := s.Renew(ctx, x[0], x[1], x[2], time.Hour); !errors.As(err, &invalid) {
			t.Errorf("renew %q: %v", x, err)
		}
		if err := s.Release(ctx, x[0], x[1], x[2]); !errors.As(err, &invalid) {
			t.Errorf("release %q: %v", x, err)
		}
	}
	if err := s.Publish(ctx, "", "shop", "a", make([]byte, store.MaxLeaseDocument+1)); !errors.As(err, &limit) {
		t.Errorf("too large a document: %v", err)
	}
}

// testLeasesAtOnce renews leases from many goroutines: once Renew has returned for a member, all later
// calls see it.
func testLeasesAtOnce(t *testing.T, u Store) {
	s := u.Open(t, "leases_at_once", Options{})
	const members, rounds = 6, 5
	var mu sync.Mutex
	joined := map[string]bool{}
	var all sync.WaitGroup
	for i := range members {
		all.Go(func() {
			name := fmt.Sprint("m", i)
			for range rounds {
				mu.Lock()
				var before []string
				for m := range joined {
					before = append(before, m)
				}
				mu.Unlock()
				leases, err := s.Renew(t.Context(), "", "shop", name, time.Hour)
				if err != nil {
					t.Error(err)
					return
				}
				alive, _ := membersOf(leases)
				for _, m := range append(before, name) {
					if !slices.Contains(alive, m) {
						t.Errorf("%s is missing in %q", m, alive)
					}
				}
				mu.Lock()
				joined[name] = true
				mu.Unlock()
			}
		})
	}
	all.Wait()
}
