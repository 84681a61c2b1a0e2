package modproxy_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/modproxy"
)

// TestOutput checks that a program that exceeds its time is interrupted, and that its output is
// kept.
func TestOutput(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	fifo := filepath.Join(t.TempDir(), "ready")
	done := make(chan struct{})
	go func() {
		defer close(done)
		for { // until the program has set its trap
			if _, err := os.Stat(fifo); err == nil {
				break
			}
		}
		cancel()
	}()
	out, err := modproxy.Output(ctx, t.TempDir(), "sh", "-c",
		`trap 'echo known; kill $!; exit 1' INT; sleep 60 & touch "$0"; wait`, fifo)
	<-done
	if err == nil || string(out) != "known\n" {
		t.Errorf("%q, %v", out, err)
	}
	if _, err := modproxy.Output(context.Background(), t.TempDir(), "sh", "-c", "echo because >&2; exit 3"); err == nil ||
		!strings.Contains(err.Error(), "because") {
		t.Errorf("what it said is lost: %v", err)
	}
}
