package workbench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/history"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/bench/rounds"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report/benchmarks"
	"github.com/whet-go/whet/internal/report/blocks"
	reports "github.com/whet-go/whet/internal/report/findings"
	"github.com/whet-go/whet/internal/server/files"
	"github.com/whet-go/whet/prove"
)

// maxResult is the size of the largest file with results, in bytes.
const maxResult = 64 << 20

// BenchResult is what a page about a file with benchmarks shows. One of its fields is set.
type BenchResult struct {
	Measured *benchmarks.Document        `json:"measured,omitempty"` // one run, or two builds compared
	History  *benchmarks.HistoryDocument `json:"history,omitempty"`  // along commits
}

// bench answers with the benchmarks of a file: the output of go test -bench, or what whet bench
// writes with --json.
func (s *Server) bench(w http.ResponseWriter, r *http.Request) error {
	name := r.URL.Query().Get("file")
	doc, err := s.benchOf(r.Context(), name)
	if err != nil {
		return err
	}
	return answer(w, doc)
}

func (s *Server) benchOf(ctx context.Context, name string) (doc *BenchResult, err error) {
	data, err := s.result(name)
	if err != nil {
		return nil, err
	}
	unreadable := func(err error) error {
		return &diag.Error{
			Op: "read benchmarks", Subject: name, Err: err,
			Hint: "`go test -bench` and `whet bench --json` write such files",
		}
	}
	// The file may be from elsewhere, and refer to commits or machines that it does not have.
	defer func() {
		if p := recover(); p != nil {
			doc, err = nil, unreadable(errors.New("its parts contradict each other"))
		}
	}()
	if !bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		c, err := bench.Compare(ctx, []bench.Input{{Path: "-", Label: path.Base(name)}}, bench.Options{
			Ignore: strings.Join(bench.DescriptiveKeys(), ","), Stdin: bytes.NewReader(data),
		})
		if err != nil {
			return nil, unreadable(err)
		}
		c.Warnings = s.plain(c.Warnings)
		d := benchmarks.NewDocument(c)
		return &BenchResult{Measured: &d}, nil
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, unreadable(err)
	}
	doc = &BenchResult{}
	switch head.Schema {
	case bench.Schema:
		var c bench.Comparison
		if err := json.Unmarshal(data, &c); err != nil {
			return nil, unreadable(err)
		}
		d := benchmarks.NewDocument(&c)
		doc.Measured = &d
	case rounds.Schema:
		var r rounds.Result
		if err := json.Unmarshal(data, &r); err != nil {
			return nil, unreadable(err)
		}
		r.Summary.Warnings = r.Warnings
		d := benchmarks.NewDocument(&r.Summary)
		doc.Measured = &d
	case ab.Schema:
		var c ab.Result
		if err := json.Unmarshal(data, &c); err != nil {
			return nil, unreadable(err)
		}
		d := benchmarks.NewABDocument(&c)
		doc.Measured = &d
	case history.Schema:
		var h history.Report
		if err := json.Unmarshal(data, &h); err != nil {
			return nil, unreadable(err)
		}
		d := benchmarks.NewHistoryDocument(&h)
		doc.History = &d
	default:
		return nil, unreadable(fmt.Errorf("unknown schema %.40q (want %q, %q, %q or %q)",
			head.Schema, rounds.Schema, bench.Schema, ab.Schema, history.Schema))
	}
	return doc, nil
}

// findingsOf returns the findings in a file that whet find --json wrote.
func (s *Server) findingsOf(name string) (*find.Result, error) {
	doc := &find.Result{}
	return doc, s.document(name, "findings", find.Schema, "find", doc)
}

// proofOf returns the proof in a file that whet prove --json wrote.
func (s *Server) proofOf(name string) (*prove.Result, error) {
	doc := &prove.Result{}
	return doc, s.document(name, "proof", prove.Schema, "prove", doc)
}

// fixesOf returns the outcomes in a file that whet fix --json wrote.
func (s *Server) fixesOf(name string) (*fix.Result, error) {
	doc := &fix.Result{}
	return doc, s.document(name, "fixes", fix.Schema, "fix", doc)
}

// document reads what a command wrote with --json into doc. what is what the file has, and schema its
// version.
func (s *Server) document(name, what, schema, command string, doc any) error {
	data, err := s.result(name)
	if err != nil {
		return err
	}
	var head struct {
		Schema string `json:"schema"`
	}
	err = json.Unmarshal(data, &head)
	if err == nil && head.Schema != schema {
		err = fmt.Errorf("unknown schema %.40q (want %q)", head.Schema, schema)
	}
	if err == nil {
		err = json.Unmarshal(data, doc)
	}
	if err != nil {
		return &diag.Error{
			Op: "read " + what, Subject: name, Err: err, Hint: "`whet " + command + " --json` writes such files",
		}
	}
	return nil
}

// proof answers with a proof, as data or as a self-contained page.
func (s *Server) proof(w http.ResponseWriter, r *http.Request) error {
	name := r.URL.Query().Get("file")
	doc, err := s.proofOf(name)
	if err != nil {
		return err
	}
	return answerOr(w, r, doc, func() *blocks.Document { return reports.Prove(doc) })
}

// fixes answers with the outcomes of rewrites, as data or as a self-contained page.
func (s *Server) fixes(w http.ResponseWriter, r *http.Request) error {
	name := r.URL.Query().Get("file")
	doc, err := s.fixesOf(name)
	if err != nil {
		return err
	}
	return answerOr(w, r, doc, func() *blocks.Document { return reports.Fix(doc) })
}

// answerOr answers with doc or, if the request asks for html, with the page of its report.
func answerOr(w http.ResponseWriter, r *http.Request, doc any, report func() *blocks.Document) error {
	switch format := r.URL.Query().Get("format"); format {
	case "", "json":
		return answer(w, doc)
	case "html":
		var b bytes.Buffer
		if err := report().WritePage(&b); err != nil {
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

// result returns the contents of a file.
func (s *Server) result(name string) ([]byte, error) {
	place, err := s.o.Files.Path(name)
	if err != nil {
		return nil, err
	}
	f, err := s.o.Files.OpenFile(place)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // was only read
	data, err := io.ReadAll(io.LimitReader(f, maxResult+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(data) > maxResult {
		return nil, &diag.Error{Op: "read", Subject: name, Err: fmt.Errorf("more than %d MB", maxResult>>20)}
	}
	return data, nil
}
