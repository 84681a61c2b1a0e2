package repeated

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules/flow"
)

// kinds are functions that depend only on their arguments, have no side effects and do not panic.
// The value is true if they have a single result, which is immutable.
func kinds() map[string]bool {
	return map[string]bool{
		"fmt.Sprint": true, "fmt.Sprintf": true, "fmt.Sprintln": true,
		"strings.ToLower": true, "strings.ToUpper": true, "strings.ToTitle": true, "strings.Title": true,
		"strings.Replace": true, "strings.ReplaceAll": true, "strings.ToValidUTF8": true,
		"strconv.Itoa": true, "strconv.Quote": true, "strconv.QuoteToASCII": true,
		"strconv.FormatInt": true, "strconv.FormatUint": true, "strconv.FormatFloat": true,
		"html.EscapeString": true, "html.UnescapeString": true, "net/url.QueryEscape": true, "net/url.PathEscape": true,
		"net/http.CanonicalHeaderKey": true, "net/textproto.CanonicalMIMEHeaderKey": true,
		"path.Clean": true, "path.Join": true, "path/filepath.Clean": true, "path/filepath.Join": true,
		"crypto/sha256.Sum256": true, "crypto/sha512.Sum512": true,
		"hash/crc32.ChecksumIEEE": true, "encoding/hex.EncodeToString": true,

		"net/url.Parse": false, "net/url.ParseRequestURI": false, "net/url.ParseQuery": false,
		"net.ParseIP": false, "net.ParseCIDR": false, "net/netip.ParseAddr": false, "net/netip.ParsePrefix": false,
		"time.Parse": false, "time.ParseDuration": false, "mime.ParseMediaType": false,
		"strconv.ParseFloat": false, "strconv.Unquote": false,
		"strings.Fields": false, "strings.Split": false, "encoding/hex.DecodeString": false,
	}
}

// query parses the query of a URL.
const query = "(*net/url.URL).Query"

// pattern matches the functions whose calls are compared.
func pattern() string {
	var names []string
	for name := range kinds() {
		names = append(names, strings.ReplaceAll(name, ".", `\.`))
	}
	slices.Sort(names)
	return "^(" + strings.Join(names, "|") + ")$"
}

// An inspection is for a declared function.
type inspection struct {
	info   *types.Info
	decl   inspector.Cursor
	kinds  map[string]bool
	steady map[*types.Var]bool
	shares bool // the iterations of a loop share its variables
}

// pure reports whether a call is to one of the known functions, with arguments that never change,
// and returns the variables in them.
func (s *inspection) pure(call *ast.CallExpr) (vars []*types.Var, ok bool) {
	name := flow.Callee(s.info, call)
	if _, known := s.kinds[name]; !known || call.Ellipsis.IsValid() {
		return nil, false
	}
	if !formats(s.info, name, call) {
		return nil, false
	}
	for _, a := range call.Args {
		more, ok := s.fixed(a, true)
		if !ok {
			return nil, false
		}
		vars = append(vars, more...)
	}
	return vars, true
}

// formats reports whether a function of strconv accepts the base, format and size that it is called
// with: it panics for others.
func formats(info *types.Info, name string, call *ast.CallExpr) bool {
	switch name {
	case "strconv.FormatInt", "strconv.FormatUint":
		base, ok := flow.IntConst(info, call.Args[1])
		return ok && 2 <= base && base <= 36
	case "strconv.FormatFloat":
		size, ok := flow.IntConst(info, call.Args[3])
		return ok && (size == 32 || size == 64)
	}
	return true
}

// fixed reports whether an expression always has the same value, and is evaluated without side
// effects or panics. bytes allows []byte(s), for functions that do not retain it.
func (s *inspection) fixed(e ast.Expr, bytes bool) (vars []*types.Var, ok bool) {
	if s.info.Types[e].Value != nil {
		return nil, true
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return s.fixed(e.X, bytes)
	case *ast.Ident:
		v := flow.Variable(s.info, e)
		if v == nil {
			return nil, false
		}
		if _, known := s.steady[v]; !known {
			s.steady[v] = flow.Steady(s.info, s.decl, v)
		}
		return []*types.Var{v}, s.steady[v]
	case *ast.UnaryExpr:
		if e.Op == token.AND || e.Op == token.ARROW {
			return nil, false
		}
		return s.fixed(e.X, false)
	case *ast.BinaryExpr:
		switch e.Op {
		case token.QUO, token.REM, token.SHL, token.SHR: // may panic
			return nil, false
		}
		x, ok1 := s.fixed(e.X, false)
		y, ok2 := s.fixed(e.Y, false)
		return append(x, y...), ok1 && ok2
	case *ast.CallExpr:
		to, ok := flow.Conversion(s.info, e)
		if !ok {
			if flow.Builtin(s.info, e) == "len" {
				return s.fixed(e.Args[0], false)
			}
			if !s.kinds[flow.Callee(s.info, e)] {
				return nil, false
			}
			return s.pure(e)
		}
		if from := s.info.TypeOf(e.Args[0]); from == nil || !flow.Plain(to) && !(bytes && isBytes(to) && flow.Plain(from)) {
			return nil, false
		}
		return s.fixed(e.Args[0], false)
	}
	return nil, false
}

// isBytes reports whether a type is []byte itself.
func isBytes(t types.Type) bool {
	slice, ok := types.Unalias(t).(*types.Slice)
	return ok && types.Identical(slice.Elem(), types.Typ[types.Byte])
}
