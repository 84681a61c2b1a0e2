package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/server/problem"
	"github.com/whet-go/whet/trace/timeline"
)

// A Page is the HTML document that draws the API's answers.
type Page struct {
	HTML []byte
	// Policy is its content security policy. It must allow connections to 'self'.
	Policy string
}

// Limits on what a request may ask for.
const (
	maxWidth = 10_000
	maxRows  = 1000
	maxIDs   = 1000
	maxText  = 1000 // of a regular expression or name, in bytes
)

// errRequest is the error for an invalid request.
var errRequest = errors.New("bad request")

// badRequest returns an error that explains what is wrong with a request.
func badRequest(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errRequest}, args...)...)
}

// New returns a handler for a timeline's API and the page that draws it. doc.go lists its paths.
func New(t *timeline.Timeline, page Page) http.Handler { return guard(page.Policy, Answers(t, page)) }

// Answers is New without the checks of requests, for servers that have their own. The page's policy
// is set with the page.
func Answers(t *timeline.Timeline, page Page) http.Handler {
	a := &api{t, t.Trace().Duration}
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Security-Policy", page.Policy)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page.HTML) // the client may be gone
	})
	mux.HandleFunc("/favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.Handle("/api/trace", answer(a.trace))
	mux.Handle("/api/rows", answer(a.rows))
	mux.Handle("/api/spans", answer(a.spans))
	mux.Handle("/api/metric", answer(a.metric))
	mux.Handle("/api/stack", answer(a.stack))
	a.details(mux)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeError(w, http.StatusNotFound, &diag.Error{
			Err:  fmt.Errorf("%s not found", r.URL.Path),
			Hint: "answers are below api/: trace, rows, spans, metric, stack, marks, stays, stacks, classes and utilization",
		})
	})
	return mux
}

// An answer computes the answer to a request from its parameters.
type answer func(r *http.Request, q *params) (any, error)

func (f answer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		writeError(w, http.StatusBadRequest, err)
		return
	}
	q := &params{values: values}
	doc, err := f(r, q)
	switch {
	case err == nil:
		write(w, http.StatusOK, "application/json", doc)
	case errors.Is(err, errRequest), errors.Is(err, timeline.ErrQuery):
		writeError(w, http.StatusBadRequest, err)
	case r.Context().Err() != nil:
		// The client no longer waits for the answer.
		writeError(w, http.StatusServiceUnavailable, err)
	default:
		writeError(w, http.StatusInternalServerError, err)
	}
}

func writeError(w http.ResponseWriter, code int, err error) {
	problem.Write(w, code, err.Error(), diag.Hint(err))
}

func write(w http.ResponseWriter, code int, kind string, doc any) {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(doc); err != nil {
		writeError(w, http.StatusInternalServerError, fmt.Errorf("write the answer: %w", err))
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(code)
	_, _ = w.Write(b.Bytes()) // the client may be gone
}

// params reads parameters. err is the first error.
type params struct {
	values url.Values
	err    error
}

// text returns a parameter of at most maxText bytes.
func (p *params) text(name string) string {
	v := p.values.Get(name)
	if len(v) > maxText {
		p.fail(name, fmt.Sprintf("it has more than %d bytes", maxText))
		return ""
	}
	return v
}

// number returns a parameter within bounds, or missing if it is absent.
func (p *params) number(name string, least, most, missing int64) int64 {
	text := p.values.Get(name)
	if text == "" {
		return missing
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v < least || v > most {
		p.fail(name, fmt.Sprintf("%.40q is not a whole number between %d and %d", text, least, most))
	}
	return v
}

// hints are what to do about parameters that are refused.
//
//nolint:gochecknoglobals // it is constant
var hints = map[string]string{
	"ids":   "api/rows lists the ids of rows, such as g1 and p0, and spans have the numbers of their stacks",
	"match": `this is a Go regular expression; escape . ( ) [ ] * + ? with \ to match them literally`,
	"from":  "times are nanoseconds since the start of the trace",
	"to":    "times are nanoseconds since the start of the trace",
}

func (p *params) fail(name, what string) {
	if p.err == nil {
		p.err = &diag.Error{Err: badRequest("%s: %s", name, what), Hint: hints[name]}
	}
}

// window returns a part of the trace; all of it without parameters.
func (p *params) window(duration int64) (from, to int64) {
	const most = 1 << 62
	from, to = p.number("from", 0, most, 0), p.number("to", 0, most, duration)
	to = min(to, duration)
	if from > to && p.err == nil {
		p.err = badRequest("from %d is after to %d, in a trace of %d", from, to, duration)
	}
	return from, to
}

// ids returns the requested rows.
func (p *params) ids() []string {
	text := p.values.Get("ids")
	if text == "" {
		return nil
	}
	if strings.Count(text, ",") >= maxIDs {
		p.fail("ids", fmt.Sprintf("there are more than %d", maxIDs))
		return nil
	}
	return strings.Split(text, ",")
}

// api answers queries about a timeline.
type api struct {
	t        *timeline.Timeline
	duration int64
}

func (a *api) trace(*http.Request, *params) (any, error) { return a.t.Trace(), nil }

func (a *api) rows(r *http.Request, p *params) (any, error) {
	if ids := p.ids(); ids != nil || p.err != nil {
		if p.err != nil {
			return nil, p.err
		}
		rows, err := a.t.RowsByID(ids)
		if err != nil {
			return nil, err
		}
		return timeline.RowList{Total: len(rows), Rows: rows}, nil
	}
	q := timeline.RowQuery{Type: p.text("type"), Order: p.text("order")}
	q.From, q.To = p.window(a.duration)
	q.Skip = int(p.number("skip", 0, 1<<31, 0))
	q.Limit = int(p.number("limit", 1, maxRows, 100))
	if match := p.text("match"); match != "" {
		var err error
		if q.Match, err = regexp.Compile(match); err != nil {
			p.fail("match", err.Error())
		}
	}
	if p.err != nil {
		return nil, p.err
	}
	return a.t.Rows(r.Context(), q)
}

func (a *api) spans(r *http.Request, p *params) (any, error) {
	q := timeline.SpanQuery{Width: int(p.number("width", 1, maxWidth, 1000)), IDs: p.ids()}
	q.From, q.To = p.window(a.duration)
	if p.err != nil {
		return nil, p.err
	}
	if len(q.IDs) == 0 {
		p.fail("ids", "missing")
		return nil, p.err
	}
	return a.t.Spans(r.Context(), q)
}

func (a *api) metric(_ *http.Request, p *params) (any, error) {
	name, width := p.text("name"), int(p.number("width", 1, maxWidth, 1000))
	from, to := p.window(a.duration)
	if p.err != nil {
		return nil, p.err
	}
	return a.t.Metric(name, from, to, width)
}

func (a *api) stack(_ *http.Request, p *params) (any, error) {
	if ids := p.ids(); ids != nil || p.err != nil {
		return a.manyStacks(ids, p)
	}
	n := p.number("n", 0, 1<<32-1, 0)
	if p.err != nil {
		return nil, p.err
	}
	return a.t.Frames(uint32(n)), nil
}
