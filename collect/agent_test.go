package collect

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/agent"
	"github.com/whet-go/whet/recording"
)

// TestAgent records a program whose agent requires a token.
func TestAgent(t *testing.T) {
	const token = "a token of some length"
	a, err := agent.Start(agent.Options{Addr: "127.0.0.1:0", Prefix: "/private/prof", Token: token})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	out := filepath.Join(t.TempDir(), "r.whet")
	opt := Options{
		URL: a.URL(), PprofPath: "/private/prof", Out: out, Duration: time.Second, Trace: 100 * time.Millisecond,
	}
	if _, err := Run(t.Context(), opt); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("without a token: %v", err)
	}
	opt.Token = token
	sum, err := Run(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"block", "mutex"} {
		if m, ok := missing(sum.Meta, part); ok && strings.Contains(m.Reason, "off") {
			t.Errorf("%s: %+v", part, m)
		}
	}
	for _, part := range []string{"cpu", "trace"} {
		if m, ok := missing(sum.Meta, part); ok {
			t.Errorf("%s: %+v", part, m)
		}
	}
	if sum.Meta.GOMAXPROCS == 0 || sum.Meta.NumCPU == 0 || sum.Meta.Build == nil {
		t.Errorf("meta %+v", sum.Meta)
	}
	r := openRecording(t, out)
	var info struct{ Start, End agent.Info }
	if err := json.Unmarshal(readPart(t, r, recording.AgentPart), &info); err != nil || info.Start.PID == 0 ||
		!info.End.Time.After(info.Start.Time) {
		t.Errorf("agent.json: %v, %+v", err, info)
	}
}

// TestAgentRecord opens what package agent writes by itself.
func TestAgentRecord(t *testing.T) {
	out := filepath.Join(t.TempDir(), "r.whet")
	stop := agent.Record(out)
	spin(1000)
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	r := openRecording(t, out)
	if m := r.Meta(); m.Target.Kind != recording.Program || len(r.ProfileNames()) < 6 {
		t.Errorf("meta %+v, profiles %q", m, r.ProfileNames())
	}
}
