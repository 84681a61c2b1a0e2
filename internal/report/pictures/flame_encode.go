package pictures

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/klauspost/compress/gzip"

	"github.com/whet-go/whet/internal/profile/flame"
	"github.com/whet-go/whet/internal/report/pages"
	"github.com/whet-go/whet/profile"
)

// The data of a flame graph page is, gzipped and then in base64:
//
//	+------------+-----------------+----------------------------------+
//	| length u32 | header, JSON    | columns, varints                 |
//	+------------+-----------------+----------------------------------+
//	               flameDoc          frames, then one set per view
//
//	frames   name     zigzag  string index, less that of the frame before
//	         package  uvarint string index
//	         file     uvarint string index
//	         line     uvarint
//	         kind     uvarint flame.Kind
//	view     up       uvarint levels up from the node before; 0 is its child
//	         frame    uvarint frame index + 1; 0 is "smaller ones"
//	         value    zigzag  what the node itself weighs
//	         rest     uvarint number of subtrees, per node with frame 0
//	         weight   zigzag  frame index, less that of the weight before
//	         self     zigzag  per weight
//	         total    zigzag  per weight
//
// Each column is separate, because similar values compress well together. A view's nodes are in
// preorder without the root. Totals are not stored: a node's total is its value plus its children's
// totals. The reader is ui/src/lib/decode.ts.

// flamePageSchema identifies the layout above.
const flamePageSchema = "whet.flame-page/1"

// flameDoc is the header. ui/src/api/flame.ts is generated from it.
type flameDoc struct {
	Schema  string         `json:"schema"`
	Title   string         `json:"title"`
	Facts   []pages.Fact   `json:"facts"`
	Notes   []string       `json:"notes"`
	Strings []string       `json:"strings"` // [0] is ""
	Frames  int            `json:"frames"`  // number of frames
	Views   []flameDocView `json:"views"`
}

// flameDocView is the header of one view.
type flameDocView struct {
	Type  string `json:"type"`
	Unit  string `json:"unit"`
	Total int64  `json:"total"` // 100% for shares
	Self  int64  `json:"self"`  // value of the root itself
	Nodes int    `json:"nodes"` // nodes without the root
	Rests int    `json:"rests"` // the number of "smaller ones" among them
	Left  int    `json:"left"`  // the number of subtrees that these stand for

	Weights int  `json:"weights"` // number of frames with separate costs
	Ordered bool `json:"ordered"` // children are in the order of time
}

// flameMaxWeights is the number of functions whose costs a page has: the heaviest by self and by
// total.
const flameMaxWeights = 20_000

// flameMaxText is the largest text of names to compress before clipping more.
const flameMaxText = 12 << 20

// encodeFlame returns the page's data, at most limit bytes of it.
func encodeFlame(in FlameInput, limit int) ([]byte, error) {
	trees := make([]*profile.Tree, len(in.Views))
	most := 0
	for i, v := range in.Views {
		if err := flame.Check(v.Tree); err != nil {
			return nil, fmt.Errorf("%s: %w", v.Type.Type, err)
		}
		trees[i] = v.Tree
		most = max(most, len(v.Tree.Nodes))
	}
	clipAt := 0
	for scale := 1.0; ; {
		enc := flameEncoder{
			clip: pages.Clips[clipAt], strings: map[string]int{"": 0}, table: []string{""},
			frames: map[flame.Frame]int{},
		}
		fits := enc.encode(in, trees, int(flameMaxWeights*scale), scale < 1)
		if !fits && clipAt+1 < len(pages.Clips) {
			clipAt++
			continue
		}
		data, err := enc.finish()
		if err != nil {
			return nil, err
		}
		if len(data) <= limit {
			return data, nil
		}
		if clipAt+1 < len(pages.Clips) {
			clipAt++
			continue
		}
		if scale*float64(most) < 1 && scale*flameMaxWeights < 1 {
			return nil, fmt.Errorf("%d bytes of data do not fit in %d", len(data), limit)
		}
		// The size is nearly linear in the number of nodes; 9/10 covers the rest.
		scale *= min(0.9, 0.9*float64(max(limit, 0))/float64(len(data)))
		for i, v := range in.Views {
			trees[i] = flame.Prune(v.Tree, max(1, int(float64(most)*scale)))
		}
	}
}

// A flameEncoder collects one attempt.
type flameEncoder struct {
	clip    int // longest text in bytes
	clipped int // how many texts were clipped
	bytes   int // of text
	strings map[string]int
	table   []string
	frames  map[flame.Frame]int
	list    []flame.Frame
	cols    []byte
	doc     flameDoc
}

// encode lays out everything but the frames. It reports whether the text is small enough to try
// compressing it.
func (e *flameEncoder) encode(in FlameInput, trees []*profile.Tree, weights int, reduced bool) bool {
	e.doc = flameDoc{
		Schema: flamePageSchema, Title: pages.Clip(pages.Printable(in.Title), 500), Facts: []pages.Fact{},
		Notes: []string{},
	}
	for _, f := range in.Facts {
		e.doc.Facts = append(e.doc.Facts, pages.Fact{
			Name:  pages.Clip(pages.Printable(f.Name), 100),
			Value: pages.Clip(pages.Printable(f.Value), 500),
		})
	}
	for _, n := range in.Warnings.Texts() {
		e.doc.Notes = append(e.doc.Notes, pages.Clip(pages.Printable(n), 500))
	}
	for i, v := range in.Views {
		e.view(v, trees[i], weights)
	}
	if reduced {
		e.doc.Notes = append(e.doc.Notes, "The lightest frames were merged to keep this page small.")
	}
	for _, f := range e.list {
		for _, s := range [...]string{f.Name, f.Package, f.File} {
			e.intern(s)
		}
		if e.bytes > flameMaxText {
			return false
		}
	}
	return true
}

func (e *flameEncoder) view(v flame.View, t *profile.Tree, weights int) {
	head := flameDocView{
		Type: pages.Clip(pages.Printable(v.Type.Type), 100),
		Unit: pages.Clip(pages.Printable(v.Type.Unit), 100), Total: v.Total, Nodes: len(t.Nodes) - 1,
		Ordered: v.Ordered,
	}
	root := &t.Nodes[0]
	head.Self = root.Self
	if head.Total == 0 {
		head.Total = root.Total
	}
	depth := make([]int32, len(t.Nodes))
	var frames []int // by node id, of which there are few: index plus one, 0 if not looked up yet
	frameOf := func(id uint32) int {
		if int(id) >= len(frames) {
			frames = slices.Grow(frames, int(id)+1-len(frames))[:id+1]
		}
		if frames[id] == 0 {
			frames[id] = e.frame(v.Frame(id)) + 1
		}
		return frames[id] - 1
	}
	var up, frame, value, rest []byte
	for i := 1; i < len(t.Nodes); i++ {
		n := &t.Nodes[i]
		depth[i] = depth[n.Parent] + 1
		up = binary.AppendUvarint(up, uint64(depth[i-1]+1-depth[i]))
		value = binary.AppendVarint(value, flame.Value(n))
		if n.Rest > 0 {
			head.Rests++
			head.Left += int(n.Rest)
			frame = binary.AppendUvarint(frame, 0)
			rest = binary.AppendUvarint(rest, uint64(n.Rest))
			continue
		}
		frame = binary.AppendUvarint(frame, uint64(frameOf(n.Node)+1))
	}
	costs := e.weights(&head, flame.Heaviest(v.Weights, weights), frameOf)
	e.cols = slices.Concat(e.cols, up, frame, value, rest, costs)
	e.doc.Views = append(e.doc.Views, head)
}

// weights returns the three columns of the costs of whole functions.
func (e *flameEncoder) weights(head *flameDocView, ws []profile.Weight, frameOf func(uint32) int) []byte {
	type cost struct{ frame, self, total int64 }
	costs := make([]cost, len(ws))
	for i, w := range ws {
		costs[i] = cost{int64(frameOf(w.ID)), w.Flat, w.Cum}
	}
	slices.SortFunc(costs, func(a, b cost) int { return cmp.Compare(a.frame, b.frame) })
	var frame, self, total []byte
	last := int64(0)
	for _, c := range costs {
		frame = binary.AppendVarint(frame, c.frame-last)
		self = binary.AppendVarint(self, c.self)
		total = binary.AppendVarint(total, c.total)
		last = c.frame
	}
	head.Weights = len(costs)
	return slices.Concat(frame, self, total)
}

func (e *flameEncoder) frame(f flame.Frame) int {
	k, ok := e.frames[f]
	if !ok {
		k = len(e.list)
		e.frames[f] = k
		e.list = append(e.list, f)
	}
	return k
}

func (e *flameEncoder) intern(s string) int {
	k, ok := e.strings[s]
	if ok {
		return k
	}
	k = len(e.table)
	e.strings[s] = k
	shown := pages.Printable(pages.Clip(s, e.clip))
	if len(s) > e.clip || len(shown) > e.clip {
		e.clipped++
		shown = pages.Clip(shown, e.clip) // escapes count too
	}
	e.bytes += len(shown)
	e.table = append(e.table, shown)
	return k
}

// finish adds the frames and compresses.
func (e *flameEncoder) finish() ([]byte, error) {
	var name, pkg, file, line, kind []byte
	last := 0
	for _, f := range e.list {
		k := e.intern(f.Name)
		name = binary.AppendVarint(name, int64(k-last))
		last = k
		pkg = binary.AppendUvarint(pkg, uint64(e.intern(f.Package)))
		file = binary.AppendUvarint(file, uint64(e.intern(f.File)))
		line = binary.AppendUvarint(line, uint64(max(f.Line, 0)))
		kind = binary.AppendUvarint(kind, uint64(f.Kind))
	}
	e.doc.Frames = len(e.list)
	e.doc.Strings = e.table
	if e.clipped > 0 {
		e.doc.Notes = append(e.doc.Notes, fmt.Sprintf("%d names are longer than %d bytes and were clipped.", e.clipped,
			e.clip))
	}
	var head bytes.Buffer
	enc := json.NewEncoder(&head)
	enc.SetEscapeHTML(false) // it is not HTML: base64 follows
	if err := enc.Encode(&e.doc); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, 6)
	if err != nil {
		return nil, err
	}
	var size [4]byte
	binary.LittleEndian.PutUint32(size[:], uint32(head.Len()))
	for _, part := range [...][]byte{size[:], head.Bytes(), name, pkg, file, line, kind, e.cols} {
		if _, err := z.Write(part); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
