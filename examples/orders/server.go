package main

import (
	"database/sql"
	"encoding/json"
	"log"
	"net/http"
	"sync"
	"time"
)

type server struct {
	repo    *repository
	pages   string
	visits  *visits
	popular *popular
	search  *search
	trail   *trail
	mailer  *mailer
	outbox  *outbox
	reserve sync.Mutex
}

func newServer(db *sql.DB, pages string) *server {
	return &server{
		repo:    &repository{db: db},
		pages:   pages,
		visits:  &visits{seen: map[string]time.Time{}},
		popular: &popular{count: map[int64]int64{}},
		search:  &search{results: map[string][]product{}},
		trail:   &trail{},
		mailer:  newMailer(),
		outbox:  newOutbox(),
	}
}

func (s *server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /products/{id}", s.showProduct)
	mux.HandleFunc("GET /customers/{customer}/orders", s.history)
	mux.HandleFunc("POST /orders", s.create)
	mux.HandleFunc("GET /search", s.find)
	mux.HandleFunc("POST /views", s.viewed)
	mux.HandleFunc("GET /popular", s.mostPopular)
	mux.HandleFunc("GET /shipping", s.shipping)
	mux.HandleFunc("GET /price", s.price)
	return s.logged(s.audited(mux))
}

// logged writes a line to the log for each request, and counts visitors.
func (s *server) logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started := time.Now()
		s.visits.add(r.Header.Get("X-Session"))
		next.ServeHTTP(w, r)
		log.Printf("%s %s from %s took %v", r.Method, r.URL.Path, r.RemoteAddr, time.Since(started))
	})
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		log.Printf("reply: %v", err)
	}
}
