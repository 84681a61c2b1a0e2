package smaller

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"

	"test/values"
)

func Lines(r io.Reader) (all []string, err error) {
	all = make([]string, 0, 1024)     // want `Begin with a capacity of 128`
	in := bufio.NewReader(r)          // want `Begin with a buffer of 512 bytes`
	seen := make(map[string]int, 100) // want `Begin with a capacity of 12`
	for {
		line, err := in.ReadString('\n')
		if seen[line]++; seen[line] == 1 {
			all = append(all, line)
		}
		if err != nil {
			return all, err
		}
	}
}

func Write(w io.Writer, text string) error {
	out := bufio.NewWriter(w) // want `Begin with a buffer of 512 bytes`
	out.WriteString(text)
	return out.Flush()
}

// The slices are small, have elements, or a size that is not constant.
func Others(n int) (int, int) {
	a, b, c := make([]int, 0, 4), make([]byte, 1024), make([]int, 0, n&7)
	return len(append(a, len(b))), len(append(c, 1))
}

func Try(r *rand.Rand) string {
	text := strings.Repeat(values.String(r)+"\n", r.IntN(90))
	var out strings.Builder
	all, err := Lines(strings.NewReader(text))
	err2 := Write(&out, text)
	a, b := Others(3)
	return fmt.Sprint(all, err, out.String(), err2, a, b)
}
