package workbench

import (
	"net/http"
	"path"
	"strings"

	"github.com/whet-go/whet/internal/server/jobs"
	"github.com/whet-go/whet/internal/server/slow"
)

// long lets clients follow a job while a route computes an answer about a file, as package slow does.
func (s *Server) long(r route) route {
	r.Later = jobs.Job{}
	kind, _, _ := strings.Cut(strings.TrimPrefix(r.Path, "/"), "/")
	serve := r.serve
	r.serve = func(w http.ResponseWriter, r *http.Request) error {
		q := r.URL.Query()
		name := q.Get("file")
		// An answer of a store may be partial, which the header says.
		if s.stored.Has(name) || s.stored.Has(q.Get("diff_base")) {
			return serve(w, r)
		}
		key, _ := s.answerKey(r)
		return s.slow.Serve(w, r, key, jobs.Job{Kind: kind, Title: kind + " of " + path.Base(name)},
			slow.Handler(serve))
	}
	return r
}
