package pictures

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/profile/flame"
	"github.com/whet-go/whet/internal/report/pages"
	"github.com/whet-go/whet/profile"
)

// flameNode is a hand-made tree, for tests.
type flameNode struct {
	frame flame.Frame
	self  int64
	rest  int32
	kids  []flameNode
}

// flameView turns a hand-made tree into what Flame takes.
func flameView(typ, unit string, root flameNode) flame.View {
	var frames []flame.Frame
	ids := map[flame.Frame]uint32{}
	tree := &profile.Tree{}
	var add func(n flameNode, parent uint32) int64
	add = func(n flameNode, parent uint32) int64 {
		at := uint32(len(tree.Nodes))
		node := profile.TreeNode{Node: profile.None, Parent: parent, Self: n.self, Total: n.self, Rest: n.rest}
		if n.rest == 0 {
			id, ok := ids[n.frame]
			if !ok {
				id = uint32(len(frames))
				ids[n.frame] = id
				frames = append(frames, n.frame)
			}
			node.Node = id
		}
		tree.Nodes = append(tree.Nodes, node)
		total := n.self
		for _, k := range n.kids {
			total += add(k, at)
		}
		tree.Nodes[at].Total = total
		if n.rest > 0 {
			tree.Nodes[at].Self = 0
		}
		return total
	}
	add(root, 0)
	return flame.View{
		Type: profile.ValueType{Type: typ, Unit: unit}, Tree: tree,
		Frame: func(id uint32) flame.Frame { return frames[id] },
	}
}

func ownFrame(name string) flame.Frame {
	return flame.Frame{Name: name, Package: "main", File: "work.go", Line: 12, Kind: flame.Own}
}

func stdFrame(name string) flame.Frame {
	return flame.Frame{Name: name, Package: profile.PackagePath(name), File: "/usr/local/go/src/x.go", Kind: flame.Std}
}

// smallFlame is known to ui/journey/flame.mjs.
func smallFlame() FlameInput {
	tree := func(k int64) flameNode {
		return flameNode{kids: []flameNode{{frame: ownFrame("main.main"), kids: []flameNode{
			{frame: ownFrame("main.work"), self: 35e7 * k, kids: []flameNode{
				{frame: stdFrame("runtime.mallocgc"), self: 25e7 * k},
			}},
			{frame: stdFrame("net/http.(*conn).serve"), kids: []flameNode{
				{
					frame: flame.Frame{
						Name: "example.com/mux.(*Router).ServeHTTP", Package: "example.com/mux", Kind: flame.Dependency,
					},
					self: 10e7 * k, kids: []flameNode{
						{frame: ownFrame("main.handle"), self: 20e7 * k},
					},
				},
			}},
			{rest: 7, self: 10e7 * k},
		}}}}
	}
	return FlameInput{
		Title: "small",
		Facts: []pages.Fact{{Name: "over", Value: "30s"}},
		Views: []flame.View{flameView("cpu", "nanoseconds", tree(1)), flameView("alloc_space", "bytes", tree(3))},
	}
}

func diffFlame() FlameInput {
	return FlameInput{
		Title: "after, less before",
		Views: []flame.View{flameView("cpu", "nanoseconds", flameNode{kids: []flameNode{
			{frame: ownFrame("main.main"), kids: []flameNode{
				{frame: ownFrame("main.faster"), self: -40e7},
				{frame: ownFrame("main.slower"), self: 30e7, kids: []flameNode{{frame: stdFrame("strings.Replace"), self: 5e7}}},
				{frame: ownFrame("main.moved"), kids: []flameNode{
					{frame: ownFrame("main.there"), self: 10e7},
					{frame: ownFrame("main.here"), self: -9e7},
				}},
			}},
		}})},
	}
}

func hostileFlame() FlameInput {
	evil := []string{
		"</script><script>window.pwned=1</script>",
		`"><img src=x onerror="window.pwned=1">`,
		"<!--<b>", "\xff\xfe broken \x80", "bell\x07 nul\x00 esc\x1b[31m", "\u202egnorw yaw\u2066",
		"javascript:window.pwned=1", "__proto__",
		"", strings.Repeat("long ", 2000), strings.Repeat("é", 700), "a\nb\tc", "${window.pwned=1}", "𝔘𝔫𝔦\u2028code",
	}
	root := flameNode{}
	for i, name := range evil {
		root.kids = append(root.kids,
			flameNode{frame: flame.Frame{Name: name, Package: name, File: name, Kind: flame.Kind(i % 4)}, self: int64(100 - i)})
	}
	return FlameInput{
		Title: evil[0] + evil[1],
		Facts: []pages.Fact{{Name: evil[0], Value: evil[1]}}, Warnings: diag.Warnings{{Text: evil[0]}},
		Views: []flame.View{flameView(evil[0], evil[1], root)},
	}
}

// deepFlame is one stack of n calls.
func deepFlame(n int) FlameInput {
	tree := &profile.Tree{Nodes: make([]profile.TreeNode, n+1)}
	for i := range tree.Nodes {
		node := &tree.Nodes[i]
		node.Parent, node.Node, node.Total = uint32(max(i-1, 0)), uint32(i%3), int64(n-max(i-1, 0))
		if i > 0 {
			node.Self = 1
		}
	}
	return FlameInput{Title: "deep", Views: []flame.View{{
		Type: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Tree: tree,
		Frame: func(id uint32) flame.Frame { return ownFrame(fmt.Sprintf("main.f%d", id)) },
	}}}
}

// randomFlame is a tree of n nodes whose names are made by name.
func randomFlame(n, frames int, name func(r *rand.Rand, id uint32) string) FlameInput {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	tree := &profile.Tree{Nodes: make([]profile.TreeNode, 1, n+1)}
	var path []uint32
	for len(tree.Nodes) <= n {
		at := uint32(len(tree.Nodes))
		up := 0
		for up < len(path) && (r.IntN(100) < 45 || len(path)-up > 60) {
			up++
		}
		path = path[:len(path)-up]
		parent := uint32(0)
		if len(path) > 0 {
			parent = path[len(path)-1]
		}
		tree.Nodes = append(tree.Nodes, profile.TreeNode{
			Parent: parent, Node: uint32(r.IntN(frames)),
			Self: int64(r.ExpFloat64() * 1e7),
		})
		path = append(path, at)
	}
	for i := n; i >= 0; i-- {
		tree.Nodes[i].Total += tree.Nodes[i].Self
		if i > 0 {
			tree.Nodes[tree.Nodes[i].Parent].Total += tree.Nodes[i].Total
		}
	}
	names := make([]string, frames)
	for i := range names {
		names[i] = name(r, uint32(i))
	}
	return FlameInput{Title: "random", Views: []flame.View{{
		Type: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Tree: tree,
		Frame: func(id uint32) flame.Frame {
			return flame.Frame{
				Name: names[id], Package: names[id][:min(20, len(names[id]))], File: names[id], Line: int(id),
				Kind: flame.Kind(id % 4),
			}
		},
	}}}
}

func largeFlame() FlameInput {
	return randomFlame(flame.MaxNodes, 4000, func(_ *rand.Rand, id uint32) string {
		return fmt.Sprintf("example.com/org/module/pkg%d.(*Type%d).Method%d", id%37, id%301, id)
	})
}

func writeFlame(t testing.TB, in FlameInput) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := Flame(&buf, in); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// decodedFlame is a page read back: a second reading of the layout, by which the
// encoder is judged.
type decodedFlame struct {
	doc    flameDoc
	frames []flame.Frame
	nodes  [][]decodedNode // per view, without the root
	costs  []map[flame.Frame][2]int64
}

type decodedNode struct {
	parent int // in the view's nodes; -1 is the root
	frame  int // -1 for smaller ones
	value  int64
	rest   int32
}

var flameData = regexp.MustCompile(
	`(?s)<script type="application/octet-stream" id="whet-flame">([A-Za-z0-9+/=]*)</script>`)

func decodeFlame(t testing.TB, page []byte) decodedFlame {
	t.Helper()
	m := flameData.FindSubmatch(page)
	if m == nil {
		t.Fatal("page holds no data")
	}
	z, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(m[1])))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	var d decodedFlame
	n := binary.LittleEndian.Uint32(data)
	if err := json.Unmarshal(data[4:4+n], &d.doc); err != nil {
		t.Fatal(err)
	}
	r := bytes.NewReader(data[4+n:])
	column := func(n int, signed bool) []int64 {
		out := make([]int64, n)
		for i := range out {
			var err error
			if signed {
				out[i], err = binary.ReadVarint(r)
			} else {
				var u uint64
				u, err = binary.ReadUvarint(r)
				out[i] = int64(u)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		return out
	}
	k := d.doc.Frames
	name, pkg, file, line, kind := column(k, true), column(k, false), column(k, false), column(k, false), column(k, false)
	at := int64(0)
	for i := range name {
		at += name[i]
		d.frames = append(d.frames, flame.Frame{
			Name: d.doc.Strings[at], Package: d.doc.Strings[pkg[i]], File: d.doc.Strings[file[i]],
			Line: int(line[i]), Kind: flame.Kind(kind[i]),
		})
	}
	for _, v := range d.doc.Views {
		up, frame, value, rest := column(v.Nodes, false), column(v.Nodes, false), column(v.Nodes, true), column(v.Rests,
			false)
		nodes := make([]decodedNode, v.Nodes)
		for i := range nodes {
			p := i - 1
			for range up[i] {
				p = nodes[p].parent
			}
			nodes[i] = decodedNode{parent: p, frame: int(frame[i]) - 1, value: value[i]}
			if frame[i] == 0 {
				nodes[i].rest, rest = int32(rest[0]), rest[1:]
			}
		}
		d.nodes = append(d.nodes, nodes)
		frames, self, total := column(v.Weights, true), column(v.Weights, true), column(v.Weights, true)
		costs := map[flame.Frame][2]int64{}
		at := int64(0)
		for i := range frames {
			at += frames[i]
			costs[d.frames[at]] = [2]int64{self[i], total[i]}
		}
		d.costs = append(d.costs, costs)
	}
	if r.Len() != 0 {
		t.Errorf("%d bytes left over", r.Len())
	}
	return d
}

// sum is the value of a whole view.
func (d decodedFlame) sum(view int) int64 {
	s := d.doc.Views[view].Self
	for _, n := range d.nodes[view] {
		s += n.value
	}
	return s
}

func TestFlameHoldsTheTree(t *testing.T) {
	for _, in := range []FlameInput{smallFlame(), diffFlame(), deepFlame(5000), largeFlame()} {
		t.Run(in.Title, func(t *testing.T) {
			d := decodeFlame(t, writeFlame(t, in))
			for v, view := range in.Views {
				tree := view.Tree.Nodes
				if len(d.nodes[v]) != len(tree)-1 {
					t.Fatalf("view %d: %d nodes, want %d", v, len(d.nodes[v]), len(tree)-1)
				}
				for i, got := range d.nodes[v] {
					want := tree[i+1]
					if got.parent != int(want.Parent)-1 || got.rest != want.Rest || got.value != flame.Value(&want) {
						t.Fatalf("view %d, node %d: %+v, want %+v", v, i, got, want)
					}
					if want.Rest == 0 && d.frames[got.frame] != view.Frame(want.Node) {
						t.Fatalf("view %d, node %d: frame %+v, want %+v", v, i, d.frames[got.frame], view.Frame(want.Node))
					}
				}
				if got := d.sum(v); got != tree[0].Total {
					t.Errorf("view %d: sum %d, want %d", v, got, tree[0].Total)
				}
			}
		})
	}
}

func TestFlameIsInert(t *testing.T) {
	page := writeFlame(t, hostileFlame())
	if !utf8.Valid(page) {
		t.Error("page is not UTF-8")
	}
	if n := bytes.Count(page, []byte("<script")); n != 2 {
		t.Errorf("page has %d scripts, want the data and the code", n)
	}
	if n := bytes.Count(bytes.ToLower(page), []byte("</script")); n != 2 {
		t.Errorf("page closes %d scripts, want 2", n)
	}
	if bytes.Contains(page, []byte("<!--")) {
		t.Error("page opens a comment")
	}
	if i := bytes.Index(page, []byte(FlameMark)); i < 0 || i+len(FlameMark) > FlameMarkWithin {
		t.Errorf("mark is at %d", i)
	}
	for _, address := range []string{"http://", "https://", "@import", "url("} {
		if bytes.Contains(page, []byte(address)) {
			t.Errorf("page names %q", address)
		}
	}
	d := decodeFlame(t, page)
	for _, s := range d.doc.Strings {
		if pages.Printable(s) != s {
			t.Errorf("string %q is not printable", s)
		}
	}
}

// TestFlameSize is the promise: no profile makes a page larger than its limit, and
// what does not fit is merged, never lost.
func TestFlameSize(t *testing.T) {
	letters := func(size int) func(r *rand.Rand, id uint32) string {
		return func(r *rand.Rand, _ uint32) string {
			b := make([]byte, size)
			for i := range b {
				b[i] = byte(r.UintN(256)) // incompressible, mostly not UTF-8
			}
			return string(b)
		}
	}
	for _, tt := range []struct {
		name  string
		in    FlameInput
		limit int
	}{
		{"many nodes", largeFlame(), 0},
		{"long names", randomFlame(20_000, 2000, letters(10_000)), 0},
		{"long distinct names", randomFlame(20_000, 20_000, letters(300)), 0},
		{"tight", largeFlame(), 150_000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.in.MaxBytes = tt.limit
			page := writeFlame(t, tt.in)
			limit := tt.limit
			if limit == 0 {
				limit = FlameMaxBytes
			}
			d := decodeFlame(t, page)
			if len(page) > limit {
				t.Errorf("page has %d bytes, limit %d", len(page), limit)
			}
			if got, want := d.sum(0), tt.in.Views[0].Tree.Nodes[0].Total; got != want {
				t.Errorf("sum %d, want %d", got, want)
			}
			t.Logf("%d bytes, %d of %d nodes, %d frames; %q", len(page), len(d.nodes[0]), len(tt.in.Views[0].Tree.Nodes)-1,
				d.doc.Frames, d.doc.Notes)
		})
	}
	var buf bytes.Buffer
	in := smallFlame()
	in.MaxBytes = 1000
	if err := Flame(&buf, in); err == nil || buf.Len() > 0 {
		t.Errorf("a limit below the page's own size: error %v, %d bytes written", err, buf.Len())
	}
}

func TestFlameRefusesBadTrees(t *testing.T) {
	for name, nodes := range map[string][]profile.TreeNode{
		"empty":         nil,
		"own parent":    {{}, {Parent: 1}},
		"later parent":  {{}, {Parent: 2}, {}},
		"not preorder":  {{}, {Parent: 0}, {Parent: 0}, {Parent: 1}},
		"far too large": {{}, {Parent: 1 << 31}},
	} {
		in := smallFlame()
		in.Views[0].Tree = &profile.Tree{Nodes: nodes}
		if err := Flame(io.Discard, in); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := Flame(io.Discard, FlameInput{}); err == nil {
		t.Error("no views: no error")
	}
}

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"main.f":         "main.f",
		"a\x00b\x1b[0m":  `a\x00b\x1b[0m`,
		"\xffé":          `\xffé`,
		"\u202ex\u2028":  `\u202ex\u2028`,
		"go.shape.[]int": "go.shape.[]int",
		"日本語":            "日本語",
		"\U000e0001":     `\U000e0001`,
	} {
		if got := pages.Printable(in); got != want {
			t.Errorf("printable(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestClip(t *testing.T) {
	long := strings.Repeat("é", 1000)
	got := pages.Clip(long, 100)
	if len(got) > 104 || !utf8.ValidString(got) || !strings.Contains(got, "…") {
		t.Errorf("clip: %q (%d bytes)", got, len(got))
	}
	if got := pages.Clip("short", 100); got != "short" {
		t.Errorf("clip: %q", got)
	}
}

func BenchmarkFlame(b *testing.B) {
	in := largeFlame()
	b.ReportAllocs()
	for b.Loop() {
		if err := Flame(io.Discard, in); err != nil {
			b.Fatal(err)
		}
	}
}

// TestFlameWeights keeps the costs of functions that the tree has no room for.
func TestFlameWeights(t *testing.T) {
	in := largeFlame()
	v := &in.Views[0]
	v.Tree = flame.Prune(v.Tree, 10)
	for id := range uint32(4000) {
		v.Weights = append(v.Weights, profile.Weight{ID: id, Flat: int64(id), Cum: int64(2 * id)})
	}
	d := decodeFlame(t, writeFlame(t, in))
	if len(d.costs[0]) != 4000 {
		t.Fatalf("%d costs, want 4000", len(d.costs[0]))
	}
	for _, w := range v.Weights {
		if got := d.costs[0][v.Frame(w.ID)]; got != [2]int64{w.Flat, w.Cum} {
			t.Fatalf("weight %d: %v", w.ID, got)
		}
	}
}

func TestFlameFile(t *testing.T) {
	for _, tt := range []struct{ arg, part, want string }{
		{"cpu.pb.gz", "", "cpu.flame.html"},
		{"/var/tmp/x.prof", "", "x.flame.html"},
		{"run/demo.whet", "heap.live", "demo.heap.live.flame.html"},
		{"-", "", "flame.html"},
		{"http://user:secret@localhost:6060/debug/pprof/heap?seconds=1", "", "localhost-6060.flame.html"},
		{"https://[::1]:6060", "", "1-6060.flame.html"},
		{"..", "", "flame.html"},
	} {
		if got := FlameFile(tt.arg, tt.part); got != tt.want {
			t.Errorf("FlameFile(%q, %q) = %q, want %q", tt.arg, tt.part, got, tt.want)
		}
	}
}
