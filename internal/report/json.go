package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/whet-go/whet/internal/terminal"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/unit"
)

// JSON writes a document with its schema, indented, in one line per value. A terminal may show it.
func JSON(w io.Writer, doc any) error {
	enc := json.NewEncoder(terminal.JSON(w))
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}

// VersionSchema is the schema of Version.
const VersionSchema = "whet.version/1"

// Version is what whet version shows.
type Version struct {
	Schema   string `json:"schema"`
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"` // of the source, shortened
	Modified bool   `json:"modified,omitempty"` // the source had uncommitted changes
	Go       string `json:"go"`
	Platform string `json:"platform"` // GOOS/GOARCH
}

// String is one line: whet v0.1.0 (0123456789ab), go1.26.1 linux/amd64.
func (v Version) String() string {
	rev := ""
	if v.Revision != "" {
		rev = " (" + v.Revision
		if v.Modified {
			rev += ", modified"
		}
		rev += ")"
	}
	return fmt.Sprintf("whet %s%s, %s %s", v.Version, rev, v.Go, v.Platform)
}

// A Header is the facts of a profile that every view opens with. Zero fields are
// unknown. All values of a document are in SampleType.Unit.
type Header struct {
	Name       string            `json:"name"`
	Profile    string            `json:"profile,omitempty"` // its name in the recording
	SampleType profile.ValueType `json:"sample_type"`
	Total      int64             `json:"total"`             // what shares are of
	Samples    int64             `json:"samples,omitempty"` // times the profiler looked; 0 when the profile does not count them
	Stacks     int               `json:"stacks"`            // distinct samples
	Duration   time.Duration     `json:"duration_ns,omitempty"`
	Time       time.Time         `json:"time,omitzero"`
	Program    string            `json:"program,omitempty"`
	Target     string            `json:"target,omitempty"`
	GoVersion  string            `json:"go_version,omitempty"`
	GOMAXPROCS int               `json:"gomaxprocs,omitempty"`
	Own        []string          `json:"own,omitempty"`      // own modules; package main is own too
	OwnFrom    string            `json:"own_from,omitempty"` // what told them; "" when nothing did
	Main       string            `json:"-"`                  // path of the main module, which paths are short of; "" when not known
	Filters    []string          `json:"filters,omitempty"`
	Base       []string          `json:"base,omitempty"` // profiles that were subtracted
	// PerRequest says, of a difference, what a request costs in the base and here.
	PerRequest string   `json:"per_request,omitempty"`
	Warnings   []string `json:"warnings,omitempty"`
	// Unit is the unit in which text has all values; "" for those that suit them.
	Unit string `json:"-"`
}

// write writes a value of h's sample type on its own.
func (h *Header) write(v int64) string {
	return unit.Of(v, h.SampleType.Unit).In(cmp.Or(h.Unit, "auto"))
}

// scale chooses the one unit for columns whose values are given.
func (h *Header) scale(total int64, values func(yield func(int64) bool)) string {
	if h.Unit != "" {
		return h.Unit
	}
	return scaleFor(h.SampleType, total, values)
}
