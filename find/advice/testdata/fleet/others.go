package fleet

import (
	"fmt"
	"net/http"
	"time"
)

// Others stands for the services of other teams: weather, traffic, addresses.
func Others() http.Handler {
	mux := http.NewServeMux()
	for _, name := range []string{"weather", "traffic", "address"} {
		mux.HandleFunc("/"+name, func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Millisecond)
			fmt.Fprintf(w, "%s of %s", name, r.FormValue("at"))
		})
	}
	return mux
}
