package flow

import (
	"go/ast"
	"go/token"
	"go/types"
	"go/version"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// Places are the uses of variables in a package: what Uses returns, for all variables.
type Places map[*types.Var][]inspector.Cursor

// NewPlaces reads a package. The places of a variable are in source order.
func NewPlaces(info *types.Info, root inspector.Cursor) Places {
	places := Places{}
	for c := range root.Preorder((*ast.Ident)(nil)) {
		id, ok := c.Node().(*ast.Ident)
		if !ok {
			continue
		}
		if v, ok := info.ObjectOf(id).(*types.Var); ok && !v.IsField() {
			places[v] = append(places[v], c)
		}
	}
	return places
}

// Steady reports whether a variable has the same value at two positions of the function that
// declares it, the first before the second: it is local, declared before both, not set between
// them, and not set by any other function.
func (p Places) Steady(info *types.Info, v *types.Var, from, to token.Pos) bool {
	if v.Pkg() == nil || v.Parent() == v.Pkg().Scope() || v.Pos() >= from || len(p[v]) == 0 {
		return false
	}
	home, ok := Func(p[v][0])
	if !ok {
		return false
	}
	for _, use := range p[v] {
		if !IsSet(use) && !Addresses(info, use) {
			continue
		}
		at := use.Node().Pos()
		if f, ok := Func(use); !ok || f != home && at != v.Pos() || from <= at && at < to {
			return false
		}
	}
	return true
}

// Addresses reports whether a use of a value takes its address, or that of a part of it: with &, by
// slicing an array, or as the receiver of a pointer method. An element of a slice counts as a part.
func Addresses(info *types.Info, use inspector.Cursor) bool {
	for c := use; ; c = c.Parent() {
		switch c.ParentEdgeKind() {
		case edge.ParenExpr_X:
		case edge.UnaryExpr_X:
			u, ok := c.Parent().Node().(*ast.UnaryExpr)
			return ok && u.Op == token.AND
		case edge.SliceExpr_X:
			e, ok := c.Node().(ast.Expr)
			return ok && isArray(info.TypeOf(e))
		case edge.IndexExpr_X:
			e, ok := c.Node().(ast.Expr)
			if ok && !isArray(info.TypeOf(e)) && c != use {
				return false // an element of another value
			}
		case edge.SelectorExpr_X:
			s, ok := c.Parent().Node().(*ast.SelectorExpr)
			if !ok {
				return false
			}
			if e, ok := c.Node().(ast.Expr); ok && isPointer(info.TypeOf(e)) {
				return false // a field of another value
			}
			if sel := info.Selections[s]; sel == nil || sel.Kind() != types.FieldVal {
				return wantsPointer(sel)
			}
		default:
			return false
		}
	}
}

func wantsPointer(sel *types.Selection) bool {
	if sel == nil {
		return false
	}
	f, ok := sel.Obj().(*types.Func)
	return ok && f.Signature().Recv() != nil && isPointer(f.Signature().Recv().Type())
}

func isPointer(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// Since reports whether a file is written for a version of Go, such as "go1.21", or a later one. An
// unknown version counts as the newest.
func Since(pass *analysis.Pass, at token.Pos, least string) bool {
	v := pass.Pkg.GoVersion()
	for _, f := range pass.Files {
		if f.FileStart <= at && at < f.FileEnd && pass.TypesInfo.FileVersions[f] != "" {
			v = pass.TypesInfo.FileVersions[f]
		}
	}
	return v == "" || version.Compare(v, least) >= 0
}
