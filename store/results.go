package store

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"
)

// A Result is the document of a measurement, such as one that whet bench wrote, by commit.
type Result struct {
	// Kind is what measured: bench, load, find, prove, or another word as Profile.Kind.
	Kind string
	// Service is the program or module that was measured. Required.
	Service string
	// Revision is the commit in version control; "" if unknown.
	Revision string
	// Time is when it was measured. Required.
	Time time.Time
	// Document is the text or JSON, at most MaxDocument bytes.
	Document []byte
}

// MaxDocument is the size of the largest document of a result, in bytes.
const MaxDocument = 64 << 20

// A ResultQuery selects results. Empty fields select all.
type ResultQuery struct {
	Tenant                  string
	Kind, Service, Revision string
	From, To                time.Time // of Time, in [From, To)
	Limit                   int       // the newest ones; 0: 1000
}

// A ResultStore keeps results next to profiles.
type ResultStore interface {
	// WriteResults stores results with the promises of Writer.Write.
	WriteResults(ctx context.Context, tenant string, results []Result) error
	// Results returns results, newest first.
	Results(ctx context.Context, q ResultQuery) ([]Result, error)
}

// ID returns the ID of a result: a hash of all its fields.
func (r *Result) ID() ID {
	h := hasher{}
	for _, s := range []string{r.Kind, r.Service, r.Revision} {
		h.text(s)
	}
	h.number(uint64(r.Time.UnixNano()))
	sum := sha256.Sum256(r.Document)
	h.buf = append(h.buf, sum[:]...)
	return idOf(h.buf)
}

// CheckResults returns an *InvalidError or a *LimitError for the first result that cannot be stored.
func CheckResults(results []Result) error {
	for i := range results {
		r := &results[i]
		switch {
		case !isKind(r.Kind):
			return &InvalidError{i, fmt.Errorf("kind %q (want lower-case letters, digits and underscores)", r.Kind)}
		case r.Service == "":
			return &InvalidError{i, fmt.Errorf("service %q (want a name)", r.Service)}
		case r.Time.Year() < 1970 || r.Time.Year() > 2200:
			return &InvalidError{i, fmt.Errorf("time %s (want when it was measured)", r.Time.Format(time.RFC3339))}
		case len(r.Document) > MaxDocument:
			return &LimitError{What: "bytes in a document", Limit: MaxDocument, Got: int64(len(r.Document))}
		}
	}
	return nil
}
