package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/whet-go/whet/agent"
	"github.com/whet-go/whet/load"
)

const secret = "a-token-of-more-than-sixteen-bytes"

// TestLoadTarget gets the target's CPU time from an agent: here that of the test, which is
// server and generator in one.
func TestLoadTarget(t *testing.T) {
	a, err := agent.Start(agent.Options{Addr: "127.0.0.1:0", Token: secret})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	s := newLoadServer(t)
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := runWhet(t, "load", "-n", "2000", "--json", "--target", a.URL(),
		"--target-token-file", token, s.URL)
	var r load.Result
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v\n%s", code, err, stderr)
	}
	if r.TargetCPU == nil || r.TargetCPU.Total <= 0 || r.TargetCPU.PID != 0 {
		t.Errorf("%+v", r.TargetCPU)
	}
	for what, args := range map[string][]string{
		"401":                {"--target", a.URL()},
		"not the whet agent": {"--target", s.URL},
	} {
		_, stdout, stderr := runWhet(t, append(append([]string{"load", "-n", "10"}, args...), s.URL)...)
		if !strings.Contains(stdout+stderr, what) {
			t.Errorf("%q: no %q in\n%s%s", args, what, stdout, stderr)
		}
		if strings.Contains(stdout+stderr, secret) {
			t.Error("the token is printed")
		}
	}
}
