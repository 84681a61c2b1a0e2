package workbench

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"regexp"
	"strings"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/input/diff"
	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/input/listing"
	"github.com/whet-go/whet/internal/input/machinecode"
	"github.com/whet-go/whet/internal/input/sequence"
	"github.com/whet-go/whet/internal/profile/flame"
	"github.com/whet-go/whet/internal/profile/owncode"
	"github.com/whet-go/whet/internal/report/pages"
	"github.com/whet-go/whet/internal/report/pictures"
	"github.com/whet-go/whet/internal/report/profiles"
	"github.com/whet-go/whet/internal/server/openapi"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording/work"
	"github.com/whet-go/whet/source/objfile"
)

// Defaults and limits of views.
const (
	topLines  = 500
	maxLines  = 100_000
	graphSize = 40 // boxes that a first look takes in
	maxGraph  = 400
	maxTags   = 1000
)

// top answers with the most expensive own lines, or with all=true all functions.
func (s *Server) top(w http.ResponseWriter, r *http.Request) error {
	q, err := readQuery(r)
	if err != nil {
		return err
	}
	n, err := q.number(topLines, maxLines)
	if err != nil {
		return err
	}
	in, release, err := s.open(r, q, "")
	if err != nil {
		return err
	}
	defer release()
	all := q.given.Get("all") == "true"
	var doc documents.Top
	if all || !in.Own.Known || q.By != "" {
		doc = documents.NewTop(q.header(in), in.View, n, q.given.Get("cum") == "true", "")
	} else {
		also, err := second(in)
		if err != nil {
			return err
		}
		doc = documents.NewOwn(q.header(in), in.View.Own(in.Own.Match), also, n, "")
	}
	if q.Base == "" {
		doc.Collector = documents.CollectorOf(in)
	}
	doc.Warnings = s.warnings(in)
	return answer(w, doc)
}

// second returns the other main profile of a recording, as whet top shows it; nil if there is none.
func second(in *input.Input) (*owncode.Second, error) {
	v, part, err := in.Also()
	if v == nil || err != nil {
		return nil, err
	}
	return &owncode.Second{Profile: part, SampleType: v.Type(), Total: v.Total(), Report: v.Own(in.Own.Match)}, nil
}

// tags answers with the labels of samples.
func (s *Server) tags(w http.ResponseWriter, r *http.Request) error {
	q, err := readQuery(r)
	if err != nil {
		return err
	}
	n, err := q.number(20, maxTags)
	if err != nil {
		return err
	}
	in, release, err := s.open(r, q, "")
	if err != nil {
		return err
	}
	defer release()
	doc := documents.NewTags(q.header(in), in.View, n)
	const maxKeys = 100 // a hostile profile has a million
	doc.Warnings = s.warnings(in)
	if n := len(doc.Keys); n > maxKeys {
		doc.Keys = doc.Keys[:maxKeys]
		doc.Warnings.Addf("there are %d labels: the %d with the highest cost are listed", n, maxKeys)
	}
	return answer(w, doc)
}

// functions returns the expression that selects functions in a request.
func (q *query) functions() (*regexp.Regexp, error) {
	if name := q.given.Get("function"); name != "" {
		return regexp.Compile("^" + regexp.QuoteMeta(name) + "$")
	}
	re, err := compile("match", q.given.Get("match"))
	if err == nil && re == nil {
		err = diag.Usagef("function", "no function is named", "name it exactly, or give a regular expression as match")
	}
	return re, err
}

// functionParams describes the parameters that functions reads.
func functionParams() []openapi.Param {
	return []openapi.Param{
		{Name: "function", About: "the exact name of a function"},
		{Name: "match", About: "a regular expression of names, instead of function"},
	}
}

// list answers with the source of functions and the cost of its lines.
func (s *Server) list(w http.ResponseWriter, r *http.Request) error {
	q, err := readQuery(r)
	if err != nil {
		return err
	}
	re, err := q.functions()
	if err != nil {
		return err
	}
	in, release, err := s.open(r, q, "line")
	if err != nil {
		return err
	}
	defer release()
	doc, err := documents.NewList(q.header(in), in.View,
		listing.ListOptions{Match: re, Source: s.inputs.Source(in), Context: -1})
	if err != nil {
		return noFunction("list", re, err)
	}
	doc.Functions = doc.Functions[:min(len(doc.Functions), maxListed)]
	for i := range doc.Functions {
		doc.Functions[i].Source = s.o.Files.Plain(doc.Functions[i].Source)
		doc.Functions[i].NoSource = s.o.Files.Plain(doc.Functions[i].NoSource)
	}
	doc.Warnings = s.warnings(in)
	return answer(w, doc)
}

// maxListed is the number of functions that one answer has the source of.
const maxListed = 20

func noFunction(op string, re *regexp.Regexp, err error) error {
	if errors.Is(err, listing.ErrNoMatch) {
		return &diag.Error{
			Op: op, Subject: re.String(), Err: err, Kind: diag.Usage,
			Hint: "the function has no cost of this sample type, or the filters drop it",
		}
	}
	return err
}

// disasm answers with the machine code of functions and the cost of its instructions.
func (s *Server) disasm(w http.ResponseWriter, r *http.Request) error {
	q, err := readQuery(r)
	if err != nil {
		return err
	}
	re, err := q.functions()
	if err != nil {
		return err
	}
	p, err := q.profile("address")
	if err != nil {
		return err
	}
	p.NoInlines = true
	part, sample := q.part()
	in, release, err := s.inputs.Open(r.Context(), q.File, part, "")
	if err != nil {
		return err
	}
	defer release()
	if in, err = bind(in, sample, p); err != nil {
		return err
	}
	code := machinecode.Of(in, "")
	defer code.Close()
	doc, err := documents.NewDisasm(q.header(in), in.View, listing.DisasmOptions{
		Match: re, Code: code.Mapping, Source: s.inputs.Source(in), Syntax: objfile.GoSyntax, Context: -1,
	})
	if err != nil {
		if callers := in.Profile.InlinedInto(re, 3); errors.Is(err, listing.ErrNoMatch) && len(callers) > 0 {
			return &diag.Error{
				Op: "disasm", Err: errors.New("the function is inlined everywhere and has no machine code"), Kind: diag.Usage,
				Hint: fmt.Sprintf("it is inlined into %v", callers),
			}
		}
		return noFunction("disasm", re, err)
	}
	doc.Functions = doc.Functions[:min(len(doc.Functions), maxListed)]
	doc.Warnings = append(s.warnings(in), code.Warnings...)
	return answer(w, doc)
}

// flame answers with the flame graph: packed for the page, as JSON, or as a self-contained page.
func (s *Server) flame(w http.ResponseWriter, r *http.Request) error {
	q, err := readQuery(r)
	if err != nil {
		return err
	}
	if q.given.Get("below") != "" && (q.given.Get("order") == "time" || q.given.Get("format") == "html") {
		return diag.Usagef("below", "a part of the tree is neither in the order of time nor a page", "want json or packed")
	}
	in, release, err := s.open(r, q, "")
	if err != nil {
		return err
	}
	defer release()
	doc, err := s.flameInput(q, in)
	switch order := q.given.Get("order"); {
	case err != nil:
	case order == "time":
		err = s.inOrder(r, q, in, &doc)
	case order != "" && order != "cost":
		err = diag.Usagef("order", fmt.Sprintf("unknown order %.40q (want cost or time)", order), "")
	}
	if err != nil {
		return err
	}
	var b bytes.Buffer
	kind := ""
	switch format := q.given.Get("format"); format {
	case "", "json":
		w.Header().Set("Content-Type", "application/json")
		return pictures.FlameJSON(w, doc)
	case "packed":
		kind, err = "application/octet-stream", pictures.FlamePacked(&b, doc)
	case "html":
		if q.given.Get("all") == "true" && !doc.Views[0].Ordered {
			if err := s.addOtherParts(r, q, in, &doc); err != nil {
				return err
			}
		}
		kind, err = "text/html; charset=utf-8", pictures.Flame(&b, doc)
		w.Header().Set("Content-Disposition", `attachment; filename="`+attachment(q.File, in.Part)+`"`)
	default:
		return diag.Usagef("format", fmt.Sprintf("unknown format %q (want json, packed or html)", format), "")
	}
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(b.Bytes()) // the client may be gone
	return nil
}

// attachment returns the name of a page's file, with characters that headers may have.
func attachment(file, part string) string {
	name := []byte(pictures.FlameFile(path.Base(file), part))
	for i, c := range name {
		if c < ' ' || c >= 0x7f || c == '"' || c == '\\' || c == '/' {
			name[i] = '_'
		}
	}
	return string(name)
}

func (s *Server) flameInput(q *query, in *input.Input) (pictures.FlameInput, error) {
	doc := pictures.FlameInput{
		Title: path.Base(q.File), Facts: profiles.FlameFacts(q.header(in)), Warnings: s.warnings(in),
	}
	if in.Part != "" {
		doc.Title += " · " + in.Part
	}
	frame := flame.Frames(in.Profile, in.View.Query().By, in.Own.Matcher())
	if below := q.given.Get("below"); below != "" {
		view, ok := flame.Below(in.View, strings.Split(below, "\n"), frame)
		if !ok {
			return doc, diag.Usagef("below", "no sample has this path",
				"it has the names of functions from the outermost down, one a line")
		}
		doc.Views = []flame.View{view}
		return doc, nil
	}
	views, err := flame.Views(in.Profile, in.View, frame)
	doc.Views = views
	return doc, err
}

// inOrder replaces the views by that of the CPU samples of the recording's trace.
func (s *Server) inOrder(r *http.Request, q *query, in *input.Input, doc *pictures.FlameInput) error {
	if in.Recording == nil || in.Type.Type != "cpu" || q.Base != "" || q.TagRoot != "" {
		return diag.Usagef("order", "only the CPU samples of a recording with an execution trace have times",
			"choose cpu as the type, without a base and labels")
	}
	t, release, err := s.traces.Open(r.Context(), q.File)
	if err != nil {
		return err
	}
	defer release()
	view, warnings, err := sequence.New(t.Index, in)
	if err != nil {
		return err
	}
	doc.Views = []flame.View{view}
	doc.Warnings.AddNew(warnings...)
	return nil
}

// addOtherParts adds the sample types of the other profiles of a recording, each named by its
// profile, so that the page has the whole recording.
func (s *Server) addOtherParts(r *http.Request, q *query, in *input.Input, doc *pictures.FlameInput) error {
	if in.Recording == nil || q.Base != "" {
		return nil
	}
	doc.Title, doc.Facts = path.Base(q.File), append(pages.Facts{}, doc.Facts...)
	name := func(views []flame.View, part string) {
		for i := range views {
			if views[i].Type.Type != part {
				views[i].Type.Type = part + " · " + views[i].Type.Type
			}
		}
	}
	name(doc.Views, in.Part)
	for _, part := range in.Recording.ProfileNames() {
		if part == in.Part {
			continue
		}
		other := *q
		other.Type = part
		in, release, err := s.open(r, &other, "")
		if err != nil {
			doc.Warnings.Add(err)
			continue
		}
		more, err := s.flameInput(&other, in)
		release()
		if err != nil {
			return err
		}
		name(more.Views, part)
		doc.Views = append(doc.Views, more.Views...)
	}
	return nil
}

// graph answers with the call graph, as a drawing or as JSON.
func (s *Server) graph(w http.ResponseWriter, r *http.Request) error {
	q, err := readQuery(r)
	if err != nil {
		return err
	}
	n, err := q.number(graphSize, maxGraph)
	if err != nil {
		return err
	}
	in, release, err := s.open(r, q, "")
	if err != nil {
		return err
	}
	defer release()
	if in.View.Query().By == profile.ByLabel {
		return diag.Usagef("by", "labels have no call graph", apiBase+"/tags lists them")
	}
	if n == 0 {
		n = maxGraph
	}
	kind := flame.Frames(in.Profile, in.View.Query().By, in.Own.Matcher())
	doc := documents.NewCallGraph(q.header(in), in.View, documents.GraphOptions{
		Nodes: n, NodeFraction: documents.GraphNodeFraction, EdgeFraction: documents.GraphEdgeFraction,
		Kind: func(n profile.Node) flame.Kind { return kind(n).Kind },
	})
	doc.Warnings = s.warnings(in)
	var b bytes.Buffer
	write := map[string]struct {
		kind string
		to   func(io.Writer) error
	}{
		"dot": {"text/vnd.graphviz", func(w io.Writer) error { return pictures.WriteGraphDOT(w, doc) }},
		"svg": {"image/svg+xml", func(w io.Writer) error { return pictures.WriteGraphSVG(r.Context(), w, s.graphs, doc) }},
		"screen": {"image/svg+xml", func(w io.Writer) error {
			return pictures.WriteGraphScreen(r.Context(), w, s.graphs, doc)
		}},
	}
	format := q.given.Get("format")
	if format == "" || format == "json" {
		return answer(w, doc)
	}
	f, ok := write[format]
	if !ok {
		return diag.Usagef("format", fmt.Sprintf("unknown format %q (want json, svg, screen or dot)", format), "")
	}
	if err := f.to(&b); err != nil {
		return err
	}
	w.Header().Set("Content-Type", f.kind)
	_, _ = w.Write(b.Bytes()) // the client may be gone
	return nil
}

// diff answers with the comparison of two files.
func (s *Server) diff(w http.ResponseWriter, r *http.Request) error {
	q, err := readQuery(r)
	if err != nil {
		return err
	}
	n, err := q.number(topLines, maxLines)
	if err != nil {
		return err
	}
	name := q.Base
	if name == "" {
		return diag.Usagef("diff_base", "no file to compare with is named", "it is the earlier one")
	}
	q.Base = ""
	after, release, err := s.open(r, q, "")
	if err != nil {
		return err
	}
	defer release()
	a := *q
	a.File = name
	before, releaseBase, err := s.open(r, &a, "")
	if err != nil {
		return err
	}
	defer releaseBase()
	by := after.View.Query().By
	opt := diff.Options{
		By: by, N: n, Cum: q.given.Get("cum") == "true", Normalize: q.given.Get("normalize") == "true",
		Own: q.given.Get("all") != "true" && before.Own.Known && after.Own.Known &&
			(by == profile.ByFunction || by == profile.ByLine),
	}
	if !opt.Normalize && work.PerRequest(after.Type.Type) {
		opt.Work, opt.NoWork = input.Between(r.Context(), before, after)
	}
	of := func(in *input.Input, name string) diff.Input {
		side := diff.Of(in)
		side.Name, side.Source = name, s.inputs.Source(in)
		return side
	}
	doc, err := diff.New(of(before, name), of(after, q.File), opt)
	if err != nil {
		return &diag.Error{Err: err, Kind: diag.Usage, Hint: "choose a sample type that both have"}
	}
	doc.Recorded = before.Recording != nil || after.Recording != nil
	warnings := s.warnings(before)
	warnings.AddNew(s.warnings(after)...)
	doc.Warnings = append(warnings, s.plain(doc.Warnings)...)
	return answer(w, doc)
}
