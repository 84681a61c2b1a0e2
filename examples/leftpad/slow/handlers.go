package slow

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"strconv"
	"time"
	"unicode/utf8"
)

// Limits of requests: padding takes quadratic time.
const (
	maxText  = 1024 // bytes
	maxWidth = 1024 // characters
)

// Server holds what the handlers share. Neither field may be nil.
type Server struct {
	Stats *StatsD
	Log   *log.Logger
}

// Routes are the routes of the service.
func (s *Server) Routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/leftpad/{$}", s.Timed("leftpad", s.HandleLeftpad))
	return mux
}

// Timed counts the requests to next and measures how long they take.
func (s *Server) Timed(name string, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		begin := time.Now()
		next(w, r)
		took := time.Since(begin)
		s.Stats.Timing(fmt.Sprintf("request.%s.timing", name), took)
		s.Stats.Count(fmt.Sprintf("request.%s.count", name))
		s.Log.Printf("request %s took %v", name, took)
	}
}

type leftpadAnswer struct {
	Str string `json:"str"`
}

// HandleLeftpad answers GET /v1/leftpad/?str=TEXT&len=WIDTH&chr=FILL.
func (s *Server) HandleLeftpad(w http.ResponseWriter, r *http.Request) {
	s.Log.Printf("request url=%s remote=%s agent=%q", r.RequestURI, r.RemoteAddr, r.UserAgent())

	text, width, fill, err := leftpadQuery(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.Stats.Histogram("request.leftpad.len", float64(width))

	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if err := json.NewEncoder(w).Encode(leftpadAnswer{Leftpad(text, width, fill)}); err != nil {
		s.Log.Printf("answer %s: %v", r.RemoteAddr, err)
	}
}

// leftpadQuery reads and checks the query. The fill is a space by default.
func leftpadQuery(r *http.Request) (text string, width int, fill rune, err error) {
	text = r.FormValue("str")
	if len(text) > maxText {
		return "", 0, 0, fmt.Errorf("str: %d bytes, more than %d", len(text), maxText)
	}
	width, err = strconv.Atoi(r.FormValue("len"))
	if err != nil || width < 0 || width > maxWidth {
		return "", 0, 0, fmt.Errorf("len %q (want a number from 0 to %d)", r.FormValue("len"), maxWidth)
	}
	fill = ' '
	if chr := r.FormValue("chr"); chr != "" {
		var size int
		fill, size = utf8.DecodeRuneInString(chr)
		if size != len(chr) || fill == utf8.RuneError {
			return "", 0, 0, fmt.Errorf("chr %q (want one character)", chr)
		}
	}
	return text, width, fill, nil
}
