package pictures

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
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
	js := ui.FlameJS()
	page := flamePage(in.Title, js)
	room := (limit - page.len()) / 4 * 3 // base64 takes 4 bytes for 3
	data, err := encodeFlame(in, room)
	if err != nil {
		return fmt.Errorf("write flame graph: %w", err)
	}
	if err := page.write(w, data); err != nil {
		return fmt.Errorf("write flame graph: %w", err)
	}
	return nil
}

// flameHTML is the page around the data.
type flameHTML struct{ head, tail string }

// flamePage builds the page's frame. The policy allows this script and nothing else: no other
// script, no requests. Styles are a constructed sheet of the script, to which the policy does not
// apply.
func flamePage(title, js string) flameHTML {
	sum := sha256.Sum256([]byte(js))
	csp := "default-src 'none'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'"
	return flameHTML{
		head: "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" +
			FlameMark + "\n" +
			"<meta http-equiv=\"Content-Security-Policy\" content=\"" + csp + "\">\n" +
			"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" +
			"<meta name=\"color-scheme\" content=\"light dark\">\n" +
			"<title>" + html.EscapeString(pages.Clip(pages.Printable(title), 200)) + "</title>\n</head>\n<body>\n" +
			"<noscript>This page draws a flame graph with JavaScript, which is off. " +
			"It makes no network request; <code>whet top</code> and <code>whet tree</code> show the same profile as " +
			"text.</noscript>\n" +
			"<script type=\"application/octet-stream\" id=\"whet-flame\">",
		tail: "</script>\n<script>" + js + "</script>\n</body>\n</html>\n",
	}
}

func (p flameHTML) len() int { return len(p.head) + len(p.tail) }

func (p flameHTML) write(w io.Writer, data []byte) error {
	var buf bytes.Buffer
	buf.Grow(p.len() + base64.StdEncoding.EncodedLen(len(data)))
	buf.WriteString(p.head)
	b64 := base64.NewEncoder(base64.StdEncoding, &buf)
	_, _ = b64.Write(data) // a bytes.Buffer does not fail
	_ = b64.Close()
	buf.WriteString(p.tail)
	_, err := w.Write(buf.Bytes())
	return err
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
