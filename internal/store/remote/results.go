package remote

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/store/documents"
	"github.com/whet-go/whet/store"
)

// WriteResults implements store.ResultStore with one request for each result, so an error means that some of
// them may be stored; sending all again is harmless. The tenant is that of the token.
func (c *Client) WriteResults(ctx context.Context, _ string, results []store.Result) error {
	for i := range results {
		r := &results[i]
		q := url.Values{"service": {r.Service}, "kind": {r.Kind}, "time": {r.Time.UTC().Format(time.RFC3339Nano)}}
		if r.Revision != "" {
			q.Set("commit", r.Revision)
		}
		answer, err := c.request(ctx, http.MethodPost, "/api/v1/store/results", q, bytes.NewReader(r.Document))
		if err != nil {
			return err
		}
		_ = answer.Body.Close() // nothing is read of it
	}
	return nil
}

// resultPageSize is how many results one answer has at most.
const resultPageSize = 1000

// Results implements store.ResultStore.
func (c *Client) Results(ctx context.Context, q store.ResultQuery) ([]store.Result, error) {
	limit := cmp.Or(q.Limit, resultPageSize)
	out := []store.Result{}
	seen := map[store.ID]bool{}
	for {
		q.Limit = min(limit, resultPageSize)
		page, err := c.resultPage(ctx, q)
		if err != nil {
			return nil, err
		}
		before := len(out)
		for i := range page {
			if id := page[i].ID(); !seen[id] && len(out) < limit {
				seen[id] = true
				out = append(out, page[i])
			}
		}
		switch {
		case len(page) < q.Limit || len(out) == limit:
			return out, nil
		case len(out) == before:
			return nil, &diag.Error{
				Op: "ask", Subject: c.name(), Err: fmt.Errorf("more than %d results have the same time", len(page)-1),
				Hint: "select some of them by service or commit",
			}
		}
		// Others may have been measured at the time of the last one.
		q.To = page[len(page)-1].Time.Add(1)
	}
}

// resultPage returns the newest results, at most the limit.
func (c *Client) resultPage(ctx context.Context, q store.ResultQuery) ([]store.Result, error) {
	v := values(store.Query{Kind: q.Kind, From: q.From, To: q.To})
	v.Del("query")
	v.Set("n", strconv.Itoa(q.Limit))
	v.Set("documents", "true")
	for name, text := range map[string]string{"service": q.Service, "commit": q.Revision} {
		if text != "" {
			v.Set(name, text)
		}
	}
	var d documents.Results
	if err := c.document(ctx, "results", v, &d); err != nil {
		return nil, err
	}
	out := make([]store.Result, len(d.Results))
	for i, e := range d.Results {
		out[i] = store.Result{
			Kind: e.Kind, Service: e.Service, Revision: e.Revision, Time: e.Time, Document: []byte(e.Document),
		}
	}
	return out, nil
}
