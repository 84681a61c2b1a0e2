package urlquery

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"

	"test/values"
)

func number(s string, otherwise int) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	return otherwise
}

func Page(w http.ResponseWriter, r *http.Request) {
	// What is shown.
	group := r.URL.Query().Get("group") // want `r.URL.Query\(\) parses the query 4 times in this function`
	if group == "%" {
		http.Error(w, "no per cent", http.StatusBadRequest)
		return
	}
	if r.URL.Query().Has("order") { // want `4 times`
		group += strings.ToUpper(r.URL.Query().Get("order")) // want `4 times`
	}
	fmt.Fprint(w, group, number(r.URL.Query().Get("limit"), 10)) // want `4 times`
}

func Input(u *url.URL) (string, error) {
	if u.Query().Get("a") == "" { // want `u.Query\(\) parses the query 2 times`
		return "", errors.New("no a")
	}
	for i := range 3 {
		if u.Query().Get(strconv.Itoa(i)) != "" { // want `2 times`
			return "number", nil
		}
	}
	return "none", nil
}

func Own(u *url.URL) string {
	query := u.Query()
	query.Set("a", "b")
	x, y := u.Query().Get("a"), u.Query().Get("b") // want `3 times` `3 times`
	return x + y + query.Encode()
}

func Handler() http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		a := r.URL.Query().Get("a")              // want `2 times`
		fmt.Fprint(w, a, r.URL.Query().Get("b")) // want `2 times`
	}
}

// What follows is reported without a rewrite.

func Loop(r *http.Request, keys []string) (out string) {
	for _, key := range keys {
		out += r.URL.Query().Get(key) // want `parses the query in each iteration`
	}
	return out
}

func Changed(r *http.Request) string {
	a := r.URL.Query().Get("a") // want `2 times`
	r.URL.RawQuery = "b=changed"
	return a + r.URL.Query().Get("b") // want `2 times`
}

func other(r *http.Request) string { r.URL.RawQuery = "b=other"; return "" }

func Handed(r *http.Request) string {
	a := r.URL.Query().Get("a")                  // want `2 times`
	return a + other(r) + r.URL.Query().Get("b") // want `2 times`
}

func Replaced(r *http.Request) string {
	a := r.URL.Query().Get("a") // want `2 times`
	r = httptest.NewRequest("GET", "/?b=replaced", nil)
	return a + r.URL.Query().Get("b") // want `2 times`
}

func Maybe(r *http.Request) string {
	if r != nil && r.URL != nil && r.URL.Query().Has("a") { // want `2 times`
		return r.URL.Query().Get("a") // want `2 times`
	}
	return ""
}

type holder struct{ r *http.Request }

func (h *holder) change() string { h.r.URL.RawQuery = "b=held"; return "" }

func Held(r *http.Request) string {
	h := &holder{r}
	a := r.URL.Query().Get("a") + h.change() // want `2 times`
	return a + r.URL.Query().Get("b")        // want `2 times`
}

func Called(r *http.Request, f func() string) string {
	a := r.URL.Query().Get("a") + f() // want `2 times`
	return a + r.URL.Query().Get("b") // want `2 times`
}

func Filled(r *http.Request) string {
	a := r.URL.Query().Get("a") // want `2 times`
	if err := json.Unmarshal([]byte(`{"R":{"URL":{"RawQuery":"b=filled"}}}`), &struct{ R *http.Request }{r}); err != nil {
		a += err.Error()
	}
	return a + r.URL.Query().Get("b") // want `2 times`
}

func Pointed(u *url.URL) string {
	a := u.Query().Get("a") // want `2 times`
	raw := &u.RawQuery
	*raw = "b=pointed"
	return a + u.Query().Get("b") // want `2 times`
}

func Slices(u *url.URL) []string {
	all := u.Query()["a"]                 // want `2 times`
	return append(all, u.Query()["a"]...) // want `2 times`
}

func Try(r *rand.Rand) string {
	v := url.Values{}
	for _, key := range []string{"a", "b", "group", "order", "limit", "1"} {
		if values.Bool(r) {
			v.Add(key, values.String(r))
		}
	}
	raw := v.Encode()
	if values.Bool(r) {
		raw = url.PathEscape(values.String(r))
	}
	request := func() *http.Request { return &http.Request{URL: &url.URL{RawQuery: raw}, Header: http.Header{}} }
	w := httptest.NewRecorder()
	Page(w, request())
	Handler()(w, request())
	input, err := Input(request().URL)
	called := request()
	return fmt.Sprint(w.Code, w.Body, input, err, Own(request().URL), Loop(request(), []string{"a", "b"}), Changed(request()), Handed(request()),
		Replaced(request()), Maybe(request()), Maybe(nil), Maybe(&http.Request{}), Held(request()),
		Called(called, func() string { return other(called) }), Slices(request().URL), Filled(request()), Pointed(request().URL))
}
