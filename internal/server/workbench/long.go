package workbench

import (
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/server/jobs"
	"github.com/whet-go/whet/internal/server/slow"
	"github.com/whet-go/whet/profile"
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

// sourceNotes answers with the compiler's notes on a source file of a profile, which must be one of the module that the
// server was started in.
func (s *Server) sourceNotes(w http.ResponseWriter, r *http.Request) error {
	q, err := readQuery(r)
	if err != nil {
		return err
	}
	in, release, err := s.open(r, q, "line")
	if err != nil {
		return err
	}
	defer release()
	name := r.URL.Query().Get("source")
	if !slices.ContainsFunc(in.Profile.Functions, func(f profile.Function) bool { return f.File == name }) {
		return diag.Usagef("source", fmt.Sprintf("the profile has no function in %q", name), apiBase+"/list has the files")
	}
	a, err := s.compiler.Notes(r.Context(), name, s.inputs.Source(in))
	if err != nil {
		return err
	}
	a.Warnings = s.plain(a.Warnings)
	return answer(w, a)
}
