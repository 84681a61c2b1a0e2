package cli_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/local"
	"github.com/whet-go/whet/store/regressions"
	"github.com/whet-go/whet/store/regressions/fleettest"
)

// TestQueryRegressions finds the regression of a service in a store, as text, in JSON, as a gate and
// as an alert.
func TestQueryRegressions(t *testing.T) {
	t.Chdir(t.TempDir())
	service := fleettest.New(fleettest.Options{Hosts: 4, Days: 3, Slower: 0.5}, 1, 1, fleettest.Slower)
	s, err := local.Open("st", local.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	var all []store.Profile
	err = service.Profiles(func(p store.Profile) error {
		all = append(all, p)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Write(t.Context(), "", all); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, name, _ := strings.Cut(service.Victim, ".com/")
	_, name, _ = strings.Cut(name, "/")

	var alerts []regressions.Alert
	manager := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&alerts); err != nil {
			t.Error(err)
		}
	}))
	defer manager.Close()
	code, stdout, stderr := runWhet(t, "query", "regressions", "{}", "--store", "st", "--fail", "--webhook", manager.URL)
	if code != 3 || !strings.Contains(stdout, "more expensive:") || !strings.Contains(stdout, name) ||
		!strings.Contains(stdout, "v2 → v3") || !strings.Contains(stderr, "1 regression") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if len(alerts) != 1 || alerts[0].Labels["function"] != service.Victim {
		t.Errorf("%+v", alerts)
	}
	_, stdout, _ = runWhet(t, "query", "regressions", "--store", "st", "--json")
	var doc struct {
		Schema      string
		Regressions []regressions.Change
	}
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil || doc.Schema != "whet.store-regressions/1" ||
		len(doc.Regressions) != 1 || doc.Regressions[0].Function != service.Victim {
		t.Errorf("%v\n%s", err, stdout)
	}
	// A server sends the same alert by itself.
	posted := make(chan []regressions.Alert, 1)
	listening := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var all []regressions.Alert
		if err := json.NewDecoder(r.Body).Decode(&all); err != nil {
			t.Error(err)
		}
		posted <- all
	}))
	defer listening.Close()
	serving(t, "--store", "st", "--regressions-every", "1h", "--regressions-since", "876000h", "--webhook", listening.URL,
		t.TempDir())
	if all := <-posted; len(all) != 1 || all[0].EndsAt.IsZero() || !maps.Equal(all[0].Labels, alerts[0].Labels) {
		t.Errorf("the server sent %+v, want %+v", all, alerts)
	}
	for want, args := range map[string][]string{
		"at least a minute":               {"--store", "st", "--regressions-every", "1s", "--webhook", "http://x"},
		"no address for alerts":           {"--store", "st", "--regressions-every", "1h"},
		"the address is not one of http":  {"--store", "st", "--regressions-every", "1h", "--webhook", "x"},
		"no effect without --store":       {"--regressions-every", "1h", "--webhook", "http://x"},
		"effect without --regressions-ev": {"--store", "st", "--webhook", "http://x"},
		"at least --regressions-every":    {"--store", "st", "--regressions-every", "2h", "--regressions-since", "1h"},
	} {
		code, _, stderr := runWhet(t, append([]string{"serve", "--http", "127.0.0.1:0"}, args...)...)
		if code != 2 || !strings.Contains(stderr, want) || !strings.Contains(stderr, "hint: ") {
			t.Errorf("%v: exit code %d\n%s", args, code, stderr)
		}
	}
	for want, args := range map[string][]string{
		"the address is not one of http": {"--webhook", "ftp://x"},
		"--step: must be positive":       {"--step", "-1h"},
		"use a longer step":              {"--step", "1s"},
		"not a git repository":           {"--repo", "."},
		"no profiles match":              {"service=none"},
	} {
		code, _, stderr := runWhet(t, append([]string{"query", "regressions", "--store", "st"}, args...)...)
		if code == 0 || !strings.Contains(stderr, want) || !strings.Contains(stderr, "hint: ") {
			t.Errorf("%v: exit code %d\n%s", args, code, stderr)
		}
	}
}
