package cli

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/recording"
)

// The commands goroutines and memory read more than profiles: recordings with all
// their parts, and texts of the runtime.

// A document is what one argument of theirs names: a recording, or else a stream.
type document struct {
	name string
	rec  *recording.Recording // nil: read stream
	r    *bufio.Reader
	text bool // stream is text, not a profile

	maxMemory byteSize // of indexing its trace; 0 is the default

	close func() error
}

// Close releases the document; what was read of it stays valid.
func (d *document) Close() {
	if d.rec != nil {
		_ = d.rec.Close() // opened for reading: nothing can be lost
	}
	if d.close != nil {
		_ = d.close() // likewise
	}
}

// document opens what arg names. complete turns the base address of a service
// into that of the document.
func (ld *loader) document(ctx context.Context, arg string, complete func(*url.URL)) (*document, error) {
	switch {
	case arg == "-":
		return ld.sniff("standard input", ld.app.stdin, nil)
	case isURL(arg):
		u, err := url.Parse(arg)
		if err != nil || u.Host == "" {
			return nil, diag.Usagef("fetch", fmt.Sprintf("%q is not an address", redact(arg)), "write it as http://localhost:6060")
		}
		if u.Query().Get("debug") == "2" {
			return nil, &diag.Error{
				Op: "fetch", Subject: u.Redacted(), Kind: diag.Usage,
				Err:  errors.New("debug=2 stops the world while the service prints every goroutine"),
				Hint: "omit debug=2: the profile has the same information at little cost. An existing dump can be given as a file",
			}
		}
		if !isProfileAddress(u) {
			base := strings.TrimSuffix(u.Path, "/")
			if !strings.HasSuffix(base, "/debug/pprof") {
				base += "/debug/pprof"
			}
			u.Path, u.RawPath = base+"/", ""
			complete(u)
		}
		body, err := ld.fetch(ctx, u.String(), "goroutine")
		if err != nil {
			return nil, err
		}
		return ld.sniff(u.Redacted(), body, body.Close)
	}
	f, err := os.Open(arg)
	if err != nil {
		return nil, ld.openError(arg, err)
	}
	if fi, err := f.Stat(); err == nil && fi.IsDir() {
		_ = f.Close()
		return nil, &diag.Error{Op: "read", Subject: arg, Err: errors.New("is a directory")}
	}
	head := make([]byte, 4)
	n, _ := f.ReadAt(head, 0) // what is wrong shows on reading
	if !recording.IsRecording(head[:n]) {
		return ld.sniff(arg, f, f.Close)
	}
	// A recording in a file is read where it lies.
	_ = f.Close() // nothing was written
	rec, err := ld.open(arg)
	if err != nil {
		return nil, err
	}
	return &document{name: arg, rec: rec}, nil
}

// sniff tells what a stream is by how it begins.
func (ld *loader) sniff(name string, r io.Reader, closer func() error) (*document, error) {
	d := &document{name: name, r: bufio.NewReaderSize(r, 128<<10), close: closer}
	head, _ := d.r.Peek(512) // what is wrong shows on reading
	if recording.IsRecording(head) {
		rec, err := ld.readRecording(name, d.r)
		if err != nil {
			d.Close()
			return nil, err
		}
		d.rec = rec
		return d, nil
	}
	if bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		// A dump may be compressed as well as a profile is.
		if zr, err := gzip.NewReader(bytes.NewReader(head)); err == nil {
			inner := make([]byte, 256)
			n, _ := io.ReadFull(zr, inner) // as much as the head holds
			if d.text = isText(inner[:n]); d.text {
				zr, err := gzip.NewReader(d.r)
				if err != nil {
					d.Close()
					return nil, &diag.Error{Op: "read", Subject: name, Err: err}
				}
				d.r = bufio.NewReaderSize(zr, 128<<10)
			}
		}
		return d, nil
	}
	d.text = isText(head)
	return d, nil
}

// isText says whether head begins a text: valid UTF-8 without control characters.
// No protobuf profile begins so, as its first field is a message with lengths.
func isText(head []byte) bool {
	for len(head) > 0 {
		c, n := utf8.DecodeRune(head)
		if c == utf8.RuneError && n == 1 && len(head) >= utf8.UTFMax {
			return false
		}
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\x1b' {
			return false
		}
		head = head[n:]
	}
	return true
}

// registerSource binds the flags with which goroutines and memory read their
// arguments.
func (f *viewFlags) registerSource(cmd *cobra.Command) {
	f.command = cmd.Name()
	fs := cmd.Flags()
	f.given = fs.Changed
	fs.SortFlags = false
	fs.BoolVar(&f.JSON, "json", false, "write JSON")
	fs.StringArrayVarP(&f.Header, "header", "H", nil, "send the header `NAME:VALUE` when fetching an address; may repeat")
	fs.Var(&f.MaxMemory, "max-memory", "memory limit for decoding one profile, such as 2GB (`SIZE`; default: relative to the input)")
}

// missingPart is the error for a part that a recording does not have, with what
// the recording says of why.
func missingPart(rec *recording.Recording, name, part, what string) error {
	e := &diag.Error{Op: "read", Subject: name, Err: fmt.Errorf("the recording holds no %s", what)}
	if len(rec.Warnings) > 0 { // cut off before it, most likely
		e.Err = fmt.Errorf("the recording holds no %s: %w", what, errors.Join(rec.Warnings...))
	}
	for _, m := range rec.Meta().Missing {
		if m.Part == part {
			e.Err = fmt.Errorf("the recording holds no %s: %s", what, m.Reason)
			e.Hint = m.Cure
		}
	}
	return e
}

// twoArgs is the argument check of commands that show one document or compare
// two.
func twoArgs(example string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return diag.Usagef(cmd.Name(), "nothing to read", "name a recording, a file, an address or - for standard input: `"+example+"`")
		case len(args) > 2:
			return diag.Usagef(cmd.Name(), fmt.Sprintf("want one argument to show or two to compare, got %d", len(args)), usageHint(cmd))
		case len(args) == 2 && args[0] == "-" && args[1] == "-":
			return diag.Usagef(cmd.Name(), "standard input can be read only once", "")
		}
		return nil
	}
}
