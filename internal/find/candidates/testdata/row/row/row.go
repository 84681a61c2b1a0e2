package row

import (
	"fmt"
	"math/rand/v2"

	"test/values"
)

func Sum(rows [][]int) (sum int) {
	for i := range rows {
		for j := 0; j < len(rows[i]); j++ {
			sum += rows[i][j] // want `Read rows\[i\] once, before the loop`
		}
	}
	return sum
}

type cell struct{ n, seen int }

func Count(cells []*cell, at int, words []string) int {
	if at >= len(cells) {
		return 0
	}
	for _, w := range words {
		cells[at].n += len(w) // want `Read cells\[at\] once`
		cells[at].seen++
	}
	return cells[at].n
}

// The row is set, and the index changes.
func Grown(rows [][]int, n int) (sum int) {
	for i := 0; i < n && len(rows) > 0; i++ {
		rows[0] = append(rows[0], i)
		sum += rows[0][i]
	}
	for i := range rows {
		sum += rows[i][0]
	}
	return sum
}

func Try(r *rand.Rand) string {
	rows := [][]int{{1, r.IntN(9)}, {}, {3}}
	cells := []*cell{{}, {n: r.IntN(3)}}
	return fmt.Sprint(Sum(rows), Count(cells, r.IntN(3), values.Strings(r)), *cells[1], Grown([][]int{{}}, 3))
}
