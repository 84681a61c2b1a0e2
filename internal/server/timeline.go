package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/server/openapi"
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

// Base is the path of the API.
const Base = "/api/v1"

// A Source returns the timeline that a request is about. release must be called when it is no longer used.
type Source func(r *http.Request) (t *timeline.Timeline, release func(), err error)

// A Route is an operation of the API and what answers it. Serve returns an error before it has written anything:
// one of the kind [diag.Usage], or [timeline.ErrQuery], if the request is invalid.
type Route struct {
	openapi.Operation

	Serve func(w http.ResponseWriter, r *http.Request) error
}

// New returns a handler for a timeline's API and the page that draws it. doc.go lists its paths.
func New(t *timeline.Timeline, page Page) (http.Handler, error) {
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page.HTML) // the client may be gone
	})
	mux.HandleFunc("/favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	var ops []openapi.Operation
	for _, r := range Routes(func(*http.Request) (*timeline.Timeline, func(), error) { return t, func() {}, nil }) {
		mux.HandleFunc(Base+r.Path, handle(r))
		ops = append(ops, r.Operation)
	}
	doc, err := json.MarshalIndent(openapi.Document("whet trace timeline", "1", Base, problem.Problem{}, ops), "", "  ")
	if err != nil {
		return nil, fmt.Errorf("describe the API: %w", err)
	}
	mux.HandleFunc(Base+"/openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(doc) // the client may be gone
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeError(w, http.StatusNotFound, &diag.Error{
			Err: fmt.Errorf("%s not found", r.URL.Path), Hint: Base + "/openapi.json describes the API",
		})
	})
	return guard(page.Policy, mux), nil
}

// handle answers with a route, or its error as a problem.
func handle(route Route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := route.Serve(w, r)
		switch {
		case err == nil:
		case diag.ExitCode(err) == diag.Usage.ExitCode(), errors.Is(err, timeline.ErrQuery):
			writeError(w, http.StatusBadRequest, err)
		case r.Context().Err() != nil:
			// The client no longer waits for the answer.
			writeError(w, http.StatusServiceUnavailable, err)
		default:
			writeError(w, http.StatusInternalServerError, err)
		}
	}
}

func writeError(w http.ResponseWriter, code int, err error) {
	problem.Write(w, code, err.Error(), diag.Hint(err))
}

// write answers with a document. It is not indented as by --json: the page reads thousands of spans.
func write(w http.ResponseWriter, doc any) error {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(doc); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
	_, _ = w.Write(b.Bytes()) // the client may be gone
	return nil
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
	"ids":   "/timeline/rows lists the ids of rows, such as g1 and p0, and spans have the numbers of their stacks",
	"match": `this is a Go regular expression; escape . ( ) [ ] * + ? with \ to match them literally`,
	"from":  "times are nanoseconds since the start of the trace",
	"to":    "times are nanoseconds since the start of the trace",
}

func (p *params) fail(name, what string) {
	if p.err == nil {
		p.err = diag.Usagef(name, what, hints[name])
	}
}

// window returns a part of the trace; all of it without parameters.
func (p *params) window(duration int64) (from, to int64) {
	const most = 1 << 62
	from, to = p.number("from", 0, most, 0), p.number("to", 0, most, duration)
	to = min(to, duration)
	if from > to && p.err == nil {
		p.fail("from", fmt.Sprintf("%d is after to, %d, in a trace of %d", from, to, duration))
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
