//go:build go1.21

package old

import (
	"fmt"
	"net/http"
	"strings"
)

// The variable is one for all turns: a handler sees the last.
func routes(mux *http.ServeMux, names []string) {
	for _, name := range names {
		mux.HandleFunc("/"+name, func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, strings.ToUpper(name))
		})
	}
}

// A parameter is not one of a loop, and neither is a copy.
func timed(name string, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		next(w, r)
		fmt.Fprint(w, fmt.Sprintf("request.%s.count", name)) // want `same result each time`
	}
}

func copied(mux *http.ServeMux, names []string) {
	for _, name := range names {
		name := name
		mux.HandleFunc("/"+name, func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, strings.ToUpper(name)) // want `same result each time`
		})
	}
}
