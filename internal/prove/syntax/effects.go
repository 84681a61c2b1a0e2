package syntax

import (
	"go/ast"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// An effect is a call whose absence tests and benchmarks hardly notice.
type effect struct {
	calls string // a regular expression of the call: package or variable, a dot, and the name
	why   string
	// opens, if not empty, matches the calls that make the effect necessary: if they are gone, too, nothing
	// is lost. with, if not empty, matches calls that must remain for the effect to be missed.
	opens, with string
}

// nestedLoops represents loops within loops in lists of calls.
const nestedLoops = "nested loops"

func effects() []effect {
	const opens = `(^|\.)(Open\w*|Create\w*|Dial\w*|Listen\w*|New\w*(Reader|Writer|Encoder))$`
	return []effect{
		{calls: `\.(Sync|Fsync|Fdatasync)$`, why: "written data may be lost if the machine stops"},
		{calls: `\.(Close|CloseWrite|CloseRead)$`, why: "a file, connection or buffer stays open", opens: opens},
		{calls: `\.Flush$`, why: "buffered data may never be written", opens: opens},
		{calls: `\.(Lock|RLock)$`, why: "calls from several goroutines may race"},
		{
			calls: `^os\.Rename$`, why: "readers may see a partly written file",
			with: `(^|\.)(WriteFile|Create\w*|OpenFile)$`,
		},
		{
			calls: `^(os\.(Chmod|Chown|Truncate|Remove|RemoveAll|Mkdir|MkdirAll)|\w+\.(Chmod|Chown|Truncate))$`,
			why:   "the file system may end up in another state",
		},
		{calls: `\.Set(Read|Write)?Deadline$`, why: "it may wait forever"},
		{calls: `^strings\.Clone$`, why: "a short result may keep a long string in memory"},
		{calls: `^close$`, why: "receivers of the channel may wait forever"},
		{calls: `(?i)\blog\w*\.(Print|Debug|Info|Warn|Error|Log|Fatal|Panic)\w*$`, why: "log lines are missing"},
		{calls: `\.Wait$`, why: "it may return before other goroutines end", with: `^go$|\.Go$`},
		{
			calls: `^(sort\.Stable|sort\.SliceStable|slices\.SortStableFunc)$`, why: "equal elements may change order",
			with: `^(sort|slices)\.(Sort|Slice)\w*$`,
		},
		{
			calls: `^(sort|slices)\.(Sort|Stable|Slice)\w*$`, why: "nested loops may be slow for large inputs",
			with: "^" + nestedLoops + "$",
		},
	}
}

// lostEffects returns the effects that the changed functions of a have, including those of the functions
// that they call, and that the changed functions of b lack.
func lostEffects(a, b *source) (list []Suspect) {
	was, is := a.changed(b), b.changed(a)
	if len(was) == 0 || len(is) == 0 {
		return nil
	}
	before, after := a.callsOf(a.reached(was)), b.callsOf(b.reached(is))
	for _, e := range effects() {
		call := firstMatch(before, e.calls)
		if call == "" || firstMatch(after, e.calls) != "" || e.with != "" && firstMatch(after, e.with) == "" {
			continue
		}
		if e.opens != "" && firstMatch(before, e.opens) != "" && firstMatch(after, e.opens) == "" {
			continue
		}
		list = append(list, Suspect{File: before[call].file, What: call, Why: e.why, Gone: true})
	}
	before, after = a.contextsObeyed(a.reached(was)), b.contextsObeyed(b.reached(is))
	if len(before) > 0 && len(after) == 0 {
		list = append(list, Suspect{
			File: before["ctx"].file, What: "its context", Why: "it may not end when it is canceled", Gone: true,
		})
	}
	return append(list, lostWrites(a, b, was, is)...)
}

// firstMatch returns the first call that matches a regular expression; "" if there is none.
func firstMatch(calls map[string]*function, expression string) string {
	match := regexp.MustCompile(expression)
	for _, call := range slices.Sorted(maps.Keys(calls)) {
		if match.MatchString(call) {
			return call
		}
	}
	return ""
}

// callsOf returns the calls in functions, as the last name before the dot and the name, with the first
// function that has it. A go statement is the call "go", and loops within loops are nestedLoops.
func (s *source) callsOf(functions []*function) map[string]*function {
	calls := map[string]*function{}
	add := func(call string, fn *function) {
		if calls[call] == nil {
			calls[call] = fn
		}
	}
	for _, fn := range functions {
		addLoops := func(outer *ast.BlockStmt) {
			if hasLoop(outer) {
				add(nestedLoops, fn)
			}
		}
		ast.Inspect(fn.decl.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				add("go", fn)
			case *ast.ForStmt:
				addLoops(n.Body)
			case *ast.RangeStmt:
				addLoops(n.Body)
			case *ast.CallExpr:
				switch fun := n.Fun.(type) {
				case *ast.Ident:
					add(fun.Name, fn)
				case *ast.SelectorExpr:
					on := types.ExprString(fun.X)
					add(on[strings.LastIndexByte(on, '.')+1:]+"."+fun.Sel.Name, fn)
				}
			}
			return true
		})
	}
	return calls
}

// hasLoop reports whether a loop is in a block.
func hasLoop(block *ast.BlockStmt) (found bool) {
	ast.Inspect(block, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			found = true
		}
		return !found
	})
	return found
}

// contextsObeyed returns, under "ctx", a function that asks a context among its parameters whether it
// has ended, or passes it on.
func (s *source) contextsObeyed(functions []*function) map[string]*function {
	found := map[string]*function{}
	for _, fn := range functions {
		contexts := map[types.Object]bool{}
		for _, f := range fn.decl.Type.Params.List {
			if types.ExprString(f.Type) == "context.Context" {
				for _, name := range f.Names {
					contexts[s.info.Defs[name]] = true
				}
			}
		}
		ast.Inspect(fn.decl.Body, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && contexts[s.info.Uses[id]] {
				found["ctx"] = fn
			}
			return true
		})
	}
	return found
}

// lostWrites returns the package variables that changed functions of a write and changed functions of b do
// not, although b declares them.
func lostWrites(a, b *source, was, is []*function) (list []Suspect) {
	before, after := a.statesWritten(a.reached(was)), b.statesWritten(b.reached(is))
	for _, st := range slices.SortedFunc(maps.Keys(before), func(x, y state) int {
		return strings.Compare(x.String(), y.String())
	}) {
		w := before[st]
		if st.variable == "" || w.fn == nil || b.variables[st.variable] == nil ||
			after[st] != nil && after[st].fn != nil {
			continue
		}
		list = append(list, Suspect{
			File: w.fn.file, What: st.String(), Why: w.fn.name + " wrote to it, and who reads it sees no change", Gone: true,
		})
	}
	return list
}
