package mcp_test

import (
	"fmt"
	"regexp"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/whet-go/whet/internal/mcp"
	"github.com/whet-go/whet/internal/prove/provetest"
	"github.com/whet-go/whet/unit"
)

// maxHeap is how much memory of the Go heap a server may use for ten sessions with a proof each.
const maxHeap = 512 << 20

// TestTenProofs has ten clients of one server, each with another patch that it has to prove, some at the same time: a
// patch that is right, one that does not build, and wrong ones, each with its own wrong result. Each gets the verdict
// of its patch, and nothing of another.
func TestTenProofs(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	dir := shop(t)
	before := snapshot(t, dir)
	endpoint := listen(t, server(t, mcp.Options{Roots: []string{dir}, Jobs: 3}))
	stop, most := make(chan struct{}), make(chan uint64)
	go func() { most <- largestHeap(stop) }()
	verdicts := make(chan verdictOf, 10)
	for i := range 10 {
		c := overHTTP(t, endpoint)
		go func() { verdicts <- c.proveOne(t, i) }()
	}
	for range 10 {
		v := <-verdicts
		if v.failed != "" {
			t.Errorf("session %d: %s", v.session, v.failed)
			continue
		}
		outcome, text := v.result["outcome"], fmt.Sprint(v.result)
		own := mark(v.session)
		switch kindOf(v.session) {
		case "right":
			// Others use the CPUs: a cost elsewhere may be unclear.
			if outcome != "faster" && outcome != "unproven" || !strings.Contains(text, "Join allocs/op: -9") {
				t.Errorf("session %d: %s", v.session, text)
			}
		case "broken":
			if outcome != "broken" || !strings.Contains(text, own) {
				t.Errorf("session %d: %s, want an error that names %s", v.session, text, own)
			}
		default:
			if outcome != "different" || !strings.Contains(text, own) {
				t.Errorf("session %d: %s, want a result %s", v.session, text, own)
			}
		}
		for _, found := range regexp.MustCompile(`session\d+x`).FindAllString(text+v.documents, -1) {
			if found != own {
				t.Errorf("session %d has %s: %s", v.session, found, text)
			}
		}
	}
	close(stop)
	heap := <-most
	t.Logf("the heap had at most %v", unit.Bytes(heap))
	if heap > maxHeap {
		t.Errorf("the heap had %v, more than %v", unit.Bytes(heap), unit.Bytes(maxHeap))
	}
	if after := snapshot(t, dir); after != before {
		t.Errorf("the user's files have changed:\n%s", after)
	}
}

// A verdictOf is the verdict of the patch of a session.
type verdictOf struct {
	session   int
	result    object
	documents string // what the session can read
	failed    string
}

// kindOf returns what the patch of a session is.
func kindOf(session int) string {
	switch session {
	case 0, 5:
		return "right"
	case 3:
		return "broken"
	}
	return "wrong"
}

// mark returns what only the patch of one session contains.
func mark(session int) string { return fmt.Sprintf("session%dx", session) }

// proveOne proves the patch of a session.
func (c *client) proveOne(t *testing.T, session int) verdictOf {
	v := verdictOf{session: session}
	arguments := object{"packages": []string{"./text"}, "wait_seconds": 0}
	const before = "\tout := \"\"\n"
	switch kindOf(session) {
	case "right":
		arguments["patch"] = patch(t, "right")
	case "broken":
		arguments["edits"] = []object{{"file": "text/text.go", "old": before, "new": before + "\t" + mark(session) + "()\n"}}
	default:
		wrong := fmt.Sprintf("\tif len(words) > 2 {\n\t\treturn %q\n\t}\n", mark(session))
		arguments["edits"] = []object{{"file": "text/text.go", "old": before, "new": before + wrong}}
	}
	if v.result, v.failed = c.try("prove", arguments); v.failed != "" {
		return v
	}
	for deadline := time.Now().Add(8 * time.Minute); v.result["state"] != "done"; {
		if v.result, v.failed = c.try("prove_status", object{"wait_seconds": 60}); v.failed != "" {
			return v
		}
		if state := v.result["state"]; !slices.Contains([]any{"done", "waiting", "running"}, state) ||
			time.Now().After(deadline) {
			v.failed = fmt.Sprint(v.result)
			return v
		}
	}
	for i := range 10 {
		read, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: fmt.Sprint("whet://documents/prove-", i)})
		if err == nil {
			v.documents += read.Contents[0].Text
		}
	}
	if v.documents == "" {
		v.failed = "the session has no document"
	}
	return v
}

// largestHeap returns the largest size of the objects on the heap until stop is closed.
func largestHeap(stop <-chan struct{}) (most uint64) {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	ticks := time.NewTicker(50 * time.Millisecond)
	defer ticks.Stop()
	for {
		metrics.Read(sample)
		most = max(most, sample[0].Value.Uint64())
		select {
		case <-stop:
			return most
		case <-ticks.C:
		}
	}
}
