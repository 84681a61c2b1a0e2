package buffered

import (
	"fmt"
	"math/rand/v2"

	"test/values"
)

func Lengths(words []string) (sum int) {
	lengths := make(chan int) // want `Give lengths a buffer of 64`
	go func() {
		defer close(lengths)
		for _, w := range words {
			lengths <- len(w)
		}
	}()
	for n := range lengths {
		sum += n
	}
	return sum
}

type worker struct{ result chan string }

func (w *worker) run(text string) { w.result <- text + "!" } // want `Give result a buffer of 1`

func Run(text string) string {
	w := &worker{result: make(chan string)}
	go w.run(text)
	return <-w.result
}

// It has a buffer, is only closed, or is given.
func Others(given chan int, n int) int {
	has, done := make(chan int, n), make(chan struct{})
	go func() {
		has <- 1
		close(done)
	}()
	<-done
	given <- <-has
	return <-given
}

func Try(r *rand.Rand) string {
	return fmt.Sprint(Lengths(values.Strings(r)), Run(values.String(r)), Others(make(chan int, 1), 1))
}
