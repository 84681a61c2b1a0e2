// Burn spends CPU in known places and writes what the runtime saw: go run
// ./internal/profile/oracletest/testdata/burn DIR. The tests compare whet's views of it with
// go tool pprof's.
package main

import (
	"crypto/sha256"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"
)

type visitor interface{ visit(n int) int }

type adder struct{ sum int }

// visit is small enough to be inlined where the type is known.
func (a *adder) visit(n int) int { a.sum += mix(n); return a.sum }

func mix(n int) int {
	n ^= n << 13
	n ^= n >> 7
	return n ^ n<<17
}

// walk recurses from two of its lines.
func walk(v visitor, n int) int {
	if n <= 0 {
		return v.visit(n)
	}
	x := walk(v, n-1)
	if n%3 == 0 {
		x += walk(v, n-2)
	}
	return x + v.visit(x)
}

func sum[T ~[]E, E int | float64](xs T) (s E) {
	for _, x := range xs {
		s += x
	}
	return s
}

func join(n int) string {
	s := ""
	for range n {
		s += "x" // each turn allocates
	}
	return s
}

var sink struct {
	n int
	s string
	h [32]byte
}

func burn() {
	xs := make([]int, 4096)
	for i := range xs {
		xs[i] = mix(i)
	}
	for range 40 {
		sink.n += sum(xs)
	}
	sink.n += walk(new(adder), 42)
	sink.s = strings.Repeat(join(400), 2)
	sink.h = sha256.Sum256([]byte(sink.s))
}

func main() {
	log.SetFlags(0)
	dir := os.Args[1]
	runtime.MemProfileRate = 4096
	f, err := os.Create(filepath.Join(dir, "burn.cpu"))
	if err != nil {
		log.Fatal(err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		log.Fatal(err)
	}
	// A number of turns, not a time: a busy machine makes it slower, not emptier.
	for range 3000 {
		burn()
	}
	pprof.StopCPUProfile()
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
	h, err := os.Create(filepath.Join(dir, "burn.heap"))
	if err != nil {
		log.Fatal(err)
	}
	if err := pprof.Lookup("allocs").WriteTo(h, 0); err != nil {
		log.Fatal(err)
	}
	if err := h.Close(); err != nil {
		log.Fatal(err)
	}
}
