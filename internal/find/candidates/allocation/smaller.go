package allocation

import (
	"fmt"
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// smallerGenerator begins with less memory where a constant capacity is large.
func smallerGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "smaller", Title: "memory of a large constant size",
		Why:     "memory that is never filled is allocated and cleared, too; most buffers hold little",
		Assumes: "most of the contents are smaller: else the memory grows, or is written in more pieces",
		Kinds: []diagnosis.Kind{
			diagnosis.Allocation, diagnosis.Escape, diagnosis.Collection, diagnosis.Copying, diagnosis.Streams,
		},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.Nodes((*ast.CallExpr)(nil)) {
				if p, ok := s.smaller(c); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// Sizes of memory that is made smaller.
const (
	smallerBy   = 8
	minLarge    = 256 // bytes
	minCapacity = 8   // elements
	bufferSize  = 512 // bytes, of a reader or writer that has 4096
)

// smaller divides the constant capacity of a slice or map, or gives a reader or writer of package bufio a small buffer.
func (s *site) smaller(c inspector.Cursor) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	call, ok := c.Node().(*ast.CallExpr)
	if !ok || flow.Once(c) || rewrite.HasComment(s.Pass, call.Pos(), call.End()) {
		return p, false
	}
	if sel, isSelector := ast.Unparen(call.Fun).(*ast.SelectorExpr); isSelector {
		switch flow.Callee(info, call) {
		case "bufio.NewReader", "bufio.NewWriter":
			p.Message = fmt.Sprintf("Begin with a buffer of %d bytes", bufferSize)
			p.Edits = append(p.Edits, rewrite.Replace(sel.Sel, sel.Sel.Name+"Size"),
				rewrite.Insert(call.Args[0].End(), fmt.Sprintf(", %d", bufferSize)))
			return p, len(call.Args) == 1
		}
	}
	if flow.Builtin(info, call) != "make" {
		return p, false
	}
	size := call.Args[len(call.Args)-1]
	var bytes int64
	switch t := info.TypeOf(call).Underlying().(type) {
	case *types.Slice:
		if length, isConst := flow.IntConst(info, call.Args[min(1, len(call.Args)-1)]); len(call.Args) != 3 || !isConst ||
			length != 0 || flow.SizeVaries(t.Elem()) {
			return p, false
		}
		bytes = s.Pass.TypesSizes.Sizeof(t.Elem())
	case *types.Map:
		if len(call.Args) != 2 || flow.SizeVaries(t.Key()) || flow.SizeVaries(t.Elem()) {
			return p, false
		}
		bytes = s.Pass.TypesSizes.Sizeof(t.Key()) + s.Pass.TypesSizes.Sizeof(t.Elem())
	default:
		return p, false
	}
	n, isConst := flow.IntConst(info, size)
	if !isConst || n < minCapacity || n > 1<<24 || n*bytes < minLarge {
		return p, false
	}
	p.Message = fmt.Sprintf("Begin with a capacity of %d", n/smallerBy)
	p.Edits = append(p.Edits, rewrite.Replace(size, fmt.Sprint(n/smallerBy)))
	return p, true
}
