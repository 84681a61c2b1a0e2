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

// Routes registers handlers of requests without a body, and one that has one, too.
func Routes(mux *http.ServeMux, r router) {
	mux.HandleFunc("GET /a", both)
	mux.HandleFunc("POST /a", both)
	mux.HandleFunc("GET /b", none)
	mux.Handle("HEAD /b", http.HandlerFunc(none))
	r.Get("/c", func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
	})
}

type router interface {
	Get(pattern string, h http.HandlerFunc)
}

func none(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.ReadAll(r.Body)
}

func compared(r *http.Request) {
	if r.Method == http.MethodGet || r.Method == "HEAD" {
		_, _ = io.ReadAll(r.Body)
	}
}
