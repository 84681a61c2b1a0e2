package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/profile"
)

// TestPGOStore prepares the profiles of a store for the compiler: those of the service and of the time that are
// selected, and no others.
func TestPGOStore(t *testing.T) {
	dir, file := pgoModule(t)
	work := t.TempDir()
	st := filepath.Join(work, "profiles")
	push := func(service string, age time.Duration) {
		t.Helper()
		p, err := profile.ReadFile(file, profile.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		p.Time = time.Now().Add(-age)
		f, err := os.Create(filepath.Join(work, "cpu.pb.gz"))
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Write(f); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		checked(t, 0, "", "push", f.Name(), "--store", st, "--service", service)
	}
	push("x", 2*time.Hour)
	push("x", 23*time.Hour)
	push("x", 25*time.Hour)
	push("y", 2*time.Hour)

	for since, want := range map[string]string{
		"3h": "30 samples", "24h": "60 samples", "48h": "90 samples", "0": "90 samples",
	} {
		args := []string{
			"pgo", "--dir", dir, "--from-store", "service=x", "--store", st, "--no-measure", "--build-time=false",
		}
		if since != "0" {
			args = append(args, "--since", since)
		}
		code, stdout, stderr := runWhet(t, args...)
		text := strings.Join(strings.Fields(stdout), " ")
		if code != 0 {
			t.Fatalf("--since %s: exit code %d\n%s", since, code, stderr)
		}
		for _, part := range []string{
			"profile of a program: " + want, "devirtualized sum.Of → sum.(*Mixer).Do", "Nothing was written.",
		} {
			if !strings.Contains(text, part) {
				t.Errorf("--since %s: no %q in\n%s", since, part, stdout)
			}
		}
	}
	checked(t, 1, "no profiles match", "pgo", "--dir", dir, "--from-store", "service=x", "--store", st, "--no-measure",
		"--since", "1h")
}
