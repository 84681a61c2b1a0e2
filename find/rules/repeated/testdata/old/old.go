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
