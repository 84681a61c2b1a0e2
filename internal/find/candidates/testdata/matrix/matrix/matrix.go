package matrix

import (
	"fmt"
	"math/rand/v2"

	"test/values"
)

func Distance(a, b string) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1) // want `Allocate all rows of d at once`
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+cost)
		}
	}
	return d[len(a)][len(b)]
}

func Grid(n, m int) [][]bool {
	rows := make([][]bool, n)
	for i := 0; i < n; i++ {
		rows[i] = make([]bool, m) // want `Allocate all rows of rows at once`
	}
	return rows
}

// The rows differ in length, and not all are made.
func Triangle(n int) [][]int {
	rows := make([][]int, n)
	for i := range rows {
		rows[i] = make([]int, i)
	}
	for i := 0; i < n/2; i++ {
		rows[i] = make([]int, n)
	}
	return rows
}

func Try(r *rand.Rand) string {
	a, b := values.String(r), values.String(r)
	g := Grid(r.IntN(4), r.IntN(4))
	for _, row := range g {
		row = append(row, true)
		_ = row
	}
	return fmt.Sprint(Distance(a[:min(9, len(a))], b[:min(9, len(b))]), g, Triangle(r.IntN(4)))
}
