package workbench

import (
	"net/http/httptest"
	"testing"

	"github.com/whet-go/whet/internal/report/reporttest"
	"github.com/whet-go/whet/ui"
)

// TestJourneySlow waits for answers that take long in a real browser, as ui/journey/slow.mjs says.
func TestJourneySlow(t *testing.T) {
	reporttest.RunJourney(t, "slow.mjs", func() map[string][]byte {
		module, _, _ := slugModule(t)
		s, _ := serve(t, func(o *Options) { o.Assets, o.Dir = ui.App(), module })
		server := httptest.NewServer(s)
		t.Cleanup(server.Close)
		return map[string][]byte{"address": []byte(server.URL)}
	})
}

// TestJourneyKeys uses the keys that all pages share in a real browser, as ui/journey/keys.mjs says.
func TestJourneyKeys(t *testing.T) {
	reporttest.RunJourney(t, "keys.mjs", func() map[string][]byte {
		s, _ := serve(t, func(o *Options) { o.Assets = ui.App() })
		server := httptest.NewServer(s)
		t.Cleanup(server.Close)
		return map[string][]byte{"address": []byte(server.URL)}
	})
}
