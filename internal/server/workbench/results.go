package workbench

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"path"

	"github.com/whet-go/whet/internal/diag"
	reports "github.com/whet-go/whet/internal/report/findings"
	"github.com/whet-go/whet/internal/server/files"
)

// bench answers with the benchmarks of a file, or of two, compared, as data or as a self-contained page.
func (s *Server) bench(w http.ResponseWriter, r *http.Request) error {
	given := r.URL.Query()
	b, err := s.results.Bench(r.Context(), given.Get("file"), given.Get("base"))
	if err != nil {
		return err
	}
	if b.Compared != nil {
		b.Compared.Warnings = s.plain(b.Compared.Warnings)
	}
	doc, err := b.Document()
	if err != nil {
		return err
	}
	return answerOr(w, r, doc, b.WritePage)
}

// proof answers with a proof, as data or as a self-contained page.
func (s *Server) proof(w http.ResponseWriter, r *http.Request) error {
	doc, err := s.results.Proof(r.URL.Query().Get("file"))
	if err != nil {
		return err
	}
	return answerOr(w, r, doc, func(w io.Writer) error { return reports.Prove(doc).WritePage(w) })
}

// fixes answers with the outcomes of rewrites, as data or as a self-contained page.
func (s *Server) fixes(w http.ResponseWriter, r *http.Request) error {
	doc, err := s.results.Fixes(r.URL.Query().Get("file"))
	if err != nil {
		return err
	}
	return answerOr(w, r, doc, func(w io.Writer) error { return reports.Fix(doc).WritePage(w) })
}

// answerOr answers with doc or, if the request asks for html, with the page that write writes.
func answerOr(w http.ResponseWriter, r *http.Request, doc any, write func(io.Writer) error) error {
	switch format := r.URL.Query().Get("format"); format {
	case "", "json":
		return answer(w, doc)
	case "html":
		var b bytes.Buffer
		if err := write(&b); err != nil {
			return err
		}
		savedPage(w, path.Base(r.URL.Query().Get("file"))+".html", b.Bytes())
		return nil
	default:
		return diag.Usagef("format", fmt.Sprintf("unknown format %.40q (want json or html)", format), "")
	}
}

// kindOf returns what a file is; "" if it is unknown.
func (s *Server) kindOf(name string) files.Kind {
	list, _ := s.o.Files.List()
	for _, f := range list {
		if f.Name == name {
			return f.Kind
		}
	}
	return ""
}
