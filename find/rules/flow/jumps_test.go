package flow

import (
	"go/ast"
	"slices"
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

func TestExits(t *testing.T) {
	const source = `package p

func f(n int, c chan int) {
outer:
	for {
		for range n {
			if n == 1 { continue }
			if n == 2 { break }
			switch n {
			case 3: continue
			case 4: break
			case 5: continue outer
			}
			select { case <-c: break; default: goto end }
			for { if n == 6 { continue }; break }
			func() { for { break } }()
			for { break outer }
		}
	}
end:
}`
	_, root := check(t, source)
	var got []string
	for c := range root.Preorder((*ast.RangeStmt)(nil)) {
		loop, ok := c.Node().(*ast.RangeStmt)
		if !ok {
			continue
		}
		for _, e := range Exits(loop.Body) {
			text := e.Stmt.Tok.String()
			if e.Stmt.Label != nil {
				text += " " + e.Stmt.Label.Name
			}
			if e.Ends {
				text += ", ends"
			}
			got = append(got, text)
		}
	}
	want := []string{"continue", "break, ends", "continue", "continue outer, ends", "goto end, ends", "break outer, ends"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
