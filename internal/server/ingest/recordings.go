package ingest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/whet-go/whet/internal/store/documents"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/store"
)

// recordingsPath is where whole recordings are sent.
const recordingsPath = "/api/v1/store/recordings"

// recordings stores a recording as it is, next to the profiles:
//
//	POST /api/v1/store/recordings?service=NAME&label.trigger=slow&start=TIME&duration=2s&about=TEXT
//
// Only service is required. The answer has the ID.
func (h *Handler) recordings(w http.ResponseWriter, r *http.Request) {
	if h.o.Recordings == nil {
		h.refuse(w, r, &badRequest{errors.New("this server keeps no recordings"), http.StatusNotFound})
		return
	}
	id, err := h.recording(r)
	if err != nil {
		h.refuse(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(documents.NewRecorded(id)) // the client may be gone
}

func (h *Handler) recording(r *http.Request) (id store.ID, err error) {
	content, err := readBody(r)
	if err != nil {
		return id, err
	}
	q := r.URL.Query()
	about, err := h.described(q, "about")
	if err != nil {
		return id, err
	}
	if !recording.IsRecording(content) {
		return id, errors.New("the body is not a recording: a .whet file")
	}
	rec, err := recording.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return id, fmt.Errorf("read the recording: %w", err)
	}
	meta := rec.Meta()
	one := store.Recording{
		Service: about.Service, Labels: about.Labels.WithRevision(meta.Build.Revision()), Start: about.Start,
		Duration: about.Duration, About: q.Get("about"),
	}
	if one.Start.IsZero() {
		one.Start, one.Duration = meta.Created, max(one.Duration, meta.Duration)
	}
	id, err = h.o.Recordings.WriteRecording(r.Context(), tenantOf(r.Context()), one, content)
	if err == nil || client(err) || r.Context().Err() != nil {
		return id, err
	}
	h.o.Warn(fmt.Errorf("store a recording of tenant %q: %w", tenantOf(r.Context()), err))
	return id, &storeError{err}
}
