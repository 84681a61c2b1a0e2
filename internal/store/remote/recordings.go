package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/store/documents"
	"github.com/whet-go/whet/store"
)

// WriteRecording implements store.RecordingWriter. The tenant is that of the token.
func (c *Client) WriteRecording(ctx context.Context, _ string, r store.Recording, content []byte) (store.ID, error) {
	q := url.Values{"service": {r.Service}}
	for _, l := range r.Labels {
		q.Set("label."+l.Name, l.Value)
	}
	if r.About != "" {
		q.Set("about", r.About)
	}
	if !r.Start.IsZero() {
		q.Set("start", r.Start.UTC().Format(time.RFC3339Nano))
	}
	if r.Duration > 0 {
		q.Set("duration", r.Duration.String())
	}
	var d documents.Recorded
	answer, err := c.request(ctx, http.MethodPost, "/api/v1/store/recordings", q, bytes.NewReader(content))
	if err != nil {
		return d.ID, err
	}
	defer func() { _ = answer.Body.Close() }() // only read
	if err := json.NewDecoder(io.LimitReader(answer.Body, maxAnswer)).Decode(&d); err != nil {
		return d.ID, &diag.Error{Op: "read the answer of", Subject: c.name(), Err: err}
	}
	return d.ID, nil
}

// Recordings implements store.RecordingStore.
func (c *Client) Recordings(ctx context.Context, q store.Query, limit int) ([]store.Recording, error) {
	v := values(q)
	v.Set("n", strconv.Itoa(limit))
	var d documents.Recordings
	err := c.document(ctx, "recordings", v, &d)
	return d.Recordings, err
}

// ReadRecording implements store.RecordingStore.
func (c *Client) ReadRecording(
	ctx context.Context, _ string, id store.ID, found func(store.Recording), w io.Writer,
) (r store.Recording, err error) {
	answer, err := c.request(ctx, http.MethodGet, "/api/v1/store/recording", url.Values{"id": {id.String()}}, nil)
	if err != nil {
		return r, err
	}
	defer func() { _ = answer.Body.Close() }() // only read
	facts, err := strconv.Unquote(answer.Header.Get(MetaHeader))
	if err == nil {
		err = json.Unmarshal([]byte(facts), &r)
	}
	var n int64
	if err == nil {
		if found != nil {
			found(r)
		}
		n, err = io.Copy(w, io.LimitReader(answer.Body, r.Size+1))
	}
	if err == nil && n != r.Size {
		err = fmt.Errorf("the recording has %d bytes (want %d)", n, r.Size)
	}
	if err != nil {
		return r, &diag.Error{Op: "read the answer of", Subject: c.name(), Err: err}
	}
	return r, nil
}
