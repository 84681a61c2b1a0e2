package cli_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/whet-go/whet/load"
)

// TestLoadTargets checks the table of targets as text, JSON and page, and assertions on one target.
func TestLoadTargets(t *testing.T) {
	t.Chdir(t.TempDir())
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/gone" {
			w.WriteHeader(http.StatusGone)
		}
	}))
	defer srv.Close()
	if err := os.WriteFile(
		"urls", []byte("# name: home\n"+srv.URL+"/\n\n# weight: 3\n"+srv.URL+"/gone?x=1\n"), 0o600,
	); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		assert string
		code   int
		want   string
	}{
		{"home: errors<1%,errors<90%", 0, "✓ home: errors<0.01 held: 0%\n✓ errors<0.9 held: 75.00%"},
		{"/gone?x=1: errors<1%", 3, "✗ /gone?x=1: errors<0.01 missed: 100%"},
		{"house: p99<1s", 2, "the targets are home, /gone?x=1"},
		{"home: p97<1s", 2, "p97 is not measured for each target"},
	} {
		code, stdout, stderr := runWhet(t, "load", "--targets", "urls", "-c", "1", "-n", "40", "--assert", tc.assert)
		if code != tc.code || !strings.Contains(stdout+stderr, tc.want) {
			t.Errorf("--assert %q: exit code %d, want %q in\n%s%s", tc.assert, code, tc.want, stdout, stderr)
		}
		if code != 2 && (!strings.Contains(stdout, "\ntarget ") || !strings.Contains(stdout, "\nhome ") ||
			!strings.Contains(stdout, "30 (100%)")) {
			t.Errorf("no table of targets:\n%s", stdout)
		}
	}
	code, _, stderr := runWhet(t, "load", srv.URL, "-n", "1", "--assert", "home: p99<1s")
	if code != 2 || !strings.Contains(stderr, "there is only one target") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
	code, stdout, stderr := runWhet(t, "load", "--targets", "urls", "-n", "40", "--json", "--html", "page.html")
	var r load.Result
	if err := json.Unmarshal([]byte(stdout), &r); code != 0 || err != nil {
		t.Fatalf("exit code %d, %v\n%s", code, err, stderr)
	}
	if len(r.PerTarget) != 2 || r.PerTarget[0].Name != "home" ||
		r.PerTarget[0].Requests+r.PerTarget[1].Requests != 40 || r.PerTarget[1].Status[http.StatusGone] == 0 {
		t.Errorf("%+v", r.PerTarget)
	}
	page, err := os.ReadFile("page.html")
	if err != nil || !bytes.Contains(page, []byte(`"caption":"Targets","columns":["target","requests"`)) {
		t.Errorf("%v, or no table in the page", err)
	}
}
