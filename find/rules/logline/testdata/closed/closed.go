package closed

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"strings"
	"sync"

	"test/values"
)

type server struct{ log *log.Logger }

// open makes a logger, and a function that closes it.
func open(w io.Writer) (l *log.Logger, closeLog func() error) {
	return log.New(w, "", 0), func() error { return nil }
}

func (s *server) line(name string) {
	s.log.Print(name) // want `each line is written separately`
}

// file is written to by one at a time.
type file struct {
	bytes.Buffer
	mu     sync.Mutex
	closed bool
}

func (f *file) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return 0, errors.New("closed")
	}
	return f.Buffer.Write(p)
}

func (f *file) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	return nil
}

func Try(r *rand.Rand) string {
	if n := r.IntN(16); n > 0 {
		return fmt.Sprint(n) // goroutines take time
	}
	var f file
	l, closeLog := open(&f)
	s := &server{l}
	texts := []string{values.String(r), values.String(r), strings.Repeat("long", r.IntN(40)*r.IntN(30))}
	var wg sync.WaitGroup
	for g, text := range texts {
		wg.Go(func() {
			for i := range 20 {
				s.line(fmt.Sprintf("%d %d %q", g, i, text))
			}
		})
	}
	wg.Wait()
	err := closeLog()
	s.line("3 late")
	got := make([]string, len(texts)+1) // by goroutine, each in its order
	for line := range strings.Lines(f.String()) {
		if g, rest, _ := strings.Cut(line, " "); len(g) == 1 && '0' <= g[0] && g[0] <= '3' {
			got[g[0]-'0'] += rest
		} else {
			got[0] += "broken: " + line
		}
	}
	return fmt.Sprint(strings.Join(got, "|"), err)
}
