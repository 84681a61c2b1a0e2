package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/whet-go/whet/internal/prove/provetest"
)

// proved is a module with a function that a change makes faster.
const proved = `
-- go.mod --
module example.com/p

go 1.26
-- p.go --
package p

// Join joins words.
func Join(words []string) string {
	s := ""
	for _, w := range words {
		s += w + ","
	}
	return s
}
-- p_test.go --
package p

import "testing"

func BenchmarkJoin(b *testing.B) {
	words := []string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
	for b.Loop() {
		Join(words)
	}
}
`

// TestProve proves work in a repository, in all forms of the command: changed comments, for which
// there is nothing to prove, and a faster function. The repository does not change.
func TestProve(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	write := func(archive string) {
		for _, f := range txtar.Parse([]byte(archive)).Files {
			if err := os.WriteFile(f.Name, f.Data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	git := func(args ...string) string {
		author := []string{"-c", "user.name=a", "-c", "user.email=a@b"}
		cmd := exec.CommandContext(t.Context(), "git", slices.Concat(author, args)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	write(proved)
	git("init", "-q", "-b", "main")
	git("add", ".")
	git("commit", "-qm", "one")
	git("switch", "-qc", "branch")
	write(strings.Replace(proved, "// Join joins words.", "// Join joins words with commas.", 1))
	git("commit", "-qam", "two")

	for _, args := range [][]string{{}, {"main"}, {"main..."}, {"main..HEAD"}, {"--patch", "two.patch"}} {
		if len(args) == 2 {
			patch := git("format-patch", "--stdout", "main")
			git("switch", "-q", "main")
			name := filepath.Join(t.TempDir(), "two.patch")
			if err := os.WriteFile(name, []byte(patch), 0o600); err != nil {
				t.Fatal(err)
			}
			args = []string{"--patch", name}
		}
		code, stdout, stderr := runWhet(t, append([]string{"prove"}, args...)...)
		if code != 0 || !strings.HasPrefix(stdout, "same speed: example.com/p, from ") {
			t.Errorf("%q: exit code %d\n%s%s", args, code, stdout, stderr)
		}
	}

	faster := strings.NewReplacer(`s := ""`, "var s []byte", `s += w + ","`, "s = append(append(s, w...), ',')",
		"return s", "return string(s)").Replace(proved)
	write(faster)
	before := tree(t, dir)
	code, stdout, stderr := runWhet(t, "prove", "--max-time", "3s", "--fuzz-time", "1s", "--precision", "20%")
	if code != 0 || !strings.HasPrefix(stdout, "faster: example.com/p, from HEAD to working tree\nwhy: Join ") ||
		!strings.Contains(stdout, "allocs/op -") || !strings.Contains(stdout, "Join returned the same results for ") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	for name, text := range tree(t, dir) {
		if before[name] != text {
			t.Errorf("%s was changed", name)
		}
	}
	write(strings.Replace(faster, "','", "';'", 1))
	code, stdout, stderr = runWhet(t, "prove")
	if code != 3 || !strings.HasPrefix(stdout, "different: example.com/p") || !strings.Contains(stdout, "before:") ||
		!strings.Contains(stderr, "the change is different") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}
