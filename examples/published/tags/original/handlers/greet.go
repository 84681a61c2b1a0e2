package handlers

import (
	"fmt"
	"net/http"
)

// Greet is the page itself.
func Greet(w http.ResponseWriter, req *http.Request) {
	fmt.Fprintln(w, "Good morning!")
}
