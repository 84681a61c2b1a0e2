package saved

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report/pages"
	"github.com/whet-go/whet/internal/server/answers"
	"github.com/whet-go/whet/internal/server/flight"
	"github.com/whet-go/whet/ui"
)

const (
	// Mark is near the beginning of every page that Write writes.
	Mark = `<meta name="generator" content="whet ui">`
	// MaxBytes is the size of the largest page.
	MaxBytes = 24 << 20

	maxPacked  = MaxBytes / 4 * 3 * 9 / 10 // bytes of answers, before base64 and without what holds them together
	maxSources = 40                        // functions of the first sample type whose source is there
	someOthers = 10                        // the same of the others
)

// An answer is what the API says to a request.
type answer struct {
	Status int    `json:"status"`
	Type   string `json:"type"`
	Body   string `json:"body"` // base64 unless the type is one of text
}

// collector asks the API, once for each address.
type collector struct {
	ctx     context.Context
	done    float64 // part of the work
	api     http.Handler
	base    string // of the API's paths
	file    string
	answers map[string]answer // by key
	packed  counter           // has what packer compresses
	packer  *gzip.Writer
}

// counter counts bytes.
type counter int

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// Write writes the page of a file that api, whose paths begin with base, shows under a name. The scripts are those of
// the pages in the answers. An error in the file is one that api reports.
func Write(ctx context.Context, w io.Writer, api http.Handler, base, file string) error {
	c := &collector{ctx: ctx, api: api, base: base, file: file, answers: map[string]answer{}}
	c.packer = gzip.NewWriter(&c.packed)
	if err := c.collect(); err != nil {
		return err
	}
	data, err := json.Marshal(c.answers)
	if err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(data); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	if err := z.Close(); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	page := pages.DataPage{
		Mark: Mark, ID: "whet-saved", Title: path.Base(file), Script: ui.SavedJS(), Draws: "shows a recording",
		Within:  []string{ui.LoadJS(), ui.TimelineJS()},
		Without: "<code>whet recording</code> and <code>whet top</code> show the same as text.", Packed: packed.Bytes(),
	}
	return pages.WriteData(w, page)
}

// about is what is needed of the answer about a file.
type about struct {
	Trace    bool `json:"trace"`
	Profiles []struct {
		Name  string `json:"name"`
		Types []struct {
			Type string `json:"type"`
		} `json:"types"`
	} `json:"profiles"`
}

func (c *collector) collect() error {
	body, err := c.need("/file")
	if err != nil {
		return err
	}
	var x about
	if err := json.Unmarshal(body, &x); err != nil {
		return fmt.Errorf("save %s: %w", c.file, err)
	}
	if err := c.list(); err != nil {
		return err
	}
	c.ask("/overview")
	shown := c.answered("/overview")
	for _, p := range []string{"/goroutines", "/memory", "/findings"} {
		c.ask(p)
	}
	c.ask("/graph", "n", "40")
	c.ask("/graph", "n", "40", "format", "screen")
	for _, p := range []string{"/load", "/timeline"} {
		c.ask(p, "format", "html")
	}
	first := true
	all := inOrder(x)
	for i, p := range all {
		c.done = max(c.done, float64(i+1)/float64(len(all)+1))
		c.ask("/flame", "type", p.Name, "format", "packed")
		shown = shown || c.answered("/flame", "type", p.Name, "format", "packed")
		if p.Name == "cpu" && x.Trace {
			c.ask("/flame", "type", p.Name, "order", "time", "format", "packed")
		}
		for _, t := range p.Types {
			full := t
			if p.Name != "" {
				full = p.Name + ":" + t
			}
			c.views(full, first)
			first = false
		}
	}
	if err := c.ctx.Err(); err != nil {
		return err
	}
	if !shown { // it is damaged, or another kind of file
		return c.problem("/overview")
	}
	return nil
}

type profileTypes struct {
	Name  string
	Types []string
}

// inOrder returns the profiles of a file, those first that are looked at most.
func inOrder(x about) []profileTypes {
	var all []profileTypes
	for _, p := range x.Profiles {
		one := profileTypes{Name: p.Name}
		for _, t := range p.Types {
			one.Types = append(one.Types, t.Type)
		}
		slices.Reverse(one.Types) // the last one is the usual one
		all = append(all, one)
	}
	kinds := []string{"", "cpu", "allocs", "heap.live", "mutex", "block", "heap", "goroutine"}
	place := func(p profileTypes) int {
		if i := slices.Index(kinds, p.Name); i >= 0 {
			return i
		}
		return len(kinds)
	}
	slices.SortStableFunc(all, func(a, b profileTypes) int { return place(a) - place(b) })
	return all
}

// views asks for the views of a sample type.
func (c *collector) views(sampleType string, first bool) {
	of := []string{"type", sampleType}
	c.ask("/overview", of...)
	top := c.ask("/top", append(of, "n", "20000")...)
	c.ask("/tags", append(of, "n", "5")...)
	c.ask("/graph", append(of, "n", "40")...)
	c.ask("/graph", append(of, "n", "40", "format", "screen")...)
	var doc struct {
		Own *struct {
			Lines []struct {
				Function string `json:"function"`
			} `json:"lines"`
		} `json:"own"`
	}
	if json.Unmarshal(top, &doc) != nil || doc.Own == nil {
		return
	}
	left := someOthers
	if first {
		left = maxSources
	}
	for _, l := range doc.Own.Lines {
		if left == 0 {
			return
		}
		if !c.has("/list", append(of, "function", l.Function)...) {
			c.ask("/list", append(of, "function", l.Function)...)
			left--
		}
	}
}

// list stores what the pages know of files: this one alone.
func (c *collector) list() error {
	body, err := c.need("/files")
	if err != nil {
		return err
	}
	var doc struct {
		Schema string            `json:"schema"`
		Files  []json.RawMessage `json:"files"`
		First  string            `json:"first"`
	}
	if err := json.Unmarshal(body, &doc); err != nil {
		return fmt.Errorf("save %s: %w", c.file, err)
	}
	doc.Files = slices.DeleteFunc(doc.Files, func(one json.RawMessage) bool {
		var f struct {
			Name string `json:"name"`
		}
		return json.Unmarshal(one, &f) != nil || f.Name != c.file
	})
	doc.First = "#/overview?" + url.Values{"file": {c.file}}.Encode()
	delete(c.answers, c.key("/files", url.Values{"file": {c.file}}))
	data, err := json.Marshal(doc)
	if err != nil {
		return fmt.Errorf("save %s: %w", c.file, err)
	}
	c.answers[c.key("/files", nil)] = answer{http.StatusOK, "application/json", string(data)}
	c.answers[c.key("/session", nil)] = answer{http.StatusOK, "application/json", `{"logged_in":true}`}
	return nil
}

// key returns what answers are stored by; savedAnswer of ui/src/api/client.ts makes the same.
func (c *collector) key(place string, params url.Values) string {
	key := c.base + place
	names := make([]string, 0, len(params))
	for name := range params {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		key += "\n" + name + "=" + params.Get(name)
	}
	return key
}

// params are those of the file, with others as names and values in turn.
func (c *collector) params(pairs []string) url.Values {
	q := url.Values{"file": {c.file}}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" { // as in address of ui/src/api/client.ts
			q.Set(pairs[i], pairs[i+1])
		}
	}
	return q
}

func (c *collector) has(place string, pairs ...string) bool {
	_, ok := c.answers[c.key(place, c.params(pairs))]
	return ok
}

// answered reports whether there is a good answer.
func (c *collector) answered(place string, pairs ...string) bool {
	return c.answers[c.key(place, c.params(pairs))].Status == http.StatusOK
}

// ask stores the answer of a request about the file, unless there is no room for it, and returns its body.
func (c *collector) ask(place string, pairs ...string) []byte {
	q := c.params(pairs)
	key := c.key(place, q)
	if c.ctx.Err() != nil || c.has(place, pairs...) {
		return nil
	}
	flight.Report(c.ctx, flight.Progress{Text: strings.TrimPrefix(place, "/") + " " + q.Get("type"), Done: c.done})
	r, err := http.NewRequestWithContext(c.ctx, http.MethodGet, c.base+place+"?"+q.Encode(), http.NoBody)
	if err != nil {
		return nil
	}
	a := answers.NewRecorder()
	c.api.ServeHTTP(a, r)
	kind, _, _ := strings.Cut(a.Header().Get("Content-Type"), ";")
	one := answer{a.Status, kind, a.Body.String()}
	if !isText(kind) {
		one.Body = base64.StdEncoding.EncodeToString(a.Body.Bytes())
	}
	before := c.packed
	_, _ = c.packer.Write([]byte(one.Body)) // counter takes all
	_ = c.packer.Flush()
	if c.packed > maxPacked {
		c.packed = before
		return nil
	}
	c.answers[key] = one
	return a.Body.Bytes()
}

// isText reports whether an answer of a media type is stored as it is; client.ts decides likewise.
func isText(kind string) bool {
	return strings.HasPrefix(kind, "text/") || kind == "application/json" || kind == "application/problem+json" ||
		kind == "image/svg+xml"
}

// need is ask for what there is no page without.
func (c *collector) need(place string) ([]byte, error) {
	body := c.ask(place)
	if c.answered(place) {
		return body, nil
	}
	if err := c.ctx.Err(); err != nil {
		return nil, err
	}
	return nil, c.problem(place)
}

// problem returns what the API says about the file instead of a good answer.
func (c *collector) problem(place string) error {
	var problem struct {
		Detail string `json:"detail"`
		Hint   string `json:"hint"`
	}
	// A problem without a text has the place.
	_ = json.Unmarshal([]byte(c.answers[c.key(place, c.params(nil))].Body), &problem)
	return &diag.Error{
		Op: "save", Subject: c.file, Err: fmt.Errorf("%s: %s", place, problem.Detail), Hint: problem.Hint,
	}
}
