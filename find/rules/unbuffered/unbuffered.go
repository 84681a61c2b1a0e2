package unbuffered

import (
	_ "embed"
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
)

//go:embed doc.go
var doc string

// Categories.
const (
	writes = "writes"
	reads  = "reads"
)

// New returns the rule.
func New() *rules.Rule {
	cause := func(category, title, byHand, calls string) rules.Cause {
		return rules.Cause{
			Category: category, Title: title, ByHand: byHand,
			CPU: calls, Alloc: rules.Nothing, Mutex: rules.Nothing, Block: rules.Nothing,
			Needs: rules.Review,
		}
	}
	return &rules.Rule{
		Analyzer: &analysis.Analyzer{
			Name:     "unbuffered",
			Doc:      "report files and connections that are written or read in small pieces",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{
			cause(writes, "many small writes",
				"it is unknown when what is written must arrive: wrap it in a bufio.Writer, and flush that "+
					"before it is closed",
				`^os\.\(\*File\)\.(Write|WriteString)$|^net\.\(\*conn\)\.Write$|`+
					`^crypto/tls\.\(\*Conn\)\.Write$`),
			cause(reads, "many small reads",
				"a buffer reads ahead, which other readers of the file or connection would miss: read "+
					"everything through one "+
					"bufio.Reader", `^os\.\(\*File\)\.Read$|^net\.\(\*conn\)\.Read$|^crypto/tls\.\(\*Conn\)\.Read$`),
		},
		Doc: rules.ParseDoc(doc),
	}
}

func run(pass *analysis.Pass) (any, error) {
	root := flow.Root(pass)
	for c := range root.Preorder((*ast.CallExpr)(nil)) {
		call, ok := c.Node().(*ast.CallExpr)
		if !ok {
			continue
		}
		loop, loops := flow.Loop(c)
		if !loops {
			continue
		}
		category, end := piece(pass.TypesInfo, call)
		if end == nil || !isRaw(pass.TypesInfo.TypeOf(end)) || isOfIteration(pass.TypesInfo, end, loop) {
			continue
		}
		text := rewrite.Text(pass, end)
		if category == writes {
			if !isAnswered(pass, loop, text) {
				rules.Report(pass, call, writes,
					"each iteration writes to "+text+" with a separate system call: nothing buffers the writes",
					analysis.SuggestedFix{})
			}
			continue
		}
		rules.Report(pass, call, reads,
			"each iteration reads a little from "+text+" with a separate system call",
			analysis.SuggestedFix{})
	}
	return nil, nil
}

// piece returns what a call writes to or reads from in small pieces; nil for calls that may write
// or read much.
func piece(info *types.Info, call *ast.CallExpr) (category string, end ast.Expr) {
	name := flow.Callee(info, call)
	switch name {
	case "fmt.Fprint", "fmt.Fprintf", "fmt.Fprintln", "io.WriteString", "encoding/binary.Write":
		return writes, call.Args[0]
	case "encoding/binary.Read", "fmt.Fscan", "fmt.Fscanf", "fmt.Fscanln":
		return reads, call.Args[0]
	case "(*os.File).WriteString":
		if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
			return writes, sel.X
		}
	}
	return "", nil
}

// isRaw reports whether a type's Write is a system call.
func isRaw(t types.Type) bool {
	if t == nil {
		return false
	}
	switch t.String() {
	case "*os.File", "net.Conn", "*net.TCPConn", "*net.UnixConn", "*crypto/tls.Conn":
		return true
	}
	return false
}

// isOfIteration reports whether something is opened in each iteration of a loop: there may be just
// one write to each.
func isOfIteration(info *types.Info, end ast.Expr, loop inspector.Cursor) bool {
	v := flow.Variable(info, end)
	return v != nil && loop.Node().Pos() <= v.Pos() && v.Pos() < loop.Node().End()
}

// isAnswered reports whether a loop reads from what it writes to, as protocols do: the other end
// waits for each piece.
func isAnswered(pass *analysis.Pass, loop inspector.Cursor, end string) bool {
	for c := range loop.Preorder((*ast.CallExpr)(nil)) {
		call, ok := c.Node().(*ast.CallExpr)
		if !ok {
			continue
		}
		if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok &&
			sel.Sel.Name != "Write" && sel.Sel.Name != "WriteString" &&
			rewrite.Text(pass, sel.X) == end {
			return true
		}
		if category, of := piece(pass.TypesInfo, call); category == reads && rewrite.Text(pass, of) == end {
			return true
		}
		// Anything else that it is passed to may read from it.
		if category, _ := piece(pass.TypesInfo, call); category == "" {
			for _, a := range call.Args {
				if rewrite.Text(pass, a) == end {
					return true
				}
			}
		}
	}
	return false
}
