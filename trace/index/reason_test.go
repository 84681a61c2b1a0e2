package index_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/trace/index"
)

// reasons returns the runtime's wait reasons: those of Go 1.26 and 1.27, and those that only older
// versions have.
func reasons() []string {
	return []string{
		"", "unspecified", "forever", "network", "select", "sync.(*Cond).Wait", "sync", "chan send", "chan receive",
		"GC mark assist wait for work", "GC background sweeper wait", "system goroutine wait", "preempted",
		"wait for debug call", "wait until GC ends", "sleep", "GC weak to strong wait", "synctest",
	}
}

// TestReasons checks that every reason of the runtime that runs the test is known: a new one needs
// a class.
func TestReasons(t *testing.T) {
	t.Parallel()
	for _, name := range reasons() {
		if _, known := index.ReasonOf(name); !known {
			t.Errorf("%q has no class", name)
		}
	}
	if _, known := index.ReasonOf("tea"); known {
		t.Error("tea is a reason")
	}
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "src", "runtime", "traceruntime.go"))
	if err != nil {
		t.Skip("the runtime's source is not there:", err)
	}
	_, table, found := strings.Cut(string(source), "traceBlockReasonStrings = [...]string{")
	table, _, _ = strings.Cut(table, "\n}")
	list := regexp.MustCompile(`traceBlock\w+:\s+"([^"]*)"`).FindAllStringSubmatch(table, -1)
	if !found || len(list) < 17 {
		t.Fatalf("the runtime's table of reasons has %d entries: does it look otherwise?", len(list))
	}
	for _, m := range list {
		if _, known := index.ReasonOf(m[1]); !known || !slices.Contains(reasons(), m[1]) {
			t.Errorf("the runtime waits for %q: give it a class in ReasonOf, and a line in this test", m[1])
		}
	}
}
