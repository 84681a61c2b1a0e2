package workbench

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/whet-go/whet/internal/report/reporttest"
)

// TestJourneyRestart has the real whet ui, as a process, be killed and started again, as ui/journey/restart.mjs says.
func TestJourneyRestart(t *testing.T) {
	reporttest.RunJourney(t, "restart.mjs", func() map[string][]byte {
		dir := t.TempDir()
		record(t, service(t, joinSlowly), filepath.Join(dir, "before.whet"))
		target := service(t, joinQuickly)
		record(t, target, filepath.Join(dir, "after.whet"))
		program := filepath.Join(t.TempDir(), "whet")
		build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "github.com/whet-go/whet/cmd/whet")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return map[string][]byte{"program": []byte(program), "recordings": []byte(dir), "target": []byte(target)}
	})
}
