package readall

import (
	"io"
	"net/http"
	"os"
)

type message struct{ Body io.Reader }

func read(m *message, f *os.File, r io.Reader, with func() *http.Request) (n int) {
	for _, in := range []io.Reader{r, f} {
		b, _ := io.ReadAll(in)
		n += len(b)
	}
	a, _ := io.ReadAll(m.Body)
	b, _ := io.ReadAll(with().Body) // called once
	return n + len(a) + len(b)
}
