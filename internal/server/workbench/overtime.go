package workbench

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/server/files"
	"github.com/whet-go/whet/profile"
)

// overTimeSchema is the schema of OverTime.
const overTimeSchema = "whet.lines-over-time/1"

// Limits of a series.
const (
	seriesFiles = 50  // recordings of one, the newest
	seriesLines = 30  // lines of an answer without n
	maxSeries   = 500 // lines of an answer
)

// OverTime is what own lines cost in the recordings of one program, the oldest file first.
type OverTime struct {
	Schema     string            `json:"schema"`
	Program    string            `json:"program"`
	SampleType profile.ValueType `json:"sample_type"`
	Points     []TimePoint       `json:"points"`
	Lines      []TimeLine        `json:"lines"` // the largest share in any recording first
	Hidden     int               `json:"hidden"`
	Warnings   diag.Warnings     `json:"warnings,omitempty"`
}

// A TimePoint is one recording of a series.
type TimePoint struct {
	Name     string    `json:"name"`
	Taken    time.Time `json:"taken"`
	Total    int64     `json:"total"` // of the profile
	Own      int64     `json:"own"`   // what own lines cost
	Requests int64     `json:"requests,omitempty"`
}

// A TimeLine is an own line, which is the same in two recordings if its function and its text are, wherever it
// is in the file. Without its text, it is the same at the same place.
type TimeLine struct {
	Function string    `json:"function"`
	Path     string    `json:"path"`
	Code     string    `json:"code,omitempty"`
	Line     []int     `json:"line"`  // in each recording; 0 where it costs nothing
	Cost     []int64   `json:"cost"`  // in each recording
	Share    []float64 `json:"share"` // of the total of each recording
	most     float64
}

// overTime answers with the lines of the recordings of a file's program.
func (s *Server) overTime(w http.ResponseWriter, r *http.Request) error {
	q, err := readQuery(r)
	if err != nil {
		return err
	}
	n, err := q.number(seriesLines, maxSeries)
	if err != nil {
		return err
	}
	first, release, err := s.open(r, q, "")
	if err != nil {
		return err
	}
	defer release()
	doc := OverTime{
		Schema: overTimeSchema, Program: q.header(first).Program, SampleType: first.Type, Points: []TimePoint{},
		Lines: []TimeLine{},
	}
	lines := map[[2]string]*TimeLine{}
	for _, name := range s.series(q.File) {
		if err := r.Context().Err(); err != nil {
			return err
		}
		other := *q
		other.File = name
		if err := s.addToSeries(r, &other, q.File, &doc, lines); err != nil {
			doc.Warnings.Add(err)
		}
	}
	for _, l := range lines {
		for len(l.Cost) < len(doc.Points) {
			l.Line, l.Cost, l.Share = append(l.Line, 0), append(l.Cost, 0), append(l.Share, 0)
		}
		l.most = slices.Max(l.Share)
		doc.Lines = append(doc.Lines, *l)
	}
	slices.SortFunc(doc.Lines, func(a, b TimeLine) int {
		return cmp.Or(cmp.Compare(b.most, a.most), cmp.Compare(a.Function, b.Function), cmp.Compare(a.Code, b.Code))
	})
	if n > 0 && len(doc.Lines) > n {
		doc.Hidden, doc.Lines = len(doc.Lines)-n, doc.Lines[:n]
	}
	doc.Warnings = s.plain(doc.Warnings)
	return answer(w, doc)
}

// series returns the files that may be of the same series as a file, oldest first: those of its kind.
func (s *Server) series(name string) []string {
	list, _ := s.o.Files.List()
	kind := s.kindOf(name)
	var names []string
	for _, f := range list { // newest first
		if f.Kind == kind && (kind == files.Recording || kind == files.Profile) && len(names) < seriesFiles {
			names = append(names, f.Name)
		}
	}
	if !slices.Contains(names, name) {
		names = append(names, name)
	}
	slices.Reverse(names)
	return names
}

// addToSeries adds a recording, unless it is of another program or has no such profile. wanted is the file of
// the request, whose errors count.
func (s *Server) addToSeries(
	r *http.Request, q *query, wanted string, doc *OverTime, lines map[[2]string]*TimeLine,
) error {
	in, release, err := s.open(r, q, "")
	if err != nil {
		if q.File == wanted || r.Context().Err() != nil {
			return err
		}
		return nil //nolint:nilerr // the list says what is wrong with it
	}
	defer release()
	h := q.header(in)
	if h.Program != doc.Program || in.Type != doc.SampleType || !in.Own.Known {
		return nil
	}
	own := documents.NewOwn(h, in.View.Own(in.Own.Match), nil, 0, "").Own
	at := len(doc.Points)
	doc.Points = append(doc.Points, TimePoint{
		Name: q.File, Taken: h.Time, Total: h.Total, Own: own.Cost, Requests: s.requests(in),
	})
	source := s.inputs.Source(in)
	for i := range own.Lines {
		from := &own.Lines[i]
		code := ""
		if text, _, err := source(from.File); err == nil && from.Line > 0 && from.Line <= len(text) {
			code = strings.TrimSpace(text[from.Line-1])
		}
		key := [2]string{from.Function, cmp.Or(code, fmt.Sprintf("%s:%d", from.Path, from.Line))}
		l := lines[key]
		if l == nil {
			l = &TimeLine{Function: from.Function, Code: code}
			lines[key] = l
		}
		l.Path = from.Path
		for len(l.Cost) <= at {
			l.Line, l.Cost, l.Share = append(l.Line, 0), append(l.Cost, 0), append(l.Share, 0)
		}
		l.Line[at] = from.Line
		l.Cost[at] += from.Cost
		l.Share[at] = float64(l.Cost[at]) / math.Max(float64(h.Total), 1)
	}
	return nil
}
