package report

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/terminal"
)

// JSON writes a document with its schema, indented, one value per line, safe to show on a terminal.
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

// Version is the document of whet version.
type Version struct {
	Schema   string        `json:"schema"`
	Version  string        `json:"version"`
	Revision string        `json:"revision,omitempty"` // of the source, shortened
	Modified bool          `json:"modified,omitempty"` // the source had uncommitted changes
	Go       string        `json:"go"`
	Platform string        `json:"platform"` // GOOS/GOARCH
	Warnings diag.Warnings `json:"warnings,omitempty"`
}

// String returns one line: whet v0.1.0 (0123456789ab), go1.26.1 linux/amd64.
func (v Version) String() string {
	rev := ""
	switch {
	case v.Modified && v.Revision != "":
		rev = " (" + v.Revision + ", modified)"
	case v.Revision != "":
		rev = " (" + v.Revision + ")"
	}
	return fmt.Sprintf("whet %s%s, %s %s", v.Version, rev, v.Go, v.Platform)
}
