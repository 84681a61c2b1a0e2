package workbench

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/report/reporttest"
	"github.com/whet-go/whet/internal/scrape"
	"github.com/whet-go/whet/internal/server/access"
	"github.com/whet-go/whet/profile/profiletest"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/local"
	"github.com/whet-go/whet/store/regressions/fleettest"
	"github.com/whet-go/whet/ui"
)

// markup is a name that others chose.
const markup = `<img src=x onerror="window.pwned=1">`

// newStore returns a store in a new directory.
func newStore(t *testing.T) *local.Store {
	t.Helper()
	s, err := local.Open(t.TempDir(), local.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// fillStore stores services with several hosts, versions and days, which end now; one with 1000
// series; and one whose names others chose. It returns the function that one service got slower in.
func fillStore(t *testing.T, s *local.Store) (victim string) {
	t.Helper()
	const days = 4
	end := time.Now().UTC().Truncate(time.Hour)
	var batch []store.Profile
	flush := func() {
		if err := s.Write(t.Context(), "", batch); err != nil {
			t.Fatal(err)
		}
		batch = nil
	}
	add := func(p store.Profile) error {
		if batch = append(batch, p); len(batch) == 200 {
			flush()
		}
		return nil
	}
	for i, plan := range []fleettest.Plan{fleettest.Slower, fleettest.Nothing} {
		service := fleettest.New(fleettest.Options{Hosts: 4, Days: days, Slower: 1}, 7, i+1, plan)
		if err := service.Profiles(func(p store.Profile) error {
			p.Start = end.Add(p.Start.Sub(fleettest.Epoch()) - days*24*time.Hour)
			return add(p)
		}); err != nil {
			t.Fatal(err)
		}
		if plan == fleettest.Slower {
			victim = service.Victim
		}
	}
	for i := range 1000 {
		_ = add(store.Profile{
			Service: "many", Kind: "cpu", Start: end.Add(-time.Duration(i) * time.Minute), Duration: 10 * time.Second,
			Labels: store.NewLabels(map[string]string{"instance": fmt.Sprintf("10.0.%d.%d:6060", i/250, i%250)}),
			Data:   profiletest.Generate(profiletest.Options{Seed: uint64(i % 5), Samples: 20}),
		})
	}
	for i := range 3 {
		_ = add(store.Profile{
			Service: markup, Kind: "cpu", Start: end.Add(-time.Duration(i) * time.Hour), Duration: 10 * time.Second,
			Labels: store.NewLabels(map[string]string{"note": markup + `"\` + "\u202e"}),
			Data:   profiletest.Generate(profiletest.Options{Seed: uint64(i), Samples: 50}),
		})
	}
	// A service that is no longer profiled.
	_ = add(store.Profile{
		Service: "old", Kind: "heap", Start: end.Add(-60 * 24 * time.Hour),
		Data: profiletest.Generate(profiletest.Options{Seed: 3, Samples: 50}),
	})
	flush()
	storeRecordings(t, s, end)
	return victim
}

// storeRecordings stores recordings that triggers made, as whole files.
func storeRecordings(t *testing.T, s *local.Store, end time.Time) {
	t.Helper()
	content, err := os.ReadFile(recordingFile)
	if err != nil {
		t.Fatal(err)
	}
	for i, about := range []string{"GET /pad took 1.2 s", "GET /pad took 800 ms", markup} {
		r := store.Recording{
			Service: "service001", Labels: store.NewLabels(map[string]string{"trigger": "slow"}), About: about,
			Start: end.Add(-time.Duration(i+1) * time.Hour), Duration: 1500 * time.Millisecond,
		}
		if _, err := s.WriteRecording(t.Context(), "", r, content); err != nil {
			t.Fatal(err)
		}
	}
}

// targetStates are those of 1200 targets, of which some are down.
func targetStates() scrape.Status {
	now := time.Now()
	s := scrape.Status{
		Schema: scrape.StatusSchema, Profiles: scrape.Counts{Stored: 123456, Waiting: 7, Dropped: 2},
		Targets: []scrape.TargetState{},
	}
	s.Warnings.Addf("the store fails: connection refused")
	s.Members = []scrape.Member{
		{Group: "shop", Member: "watch-1", Left: 9 * time.Second, Targets: 1200}, {Group: "shop", Member: markup, Left: -1},
	}
	for i := range 1200 {
		one := scrape.TargetState{
			Job: "shop", Service: "service001", Target: fmt.Sprintf("http://10.0.%d.%d:6060/debug/pprof", i/250, i%250),
			Labels: store.NewLabels(map[string]string{"instance": fmt.Sprint("host-", i)}),
			State:  scrape.Up, Last: now.Add(-20 * time.Second), Took: 6 * time.Second, Next: now.Add(40 * time.Second),
			Scrapes: 10, Profiles: 60, Owner: "watch-1",
		}
		switch i % 400 {
		case 1:
			one.State, one.Error, one.Failures = scrape.Down, "get cpu: connection refused "+markup, 3
			one.Profiles, one.Missed = 0, 4
		case 2:
			one = scrape.TargetState{Job: one.Job, Service: one.Service, Target: one.Target, State: scrape.Waiting}
		}
		s.Targets = append(s.Targets, one)
	}
	return s
}

// TestJourneyStore walks through the pages of a store in a real browser, as ui/journey/store.mjs
// says. WHET_SHOTS names a directory for its screenshots.
func TestJourneyStore(t *testing.T) {
	reporttest.RunJourney(t, "store.mjs", func() map[string][]byte {
		full := newStore(t)
		addresses := map[string][]byte{"victim": []byte(fillStore(t, full))}
		for name, change := range map[string]func(*Options){
			"address": func(o *Options) { o.Store, o.Recordings, o.Scraped = full, full, targetStates },
			"empty":   func(o *Options) { o.Store = newStore(t) },
			"partial": func(o *Options) {
				down := &store.PartialError{Cluster: "main", Missing: []string{"shard 2 (10.0.0.2:9000)"}}
				o.Store, o.AllowPartial = &sharded{Reader: full, down: down}, true
			},
		} {
			s, _ := serveDir(t, t.TempDir(), access.Options{}, func(o *Options) { o.Assets = ui.App() }, change)
			server := httptest.NewServer(http.Handler(s))
			t.Cleanup(server.Close)
			addresses[name] = []byte(server.URL)
		}
		return addresses
	})
}
