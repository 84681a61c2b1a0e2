package boxing

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"sync"
)

type one struct{ p *int }

func Pointers(p *pair, m map[int]int, f func(), o one, e struct{}, a [1]*int, err error, yes bool, c byte) {
	fmt.Print(p, m, f, o, e, a, err, yes, c, nil, 3, "text")
	panic(p)
}

func Spread(args []any) { fmt.Print(args...) }

func Generic[T any](x T, y []T) (T, int) {
	keep(x)
	keep(3)
	return x, len(y)
}

func keep[T any](T) {}

func several() (int, error) { return 1, errors.New("text") }

func Several() { fmt.Print(several()) }

func init() { fmt.Print(len(pool)) }

var pool = make([]sync.Pool, 1)

// Rule sprintf writes these without interfaces.
func Formats(b *bytes.Buffer, s string, n int) string {
	fmt.Fprintf(b, "%s=%d", s, n)
	return fmt.Sprintf("<%s>", s) + fmt.Sprint(n)
}

// Reflection takes nothing but interfaces.
func Reflected(s string, p pair) bool {
	return reflect.ValueOf(s).Len() > 0 && reflect.DeepEqual(p, pair{})
}

// A pointer to what is made for the call would need the same memory.
func Made(a, b int) { fmt.Print(pair{a, b}, []int{a}) }
