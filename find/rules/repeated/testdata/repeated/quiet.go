package repeated

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

type loud string

func (l loud) String() string { return strings.ToUpper(string(l)) }

func changed(name string, names []string) (out string) {
	for _, n := range names {
		name += n
		out += strings.ToLower(name)
	}
	p := &out
	for range names {
		*p += strings.ToLower(out) + strings.ToUpper(names[0])
	}
	return out
}

func methods(l loud, names []string) (out []string) {
	for range names {
		out = append(out, fmt.Sprintf("%v", l))
	}
	return out
}

func generic[T ~string](t T, names []string) (out []string) {
	for range names {
		out = append(out, fmt.Sprint(t))
	}
	return out
}

func leaves(name string, names []string) error {
	for _, n := range names {
		if n == name {
			return fmt.Errorf("%s: %s", strings.ToLower(name), n)
		}
		if n == "" {
			name := strconv.Quote(n)
			fmt.Sprintln(name)
			break
		}
	}
	return nil
}

func once(name string) {
	defer func() {
		if bad := recover(); bad != nil {
			panic(fmt.Sprintf("%s: in a function that is called once", name))
		}
	}()
}

func either(name string, a bool) string {
	if a {
		return strings.ToLower(name)
	} else if name != "" && strings.ToLower(name) == "x" {
		return "y"
	}
	switch {
	case a:
		return "a"
	case strings.ToUpper(name) == "X":
		return strings.ToUpper(name[:0])
	}
	return ""
}

type own struct{}

func (own) ToLower(s string) string { return s }

func shadowed(name string, names []string) (out string) {
	strings := own{}
	for range names {
		out += strings.ToLower(name)
	}
	return out
}

func base(n int64, base int, names []string) (out string) {
	for range names {
		out += strconv.FormatInt(n, base) // may panic
	}
	return out
}

func rewritten(w http.ResponseWriter, r *http.Request) {
	word := r.URL.Query().Get("q")
	r.URL.RawQuery = "q=other"
	fmt.Fprint(w, word, r.URL.Query().Get("q"))
}

func handed(w http.ResponseWriter, r *http.Request, next http.Handler) {
	word := r.URL.Query().Get("q")
	next.ServeHTTP(w, r)
	fmt.Fprint(w, word, r.URL.Query().Get("q"))
}

func kept(r *http.Request) string {
	values := r.URL.Query()
	values.Set("a", "b")
	return values.Encode() + r.URL.Query().Get("a")
}
