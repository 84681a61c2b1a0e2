package flow

import (
	"go/ast"
	"testing"
)

func TestJumps(t *testing.T) {
	const source = `package p

func jumps(n int) {
again:
	if n--; n > 0 {
		goto again
	}
}

func within() {
	func() {
		goto end
	end:
	}()
}

func breaks() {
loop:
	for {
		switch {
		case true:
			continue loop
		default:
			break loop
		}
	}
}
`
	want := map[string]bool{"jumps": true, "within": true, "breaks": false}
	_, root := check(t, source)
	seen := 0
	for c := range root.Preorder((*ast.FuncDecl)(nil)) {
		d, ok := c.Node().(*ast.FuncDecl)
		if !ok {
			continue
		}
		seen++
		if got := Jumps(c); got != want[d.Name.Name] {
			t.Errorf("%s: %v", d.Name.Name, got)
		}
	}
	if seen != len(want) {
		t.Errorf("%d functions, want %d", seen, len(want))
	}
}
