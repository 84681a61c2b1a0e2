package hashsum

import (
	_ "embed"
	"go/ast"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
)

//go:embed doc.go
var doc string

// Categories.
const (
	hashed  = "hash"
	encoded = "encode"
	printed = "print"
	oneShot = "sum"
)

// New returns the rule.
func New() *rules.Rule {
	const (
		texts = `^encoding/.*EncodeToString$`
		sums  = `^crypto/.*\.Sum$`
	)
	cause := func(category, title, byHand, cpu, alloc string) rules.Cause {
		return rules.Cause{
			Category: category, Title: title, ByHand: byHand,
			CPU: cpu, Alloc: alloc, Mutex: rules.Nothing, Block: rules.Nothing,
		}
	}
	return &rules.Rule{
		Analyzer: &analysis.Analyzer{
			Name:     "hashsum",
			Doc:      "report hashes whose input, sum or text is allocated on the heap",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{
			cause(hashed, "hash input or sum allocated on the heap",
				"a write or the sum is used in a way that needs the heap: hash a []byte, and sum into an "+
					"array with Sum(buf[:0])",
				rules.Allocating, rules.Line+`|^io\.WriteString$|`+sums+`|`+texts),
			cause(encoded, "fixed number of bytes encoded on the heap",
				"the statement has no place for an array before it: encode into an array on the "+
					"stack", rules.Allocating, texts),
			cause(printed, "bytes formatted by fmt",
				"the value has no address, or names are shadowed here: assign it to a variable, and use "+
					"package hex", `^fmt\.Sprintf$|`+rules.Boxing, rules.Line+`|^fmt\.Sprintf$`),
			cause(oneShot, "string copied to the heap to be hashed",
				"the operands may change while they are read: append them to an array on the stack "+
					"first", rules.Converting+`|`+rules.Concatenating, rules.Line),
		},
		Doc: rules.ParseDoc(doc),
	}
}

// A kind is a hash function: the constant for the length of its sum, and its value.
type kind struct {
	path, size string
	length     int
}

// constructors returns the functions that return hashes. The compiler knows the types they return,
// so neither the hash nor what its methods take needs to be on the heap.
func constructors() map[string]kind {
	return map[string]kind{
		"crypto/md5.New":           {"crypto/md5", "Size", 16},
		"crypto/sha1.New":          {"crypto/sha1", "Size", 20},
		"crypto/sha256.New":        {"crypto/sha256", "Size", 32},
		"crypto/sha256.New224":     {"crypto/sha256", "Size224", 28},
		"crypto/sha512.New":        {"crypto/sha512", "Size", 64},
		"crypto/sha512.New384":     {"crypto/sha512", "Size384", 48},
		"crypto/sha512.New512_224": {"crypto/sha512", "Size224", 28},
		"crypto/sha512.New512_256": {"crypto/sha512", "Size256", 32},
	}
}

// sums reports whether a function hashes all of its argument.
func sums(name string) bool {
	switch name {
	case "crypto/md5.Sum", "crypto/sha1.Sum", "crypto/sha256.Sum256", "crypto/sha256.Sum224",
		"crypto/sha512.Sum512", "crypto/sha512.Sum384", "crypto/sha512.Sum512_224", "crypto/sha512.Sum512_256":
		return true
	}
	return false
}

func run(pass *analysis.Pass) (any, error) {
	known := constructors()
	r := &reader{pass: pass, locals: rewrite.NewLocals(pass), names: rewrite.NewNames(pass)}
	for c := range flow.Root(pass).Preorder((*ast.CallExpr)(nil)) {
		call, ok := c.Node().(*ast.CallExpr)
		if !ok || flow.Once(c) {
			continue
		}
		name := flow.Callee(pass.TypesInfo, call)
		if k, ok := known[name]; ok {
			r.hasher(c, k)
			continue
		}
		switch {
		case name == "fmt.Sprintf":
			r.printed(c, call)
		case sums(name):
			r.summed(c, call)
		case encodes(name):
			r.encodedArray(c, call)
		}
	}
	return nil, nil
}

// A reader is one pass.
type reader struct {
	pass   *analysis.Pass
	locals *rewrite.Locals
	names  *rewrite.Names
}

// room is the number of bytes of a text that are hashed at a time: whole blocks of all hash
// functions, and cheap to clear for each hash.
const room = 256
