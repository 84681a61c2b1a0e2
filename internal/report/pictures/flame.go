package pictures

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/profile/flame"
	"github.com/whet-go/whet/internal/report/pages"
	"github.com/whet-go/whet/ui"
)

const (
	// FlameMaxBytes is the maximum size of a flame graph page.
	FlameMaxBytes = 5_000_000

	// FlameMark is within the first FlameMarkWithin bytes of every page that Flame writes, which
	// identifies such a page.
	FlameMark = `<meta name="generator" content="whet flame">`

	// FlameMarkWithin bounds the position of FlameMark.
	FlameMarkWithin = 256
)

// FlameInput is the contents of a flame graph page.
type FlameInput struct {
	Title    string
	Facts    []pages.Fact
	Views    []flame.View // at least one; the first is shown first
	Warnings diag.Warnings
	// MaxBytes limits the page; 0 means FlameMaxBytes.
	MaxBytes int
}

// Flame writes a self-contained interactive flame graph: one HTML page with its data, code and
// styles that makes no request. To keep the page within in.MaxBytes, long names are clipped first,
// then light nodes are merged into their neighbors; the page has a note if so.
func Flame(w io.Writer, in FlameInput) error {
	if len(in.Views) == 0 {
		return errors.New("write flame graph: no sample type to show")
	}
	limit := in.MaxBytes
	if limit == 0 {
		limit = FlameMaxBytes
	}
	page := pages.DataPage{
		Mark: FlameMark, ID: "whet-flame", Title: in.Title, Script: ui.FlameJS(), Draws: "draws a flame graph",
		Without: "<code>whet top</code> and <code>whet tree</code> show the same profile as text.", Packed: []byte{},
	}
	var empty bytes.Buffer
	if err := pages.WriteData(&empty, page); err != nil {
		return err
	}
	room := (limit - empty.Len()) / 4 * 3 // base64 takes 4 bytes for 3
	var err error
	if page.Packed, err = encodeFlame(in, room); err != nil {
		return fmt.Errorf("write flame graph: %w", err)
	}
	return pages.WriteData(w, page)
}

// FlameFile returns the name of a page's file, from what the user calls the profile and its part of
// a recording.
func FlameFile(name, part string) string {
	switch {
	case name == "-":
		name = ""
	case input.IsURL(name):
		_, name, _ = strings.Cut(name, "://")
		name, _, _ = strings.Cut(name[strings.LastIndexByte(name, '@')+1:], "/")
		name = strings.NewReplacer(":", "-", "[", "", "]", "").Replace(name)
	default:
		name = filepath.Base(name)
		for _, ext := range []string{".gz", ".pb", ".pprof", ".prof", ".whet"} {
			name = strings.TrimSuffix(name, ext)
		}
	}
	parts := make([]string, 0, 4)
	for _, p := range []string{name, part, "flame", "html"} {
		if p = strings.Trim(p, ".-"); p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, ".")
}

// FlamePacked writes what the page of Flame contains as its data, without the page: gzipped columns
// of at most FlameMaxBytes.
func FlamePacked(w io.Writer, in FlameInput) error {
	if len(in.Views) == 0 {
		return errors.New("write flame graph: no sample type to show")
	}
	data, err := encodeFlame(in, cmp.Or(in.MaxBytes, FlameMaxBytes))
	if err != nil {
		return fmt.Errorf("write flame graph: %w", err)
	}
	_, err = w.Write(data)
	return err
}
