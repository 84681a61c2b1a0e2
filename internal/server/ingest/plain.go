package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/server/pyroscope/wire"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/store"
)

// readBody reads the body of a request. ServeHTTP has limited it.
func readBody(r *http.Request) ([]byte, error) {
	if r.ContentLength > 0 {
		data := make([]byte, r.ContentLength)
		_, err := io.ReadFull(r.Body, data)
		return data, err
	}
	return io.ReadAll(r.Body)
}

// plain stores a pprof file or the profiles of a recording:
//
//	POST /api/v1/store/profiles?service=NAME&kind=cpu&label.host=a&start=TIME&duration=10s
//
// Only service is required.
func (h *Handler) plain(w http.ResponseWriter, r *http.Request) {
	data, err := readBody(r)
	if err == nil {
		err = h.store(r.Context(), func(b *budget) ([]store.Profile, error) { return h.fromFile(b, r.URL.Query(), data) })
	}
	if err != nil {
		h.refuse(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// fromFile decodes the file of a plain request.
func (h *Handler) fromFile(b *budget, q url.Values, data []byte) ([]store.Profile, error) {
	about, err := h.described(q, "kind")
	if err != nil {
		return nil, err
	}
	if recording.IsRecording(data) {
		return h.fromRecording(b, about, data)
	}
	p, err := b.read(data)
	if err != nil {
		return nil, err
	}
	return []store.Profile{h.complete(about, p, about.Kind)}, nil
}

// described reads the parameters of what is sent. more is one that only some requests have.
func (h *Handler) described(q url.Values, more string) (about store.Profile, err error) {
	about = store.Profile{Service: q.Get("service"), Kind: q.Get("kind")}
	labels := map[string]string{}
	for key, values := range q {
		name, ok := strings.CutPrefix(key, "label.")
		switch {
		case ok && name != "":
			labels[name] = values[len(values)-1]
		case !slices.Contains([]string{"service", more, "start", "duration"}, key):
			return about, fmt.Errorf("unknown parameter %q (want service, %s, start, duration or label.NAME)", key, more)
		}
	}
	about.Labels = store.NewLabels(labels)
	if text := q.Get("start"); text != "" {
		if about.Start, err = wire.ParseTime(text, h.o.Now()); err != nil {
			return about, fmt.Errorf("start: %w", err)
		}
	}
	if text := q.Get("duration"); text != "" {
		if about.Duration, err = time.ParseDuration(text); err != nil || about.Duration < 0 {
			return about, fmt.Errorf("invalid duration %.40q (want a duration such as 10s)", text)
		}
	}
	if about.Service == "" {
		return about, errors.New("the parameter service is missing")
	}
	return about, nil
}

// fromRecording returns the profiles of a recording that cover its window or its end: not those that
// were taken at its start, nor those of the live heap, which the others contain.
func (h *Handler) fromRecording(b *budget, about store.Profile, data []byte) ([]store.Profile, error) {
	rec, err := recording.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("read the recording: %w", err)
	}
	about.Labels = about.Labels.WithRevision(rec.Meta().Build.Revision())
	var all []store.Profile
	for _, name := range rec.ProfileNames() {
		if strings.ContainsAny(name, "./") || about.Kind != "" && name != about.Kind {
			continue
		}
		p, err := rec.ReadProfile(name, profile.ReadOptions{MaxBytes: b.left})
		if err == nil {
			err = b.take(p)
		}
		if err != nil {
			return nil, fmt.Errorf("read %s of the recording: %w", name, err)
		}
		one := about
		one.Kind = word(path.Base(name))
		if one.Start.IsZero() && p.Time.IsZero() {
			one.Start = rec.Meta().Created
		}
		all = append(all, h.complete(one, p, name))
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("the recording has no profile %s", about.Kind)
	}
	return all, nil
}

// complete fills in what the client did not say: from the profile, else from the clock. name helps to
// find the kind.
func (h *Handler) complete(about store.Profile, p *profile.Profile, name string) store.Profile {
	about.Data = p
	if about.Kind == "" {
		about.Kind = Kind(p, name)
	}
	if about.Duration == 0 {
		about.Duration = max(p.Duration, 0)
	}
	if about.Start.IsZero() {
		about.Start = p.Time
	}
	if about.Start.IsZero() {
		about.Start = h.o.Now().Add(-about.Duration)
	}
	return about
}

// sortedKeys returns the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
