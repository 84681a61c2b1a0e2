package repeated

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"time"

	"test/values"
)

type stats struct{ lines []string }

func (s *stats) count(name string) { s.lines = append(s.lines, name) }

func (s *stats) Timed(name string, next http.HandlerFunc) http.HandlerFunc {
	// What is returned is called for each request.
	return func(w http.ResponseWriter, r *http.Request) {
		begin := time.Now()
		next(w, r)
		s.count(fmt.Sprintf("request.%s.timing", name)) // want `fmt.Sprintf has the same result each time: the function is called`
		s.count(fmt.Sprintf("request.%s.count", name))  // want `same result each time`
		if time.Since(begin) < 0 {
			s.count(fmt.Sprintf("request.%s.count", name)) // want `same result each time`
		}
	}
}

func (s *stats) wrap(name string, next http.Handler) http.Handler {
	prefix := name + "|"
	return http.HandlerFunc((func(w http.ResponseWriter, r *http.Request) {
		s.count(strings.ToLower(prefix)) // want `strings.ToLower has the same result each time`
		next.ServeHTTP(w, r)
	}))
}

func routes(mux *http.ServeMux, s *stats, id int) {
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, strconv.Quote(strconv.Itoa(id))) // want `strconv.Quote has the same`
	})
}

type word string

func Count(words []word, wanted word) (n int) {
	var text string
	text, rest := "a", 0
	_ = rest
	for i, w := range words {
		for range i % 3 {
			if strings.EqualFold(string(w), strings.ToUpper(string(wanted))) { // want `strings.ToUpper has the same result each time: nothing in it changes`
				n++
			}
		}
		key := sha256.Sum256([]byte(string(wanted) + "é")) // want `sha256.Sum256 has the same`
		n += int(key[i%32]) + len(text)
		if strings.Contains(strings.ToLower(string(w)), "a") || strings.Contains(strings.ToLower(string(w)), "b") { // want `strings.ToLower is called 2 times` `called 2 times`
			n++
		}
	}
	return n
}

func Kind(name string) string {
	switch {
	case strings.HasPrefix(strings.ToLower(name), "a"): // want `called 3 times`
		return "a"
	case strings.HasPrefix(strings.ToLower(name), "b"): // want `called 3 times`
		return "b"
	}
	return strings.ToLower(name) // want `called 3 times`
}

func Reuse(name string, n int) string {
	upper := strings.ToUpper(name) // want `called 2 times`
	if n > 0 {
		return upper + strings.ToUpper(name) // want `called 2 times`
	}
	return upper
}

func Shadow(name string, n int) string {
	x := fmt.Sprintf("%s-%08d|%v", name, n, n > 3) // want `fmt.Sprintf is called 2 times`
	{
		x := 5
		return fmt.Sprint(x) + fmt.Sprintf("%s-%08d|%v", name, n, n > 3) // want `fmt.Sprintf is called 2 times`
	}
	return x
}

func Parses(text string) (n int) {
	for range 3 {
		if u, err := url.Parse(text); err == nil { // want `url.Parse has the same result`
			n += len(u.Host)
		}
	}
	return n
}

func search(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Agent", r.UserAgent())
	word := r.URL.Query().Get("q") // want `parses the query 3 times`
	if r.URL.Query().Has("page") { // want `parses the query 3 times`
		word += r.URL.Query().Get("page") // want `parses the query 3 times`
	}
	fmt.Fprint(w, word, r.URL.Path)
}

func Try(r *rand.Rand) string {
	s := &stats{}
	name, n := values.String(r), values.Int(r)
	mux := http.NewServeMux()
	routes(mux, s, n)
	mux.Handle("/timed", s.wrap(name, s.Timed(name, search)))
	for _, path := range []string{"/timed?", "/?"} {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path+url.Values{"q": {values.String(r)}, "page": {name}}.Encode(), nil))
		s.count(w.Body.String())
	}
	words := []word{word(values.String(r)), word(values.String(r)), word(name), "aB"}
	return fmt.Sprint(s.lines, Count(words[:r.IntN(5)], word(name)), Kind(name), Kind("B"+name), Reuse(name, n), Shadow(name, n), Parses(name))
}
