package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/store/documents"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/regressions"
)

// A Client is a store behind an address. It implements store.Store,
// store.RecordingStore, store.ResultStore and store.LeaseWriter.
type Client struct {
	// Address is that of whet serve, such as http://localhost:7070.
	Address string
	// Header is sent with each request.
	Header http.Header
	// HTTP sends requests; nil means http.DefaultClient.
	HTTP *http.Client
	// AllowPartial accepts answers of a server that lack the shards of a cluster which are down, and
	// calls Warn with a *store.PartialError. Otherwise they are an error, except in the contexts of
	// store.AllowPartial.
	AllowPartial bool
	Warn         func(error) // nil ignores it
}

// maxAnswer is the size of the largest document, in bytes.
const maxAnswer = 256 << 20

// request sends a request and returns a successful answer, whose body the caller closes.
func (c *Client) request(
	ctx context.Context, method, path string, q url.Values, body io.Reader,
) (*http.Response, error) {
	address := strings.TrimSuffix(c.Address, "/") + path
	if len(q) > 0 {
		address += "?" + q.Encode()
	}
	r, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return nil, err
	}
	for name, values := range c.Header {
		r.Header[name] = values
	}
	client := c.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	answer, err := client.Do(r)
	if err != nil {
		if e := (*url.Error)(nil); errors.As(err, &e) {
			err = e.Err // the address may have a password
		}
		return nil, &diag.Error{Op: "ask", Subject: c.name(), Err: err, Hint: "is `whet serve --store` running there?"}
	}
	if err := c.partial(ctx, answer.Header); err != nil {
		_ = answer.Body.Close()
		return nil, err
	}
	if answer.StatusCode/100 == 2 {
		return answer, nil
	}
	defer func() { _ = answer.Body.Close() }()
	var problem struct{ Detail, Hint string }
	data, _ := io.ReadAll(io.LimitReader(answer.Body, 64<<10)) // the status says enough
	_ = json.Unmarshal(data, &problem)
	if problem.Detail == "" {
		problem.Detail = answer.Status
	}
	if problem.Hint == "" && answer.Header.Get("Retry-After") != "" {
		problem.Hint = "send it again in " + answer.Header.Get("Retry-After") + " s"
	}
	refusal := &Refusal{
		text: problem.Detail, status: answer.StatusCode, down: answer.Header.Get(documents.DownHeader) != "",
	}
	if seconds, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil && seconds > 0 && seconds < 3600 {
		refusal.retryAfter = time.Duration(seconds) * time.Second
	}
	err = refusal
	if answer.StatusCode == http.StatusNotFound && strings.Contains(problem.Detail, store.ErrNotFound.Error()) {
		err = fmt.Errorf("%w", store.ErrNotFound)
	}
	return nil, &diag.Error{Op: "ask", Subject: c.name(), Err: err, Hint: problem.Hint}
}

// partial reports what an answer lacks, or returns an error if it must be complete.
func (c *Client) partial(ctx context.Context, h http.Header) error {
	lacks := documents.PartialOf(h)
	report := store.PartialAllowed(ctx)
	switch {
	case lacks == nil:
		return nil
	case report != nil:
		report(lacks)
	case !c.AllowPartial:
		return &diag.Error{
			Op: "ask", Subject: c.name(), Err: fmt.Errorf("the answer is partial: %s: %w", lacks.Error(), store.ErrUnavailable),
			Hint: "start it; `whet query --allow-partial` accepts the answer, and says so",
		}
	case c.Warn != nil:
		c.Warn(lacks)
	}
	return nil
}

// A Refusal is an answer of the server other than success.
type Refusal struct {
	text       string
	status     int
	retryAfter time.Duration
	down       bool // store.ErrDown
}

// Error returns what the server says.
func (r *Refusal) Error() string { return r.text }

// Status returns the status of the answer.
func (r *Refusal) Status() int { return r.status }

// RetryAfter returns how long the server wants to be left alone; 0 if it does not say.
func (r *Refusal) RetryAfter() time.Duration { return r.retryAfter }

// name returns the address without a password.
func (c *Client) name() string {
	u, err := url.Parse(c.Address)
	if err != nil {
		return "the address"
	}
	return u.Redacted()
}

// document asks for a document.
func (c *Client) document(ctx context.Context, path string, q url.Values, into any) error {
	answer, err := c.request(ctx, http.MethodGet, "/api/v1/store/"+path, q, nil)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }() // only read
	if err := json.NewDecoder(io.LimitReader(answer.Body, maxAnswer)).Decode(into); err != nil {
		return &diag.Error{Op: "read the answer of", Subject: c.name(), Err: err}
	}
	return nil
}

// values returns a query as parameters.
func values(q store.Query) url.Values {
	v := url.Values{"query": {store.Selector(q.Matchers)}}
	if q.Kind != "" {
		v.Set("kind", q.Kind)
	}
	if !q.From.IsZero() {
		v.Set("from", q.From.UTC().Format(time.RFC3339Nano))
	}
	if !q.To.IsZero() {
		v.Set("to", q.To.UTC().Format(time.RFC3339Nano))
	}
	return v
}

// Merge implements store.Reader.
func (c *Client) Merge(ctx context.Context, q store.Query) (*profile.Profile, store.Stats, error) {
	var stats store.Stats
	p, err := c.profile(ctx, "merge", values(q), StatsHeader, &stats)
	return p, stats, err
}

// Headers of answers that are profiles, with JSON that strconv.QuoteToASCII has quoted.
const (
	StatsHeader = "Whet-Stats" // of a merged profile: its store.Stats
	MetaHeader  = "Whet-Meta"  // of a single profile: its store.Meta; of a recording: its store.Recording
)

// profile asks for a profile, and decodes the JSON in a header of the answer.
func (c *Client) profile(
	ctx context.Context, path string, q url.Values, header string, into any,
) (*profile.Profile, error) {
	answer, err := c.request(ctx, http.MethodGet, "/api/v1/store/"+path, q, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }() // only read
	var p *profile.Profile
	facts, err := strconv.Unquote(answer.Header.Get(header))
	if err == nil {
		err = json.Unmarshal([]byte(facts), into)
	}
	if err == nil {
		p, err = profile.Read(answer.Body, profile.ReadOptions{MaxBytes: maxAnswer})
	}
	if err != nil {
		return nil, &diag.Error{Op: "read the answer of", Subject: c.name(), Err: err}
	}
	return p, nil
}

// Series implements store.Reader.
func (c *Client) Series(ctx context.Context, q store.Query) ([]store.Series, error) {
	var d documents.Series
	err := c.document(ctx, "series", values(q), &d)
	return d.Series, err
}

// Types implements store.Reader.
func (c *Client) Types(ctx context.Context, q store.Query) ([]store.Type, error) {
	var d documents.Series
	err := c.document(ctx, "series", values(q), &d)
	return d.Types, err
}

// LabelNames implements store.Reader.
func (c *Client) LabelNames(ctx context.Context, q store.Query) ([]string, error) {
	return c.LabelValues(ctx, q, "")
}

// LabelValues implements store.Reader.
func (c *Client) LabelValues(ctx context.Context, q store.Query, name string) ([]string, error) {
	v := values(q)
	v.Set("name", name)
	var d documents.Labels
	err := c.document(ctx, "labels", v, &d)
	return d.Values, err
}

// Profiles implements store.Reader.
func (c *Client) Profiles(ctx context.Context, q store.Query, limit int) ([]store.Meta, error) {
	v := values(q)
	v.Set("n", strconv.Itoa(limit))
	var d documents.Profiles
	err := c.document(ctx, "profiles", v, &d)
	return d.Profiles, err
}

// Regressions asks the server what changed. Own and Repo of o are not sent: the server determines own
// code, and has no repository.
func (c *Client) Regressions(ctx context.Context, o regressions.Options) (*regressions.Report, error) {
	v := values(o.Query)
	for name, text := range map[string]string{
		"sample_type": o.SampleType, "version": o.Version, "instance": o.Instance,
	} {
		if text != "" {
			v.Set(name, text)
		}
	}
	if o.Step != 0 {
		v.Set("step", o.Step.String())
	}
	var d documents.Regressions
	err := c.document(ctx, "regressions", v, &d)
	return &d.Report, err
}

// Get implements store.Reader.
func (c *Client) Get(ctx context.Context, _ string, id store.ID) (store.Profile, error) {
	var m store.Meta
	p, err := c.profile(ctx, "profile", url.Values{"id": {id.String()}}, MetaHeader, &m)
	return store.Profile{
		Service: m.Service, Kind: m.Kind, Labels: m.Labels, Start: m.Start, Duration: m.Duration, Data: p,
	}, err
}

// Write implements store.Writer with one request for each profile, so an error means that some of
// them may be stored; sending all again is harmless.
func (c *Client) Write(ctx context.Context, _ string, profiles []store.Profile) error {
	for i := range profiles {
		p := &profiles[i]
		data := *p.Data
		data.Time, data.Duration = p.Start, p.Duration
		var body bytes.Buffer
		if err := data.Write(&body); err != nil {
			return err
		}
		q := url.Values{"service": {p.Service}, "kind": {p.Kind}}
		for _, l := range p.Labels {
			q.Set("label."+l.Name, l.Value)
		}
		answer, err := c.request(ctx, http.MethodPost, "/ingest/pprof", q, &body)
		if err != nil {
			return err
		}
		_ = answer.Body.Close() // nothing is read of it
	}
	return nil
}

// Close implements store.Store; it does nothing.
func (c *Client) Close() error { return nil }
