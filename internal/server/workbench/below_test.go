package workbench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/whet-go/whet/internal/profile/flame"
	"github.com/whet-go/whet/internal/report/pictures"
	"github.com/whet-go/whet/internal/server/access"
	"github.com/whet-go/whet/profile"
)

// wide returns a profile whose tree has more nodes than a page: n handlers, the first the most expensive, with n steps
// each.
func wide(t *testing.T, n int) []byte {
	t.Helper()
	b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	at := func(name string) uint32 {
		fn := b.Function(profile.Function{Name: name, File: "main.go"})
		return b.Location(0, profile.None, false, profile.Line{Function: fn, Line: 1})
	}
	root := at("main.main")
	for i := range n {
		for j := range n {
			stack := []uint32{at(fmt.Sprintf("main.step%d", j)), at(fmt.Sprintf("main.handler%d", i)), root}
			if err := b.Sample(stack, nil, int64(n-i)*1000+1); err != nil {
				t.Fatal(err)
			}
		}
	}
	var out bytes.Buffer
	if err := b.Profile(nil).Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestBelow asks for the part of a flame graph that was left out for its size.
func TestBelow(t *testing.T) {
	const n = 300
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "wide.pb.gz"), wide(t, n), 0o600); err != nil {
		t.Fatal(err)
	}
	s, _ := serveDir(t, dir, access.Options{})
	tree := func(below string) pictures.FlameTreeView {
		t.Helper()
		w := ask(s, http.MethodGet, "/api/v1/flame?file=wide.pb.gz&below="+url.QueryEscape(below), "")
		var doc pictures.FlameTree
		if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil || len(doc.Views) != 1 {
			t.Fatal(err, w.Body)
		}
		return doc.Views[0]
	}
	whole := tree("")
	last := fmt.Sprintf("main.handler%d", n-1)
	var rests int
	var left int64
	for i, node := range whole.Nodes {
		if node.Smaller > 0 && whole.Nodes[node.Parent].Name == last {
			rests++
			left = whole.Nodes[node.Parent].Total
		}
		if i > 2*flame.MaxNodes {
			t.Fatalf("%d nodes", len(whole.Nodes))
		}
	}
	if rests != 1 {
		t.Fatalf("the tree has all of %s: nothing is left out", last)
	}
	part := tree("main.main\n" + last)
	if got := len(part.Nodes); got != n+1 {
		t.Errorf("%d nodes below %s, want %d", got, last, n+1)
	}
	if root := part.Nodes[0]; root.Total != left || part.Total != whole.Total {
		t.Errorf("it has %d of %d, want %d of %d", root.Total, part.Total, left, whole.Total)
	}
	for _, node := range part.Nodes[1:] {
		if node.Parent != 0 || node.Total != 1001 || node.Smaller != 0 {
			t.Fatalf("%+v", node)
		}
	}
}
