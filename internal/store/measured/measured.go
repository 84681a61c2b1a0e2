package measured

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/unit"
)

// Kinds of results.
const (
	Bench = "bench"
	Load  = "load"
	Find  = "find"
	Fix   = "fix"
	Prove = "prove"
)

// A Document is what a measurement says of itself.
type Document struct {
	Kind   string
	Module string    // that was measured; "" if the document does not say
	Time   time.Time // when it was measured; zero if the document does not say
	About  string    // the result in a few words; "" if it has none
}

// ErrUnknown is Read's error for other documents.
var ErrUnknown = errors.New("not a result of whet load, find, fix or prove, as --json writes it, or of go test -bench")

// maxAbout is the length of About, in bytes, without what is left out.
const maxAbout = 200

// Read recognizes a document.
func Read(document []byte) (Document, error) {
	if !bytes.HasPrefix(bytes.TrimSpace(document), []byte("{")) {
		return benchmarks(document)
	}
	var v struct {
		Schema  string
		Module  string
		Started time.Time
		Rate    float64
		Latency struct {
			P99 time.Duration `json:"p99_ns"`
		}
		Findings json.RawMessage
		Attempts json.RawMessage
		Outcome  string
		Reason   string
	}
	if err := json.Unmarshal(document, &v); err != nil {
		return Document{}, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(v.Schema, "whet."), "/")
	d := Document{Kind: name, Module: v.Module}
	switch name {
	case Load:
		d.Time = v.Started
		d.About = fmt.Sprintf("%.0f requests/s, p99 %s", v.Rate, unit.Duration(v.Latency.P99))
	case Find:
		d.About = counted(v.Findings, "finding", "findings")
	case Fix:
		d.About = counted(v.Attempts, "attempt", "attempts")
	case Prove:
		d.About = v.Outcome
		if v.Reason != "" {
			d.About += ": " + v.Reason
		}
	default:
		return Document{}, fmt.Errorf("%w: its schema is %.40q", ErrUnknown, v.Schema)
	}
	d.About, _, _ = strings.Cut(d.About, "\n")
	if len(d.About) > maxAbout {
		d.About = strings.ToValidUTF8(d.About[:maxAbout], "") + "…"
	}
	return d, nil
}

// counted returns the number of elements of a list.
func counted(list json.RawMessage, one, many string) string {
	var all []json.RawMessage
	if json.Unmarshal(list, &all) != nil {
		return ""
	}
	return plural(len(all), one, many)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}

// benchmarks recognizes the output of go test -bench.
func benchmarks(document []byte) (Document, error) {
	seen := map[string]bool{}
	for line := range bytes.Lines(document) {
		fields := bytes.Fields(line)
		if len(fields) >= 4 && bytes.HasPrefix(fields[0], []byte("Benchmark")) {
			seen[string(fields[0])] = true
		}
	}
	if len(seen) == 0 {
		return Document{}, ErrUnknown
	}
	return Document{Kind: Bench, About: plural(len(seen), "benchmark", "benchmarks")}, nil
}

// An Entry is a result in a list.
type Entry struct {
	ID       store.ID  `json:"id"`
	Kind     string    `json:"kind"`
	Service  string    `json:"service"`
	Revision string    `json:"revision,omitempty"` // commit; "" if unknown
	Time     time.Time `json:"time"`
	About    string    `json:"about,omitempty"` // the result in a few words
	Size     int       `json:"size"`            // of the document, in bytes
	// Document is the text, in lists that have it.
	Document string `json:"document,omitempty"`
}

// NewEntry describes a result.
func NewEntry(r *store.Result, document bool) Entry {
	e := Entry{
		ID: r.ID(), Kind: r.Kind, Service: r.Service, Revision: r.Revision, Time: r.Time, Size: len(r.Document),
	}
	if d, err := Read(r.Document); err == nil {
		e.About = d.About
	}
	if document {
		e.Document = string(r.Document)
	}
	return e
}
