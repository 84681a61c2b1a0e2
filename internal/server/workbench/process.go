package workbench

import (
	"net/http"
	"path"
	"slices"

	"github.com/whet-go/whet/goroutines"
	"github.com/whet-go/whet/internal/diag"
)

// Limits on the groups of goroutines in an answer.
const (
	usualGroups = 1000
	maxGroups   = 10_000
)

// goroutines answers with the goroutines of a recording or profile: what they wait for, and who
// started them.
func (s *Server) goroutines(w http.ResponseWriter, r *http.Request) error {
	q, err := readQuery(r)
	if err != nil {
		return err
	}
	n, err := q.number(usualGroups, maxGroups)
	if err != nil {
		return err
	}
	o := goroutines.ReportOptions{N: n, Filters: q.filters()}
	if o.Focus, err = compile("focus", q.Focus); err != nil {
		return err
	}
	if o.Ignore, err = compile("ignore", q.Ignore); err != nil {
		return err
	}
	name := q.File
	place, err := s.o.Files.Path(name)
	if err != nil {
		return err
	}
	seen, err := s.inputs.Opener("goroutines").Goroutines(r.Context(), place, false)
	if err != nil {
		return err
	}
	if seen.Start != nil {
		seen.Snapshot.CompareWith(seen.Start)
	}
	o.Trace, o.Leaks = seen.Trace, seen.Leaks
	o.Own, o.OwnModules = seen.Own(s.o.Own)
	doc := goroutines.NewReport(seen.Snapshot, o)
	doc.Name, doc.Warnings = path.Base(name), s.plain(doc.Warnings)
	return answer(w, doc)
}

// memory answers with the account of a recording's memory.
func (s *Server) memory(w http.ResponseWriter, r *http.Request) error {
	name := r.URL.Query().Get("file")
	place, err := s.o.Files.Path(name)
	if err != nil {
		return err
	}
	doc, err := s.inputs.Opener("memory").Memory(r.Context(), place)
	if err != nil {
		return err
	}
	doc.Name, doc.Warnings = path.Base(name), s.plain(doc.Warnings)
	return answer(w, *doc)
}

// plain returns warnings that name files as the page does.
func (s *Server) plain(ws diag.Warnings) diag.Warnings {
	ws = slices.Clone(ws)
	for i := range ws {
		ws[i].Text, ws[i].Where = s.o.Files.Plain(ws[i].Text), s.o.Files.Plain(ws[i].Where)
	}
	return ws
}
