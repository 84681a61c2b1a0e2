package flow

import (
	"go/ast"
	"testing"
)

func TestSame(t *testing.T) {
	const source = `package p

type T struct {
	f, g int
	next *T
	list [3]int
}

var global T

func a() *T { return nil }

func f(x, y T, p, q *T, i int, m map[string]int) {
	_ = x.f == x.f
	_ = (x).f == x.f
	_ = x.f == x.g
	_ = x.f == y.f
	_ = p.next.f == p.next.f
	_ = p.next.f == q.next.f
	_ = (*p).f == p.f
	_ = *p == *p
	_ = x.list[1] == x.list[1]
	_ = x.list[1] == x.list[1+0]
	_ = x.list[1] == x.list[2]
	_ = x.list[i] == x.list[i]
	_ = m["a"] == m["a"]
	_ = global.f == global.f
	_ = a().f == a().f
	_ = i+1 == i+1
	_ = 1 == 1
	_ = i == i
	{
		outer := x
		x := y
		_ = x.f == outer.f
	}
}
`
	want := []bool{
		true, true, false, false, true, false, false, true, true, true,
		false, false, false, true, false, false, false, true, false,
	}
	info, root := check(t, source)
	i := 0
	for c := range root.Preorder((*ast.BinaryExpr)(nil)) {
		e, ok := c.Node().(*ast.BinaryExpr)
		if !ok || e.Op.String() != "==" {
			continue
		}
		if i == len(want) {
			t.Fatalf("more comparisons than %d", len(want))
		}
		if got := Same(info, e.X, e.Y); got != want[i] {
			t.Errorf("comparison %d: %v, want %v", i, got, want[i])
		}
		if Same(info, e.X, e.Y) != Same(info, e.Y, e.X) {
			t.Errorf("comparison %d: another answer the other way round", i)
		}
		i++
	}
	if i != len(want) {
		t.Errorf("%d comparisons, want %d", i, len(want))
	}
}
