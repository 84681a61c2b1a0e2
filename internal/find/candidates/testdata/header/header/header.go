package header

import (
	"fmt"
	"math/rand/v2"
	"net/http"

	"test/values"
)

const language = "accept-language"

func Read(r *http.Request) (string, string) {
	a := r.Header.Get("Content-Type") // want `Access the header "Content-Type" as an entry of a map`
	return a, r.Header.Get(language)  // want `Access the header "Accept-Language"`
}

func Write(w http.ResponseWriter, v string) {
	w.Header().Set("x-one", v) // want `Access the header "X-One"`
	w.Header().Add("Vary", v)  // want `Access the header "Vary"`
	w.Header().Add("Vary", v)  // want `Access the header "Vary"`
	w.Header().Del("Date")     // want `Access the header "Date"`
}

// The name is not constant, and all values are wanted.
func Others(h http.Header, name string) string {
	h.Set(name, "1")
	return h.Get(name) + fmt.Sprint(h.Values("Vary"))
}

type writer struct{ h http.Header }

func (w *writer) Header() http.Header            { return w.h }
func (w *writer) Write(data []byte) (int, error) { return len(data), nil }
func (w *writer) WriteHeader(int)                {}

func Try(r *rand.Rand) string {
	h := http.Header{"Date": {"x"}, "Accept-Language": values.Strings(r)}
	if values.Bool(r) {
		h["Vary"], h["Content-Type"] = values.Strings(r), []string{values.String(r), "b"}
	}
	a, b := Read(&http.Request{Header: h})
	none, _ := Read(&http.Request{})
	w := &writer{h}
	Write(w, values.String(r))
	return fmt.Sprint(a, b, none, h, Others(h, "vary"), h)
}
