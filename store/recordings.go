package store

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"time"
	"unicode/utf8"
)

// A Recording describes a .whet file in a store, such as the one that a trigger made.
type Recording struct {
	ID ID `json:"id"`
	// Service is the name of the program. Required.
	Service string `json:"service"`
	// Labels are those of the process, with trigger=slow, goroutines, heap or cpu if one fired.
	Labels Labels `json:"labels"`
	// Start is when it begins. Required.
	Start time.Time `json:"start"`
	// Duration is how long its execution trace is, or its window; 0 if unknown.
	Duration time.Duration `json:"duration_ns"`
	// About is why it was made, in a few words; "" if unknown.
	About string `json:"about,omitempty"`
	// Size is that of the file, in bytes.
	Size int64 `json:"size"`
}

// RecordingKind is the value of the label kind by which selectors see recordings.
const RecordingKind = "recording"

// maxAbout is the length of the longest Recording.About, in bytes.
const maxAbout = 1024

// A RecordingWriter keeps recordings next to profiles.
type RecordingWriter interface {
	// WriteRecording stores a file with the promises of Writer.Write, and returns its ID. It ignores
	// r.ID and r.Size. The oldest recordings of the service and tenant are deleted when there are more
	// bytes of them than Limits.Recordings.
	WriteRecording(ctx context.Context, tenant string, r Recording, content []byte) (ID, error)
}

// A RecordingStore keeps recordings and returns them.
type RecordingStore interface {
	RecordingWriter
	// Recordings describes the recordings that q selects, newest first, at most limit (0: 1000). Their
	// kind is RecordingKind, so q.Kind is "" or this.
	Recordings(ctx context.Context, q Query, limit int) ([]Recording, error)
	// ReadRecording writes a file to w and describes it; ErrNotFound if the tenant has no such recording.
	// found, unless nil, is called before the first byte. After an error, w may have a part of the file.
	ReadRecording(ctx context.Context, tenant string, id ID, found func(Recording), w io.Writer) (Recording, error)
}

// NewRecordingID returns the ID of a recording: a hash of its content and of what describes it.
func NewRecordingID(r *Recording, content []byte) ID {
	h := hasher{}
	h.text(RecordingKind)
	h.text(r.Service)
	h.number(uint64(len(r.Labels)))
	for _, l := range r.Labels {
		h.text(l.Name)
		h.text(l.Value)
	}
	h.number(uint64(r.Start.UnixNano()))
	h.number(uint64(r.Duration))
	h.text(r.About)
	sum := sha256.Sum256(content)
	h.buf = append(h.buf, sum[:]...)
	return idOf(h.buf)
}

// CheckRecording returns an *InvalidError or a *LimitError if a recording cannot be stored. It does not
// open the file.
func (l Limits) CheckRecording(r *Recording, content []byte) error {
	l = l.WithDefaults()
	bad := func(format string, args ...any) error { return &InvalidError{-1, fmt.Errorf(format, args...)} }
	switch {
	case r.Service == "" || !utf8.ValidString(r.Service):
		return bad("service %q (want a name)", r.Service)
	case r.Start.Year() < 1970 || r.Start.Year() > 2200:
		return bad("start %s (want the time when the recording began)", r.Start.Format(time.RFC3339))
	case r.Duration < 0:
		return bad("duration %v is negative", r.Duration)
	case !utf8.ValidString(r.About) || len(r.About) > maxAbout:
		return bad("the description of the recording is not text of at most %d bytes", maxAbout)
	case len(content) == 0:
		return bad("the recording is empty")
	}
	if err := r.Labels.check(); err != nil {
		return &InvalidError{-1, err}
	}
	if got, most := int64(len(content)), min(l.Recording, l.Recordings); got > most {
		return &LimitError{What: "bytes in a recording", Limit: most, Got: got}
	}
	return l.checkNames("recording", r.Service, r.Labels)
}
