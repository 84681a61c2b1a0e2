package regressions

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/local"
	"github.com/whet-go/whet/store/regressions/fleettest"
)

// An alertmanager keeps alerts as Alertmanager does: by their labels.
type alertmanager struct {
	t      *testing.T
	alerts map[string]Alert
	posts  int
	down   bool
}

func (m *alertmanager) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if m.down {
		http.Error(w, "not now", http.StatusServiceUnavailable)
		return
	}
	var all []Alert
	if err := json.NewDecoder(r.Body).Decode(&all); err != nil {
		m.t.Error(err)
	}
	m.posts++
	for _, a := range all {
		m.alerts[a.identity()] = a
	}
}

// firing returns the alerts that have not ended, and ended the others.
func (m *alertmanager) firing(now time.Time) (firing, ended []Alert) {
	for _, a := range m.alerts {
		if a.EndsAt.After(now) {
			firing = append(firing, a)
		} else {
			ended = append(ended, a)
		}
	}
	return firing, ended
}

// A tenantReader has a fleet for each tenant.
type tenantReader struct {
	store.Reader
	fleets map[string]store.Reader
}

func (r *tenantReader) of(q store.Query) store.Reader { return r.fleets[q.Tenant] }

func (r *tenantReader) Series(ctx context.Context, q store.Query) ([]store.Series, error) {
	return r.of(q).Series(ctx, q)
}

func (r *tenantReader) Merge(ctx context.Context, q store.Query) (*profile.Profile, store.Stats, error) {
	return r.of(q).Merge(ctx, q)
}

// TestWatch follows a service over days: an alert fires while its regression is found, also for processes that
// are started later, and ends when it is not.
func TestWatch(t *testing.T) {
	manager := &alertmanager{t: t, alerts: map[string]Alert{}}
	server := httptest.NewServer(manager)
	defer server.Close()
	leases, err := local.Open(t.TempDir(), local.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := leases.Close(); err != nil {
			t.Error(err)
		}
	}()
	options := fleettest.Options{Hosts: 4, Days: 3, Slower: 0.5}
	slower := fleettest.New(options, 1, 1, fleettest.Slower)
	fine := fleettest.New(options, 1, 1, fleettest.Nothing)
	reader := &tenantReader{fleets: map[string]store.Reader{
		"": fleettest.Fleet{slower}, "red": fleettest.Fleet{fine},
	}}
	now := fleettest.Epoch().Add(3 * 24 * time.Hour)
	process := func() *WatchOptions {
		return &WatchOptions{
			Since: 7 * 24 * time.Hour, Reader: reader, Leases: leases, Every: time.Hour, Webhook: server.URL,
			Now: func() time.Time { return now },
		}
	}
	w := process()
	round := func(tenant string) {
		t.Helper()
		if err := w.round(t.Context(), tenant); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(fires, ends int) []Alert {
		t.Helper()
		firing, ended := manager.firing(now)
		if len(firing) != fires || len(ended) != ends {
			t.Fatalf("firing %+v, ended %+v, want %d and %d", firing, ended, fires, ends)
		}
		return append(firing, ended...)
	}

	round("")
	round("red")
	first := expect(1, 0)[0]
	if first.Labels["function"] != slower.Victim || first.Labels["tenant"] != "" || first.EndsAt.Sub(now) != 4*time.Hour {
		t.Errorf("the alert is %+v", first)
	}
	// Another process, or one that was started again, does not look again at once.
	posts := manager.posts
	w = process()
	round("")
	if manager.posts != posts {
		t.Error("the same alert was sent twice within a minute")
	}
	now = now.Add(time.Hour)
	round("")
	again := expect(1, 0)[0]
	if manager.posts != posts+1 || !again.StartsAt.Equal(first.StartsAt) || !again.EndsAt.After(first.EndsAt) {
		t.Errorf("the alert is %+v, %d posts", again, manager.posts)
	}
	// What cannot be read says nothing about regressions.
	reader.fleets[""] = failing{}
	now = now.Add(time.Hour)
	if err := w.round(t.Context(), ""); err == nil || !strings.Contains(err.Error(), "the shard is down") {
		t.Errorf("a store that fails: %v", err)
	}
	expect(1, 0)
	// It went away while nothing listened to alerts, and the clock was set back.
	reader.fleets[""] = fleettest.Fleet{fine}
	manager.down = true
	if err := w.round(t.Context(), ""); err == nil || !strings.Contains(err.Error(), "not now") {
		t.Errorf("an Alertmanager that is down: %v", err)
	}
	expect(1, 0)
	manager.down = false
	w = process()
	now = now.Add(-90 * time.Minute)
	round("")
	now = now.Add(time.Second)
	if ended := expect(0, 1)[0]; ended.Labels["function"] != slower.Victim || !ended.StartsAt.Equal(first.StartsAt) {
		t.Errorf("the alert ended as %+v", ended)
	}
	posts = manager.posts
	now = now.Add(2 * time.Hour)
	round("")
	if manager.posts != posts {
		t.Error("an alert that ended was sent again")
	}
	// Those of tenants have its name.
	reader.fleets["red"] = fleettest.Fleet{slower}
	round("red")
	if !slices.ContainsFunc(expect(1, 1), func(a Alert) bool { return a.Labels["tenant"] == "red" }) {
		t.Errorf("alerts %+v", manager.alerts)
	}
}

// failing is a store that cannot be read.
type failing struct{ store.Reader }

func (failing) Series(context.Context, store.Query) ([]store.Series, error) {
	return nil, errors.New("the shard is down")
}
