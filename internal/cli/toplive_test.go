package cli_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/input/live"
)

// TestTopLive prints the sum of the windows, as text and as JSON.
func TestTopLive(t *testing.T) {
	base := liveServer(t)
	out := liveWhet(t, "top", "--live", "--duration", "1s", base)
	if !strings.Contains(out, base+": ") || !strings.Contains(out, " of profiles, ") {
		t.Errorf("%s", out)
	}
	var s live.State
	if err := json.Unmarshal([]byte(liveWhet(t, "top", "--live", "--duration", "1s", "--json", base)), &s); err != nil {
		t.Fatal(err)
	}
	if s.Schema != live.Schema || len(s.Windows) != 1 || s.Windows[0].Length < 1e9 {
		t.Errorf("%+v", s)
	}
}
