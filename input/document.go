package input

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/input/content"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
)

// A Document is the content of one argument, for commands that read more than profiles: a recording
// with all its parts, a trace, or text output of the runtime. It must be closed.
type Document struct {
	Name string // for messages, without a password
	Path string // the argument

	Recording *recording.Recording // if nil, use Reader
	Reader    *bufio.Reader
	Text      bool // Reader is text, not a profile

	options profile.ReadOptions // for reading a profile from Reader
	close   func() error
}

// Close releases the document; data read from it stays valid.
func (d *Document) Close() {
	if d.Recording != nil {
		_ = d.Recording.Close() // read-only: nothing can be lost
	}
	if d.close != nil {
		_ = d.close() // likewise
	}
}

// Document opens arg. If arg is the address of a service's pprof handlers, which ends in a slash,
// complete returns the address of the document.
func (o *Opener) Document(ctx context.Context, arg string, complete func(*url.URL)) (*Document, error) {
	switch {
	case arg == "-":
		r, err := o.stdin()
		if err != nil {
			return nil, err
		}
		return o.sniff(&Document{Name: "standard input", Path: arg, options: o.streamOptions()}, r)
	case IsURL(arg):
		u, err := url.Parse(arg)
		if err != nil || u.Host == "" {
			return nil, diag.Usagef("fetch", fmt.Sprintf("%q is not an address", redact(arg)),
				"write it as http://localhost:6060")
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
		body, err := o.fetch(ctx, u.String(), "goroutine")
		if err != nil {
			return nil, err
		}
		return o.sniff(&Document{Name: u.Redacted(), Path: arg, options: o.streamOptions(), close: body.Close}, body)
	}
	f, err := o.openFile(arg)
	if err != nil {
		return nil, o.openError(arg, err)
	}
	if fi, err := f.Stat(); err == nil && fi.IsDir() {
		_ = f.Close()
		return nil, &diag.Error{Op: "read", Subject: arg, Err: errors.New("is a directory")}
	}
	head := make([]byte, 4)
	n, _ := f.ReadAt(head, 0) // errors recur when it is read
	if !recording.IsRecording(head[:n]) {
		return o.sniff(&Document{Name: arg, Path: arg, options: o.readOptions(), close: f.Close}, f)
	}
	// A recording in a file is read in place.
	_ = f.Close() // nothing was written
	rec, err := o.openRecording(arg)
	if err != nil {
		return nil, err
	}
	return &Document{Name: arg, Path: arg, Recording: rec}, nil
}

// sniff determines the type of d's content, which r reads, from its first bytes.
func (o *Opener) sniff(d *Document, r io.Reader) (*Document, error) {
	d.Reader = bufio.NewReaderSize(r, 128<<10)
	head, _ := d.Reader.Peek(512) // errors recur when it is read
	if recording.IsRecording(head) {
		rec, err := o.readRecording(d.Name, d.Reader)
		if err != nil {
			d.Close()
			return nil, err
		}
		d.Recording = rec
		return d, nil
	}
	if bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		// Dumps may be compressed, like profiles.
		if zr, err := gzip.NewReader(bytes.NewReader(head)); err == nil {
			inner := make([]byte, 256)
			n, _ := io.ReadFull(zr, inner) // as much as the head contains
			if d.Text = content.IsText(inner[:n]); d.Text {
				zr, err := gzip.NewReader(d.Reader)
				if err != nil {
					d.Close()
					return nil, &diag.Error{Op: "read", Subject: d.Name, Err: err}
				}
				d.Reader = bufio.NewReaderSize(zr, 128<<10)
			}
		}
		return d, nil
	}
	d.Text = content.IsText(head)
	return d, nil
}

// MissingPart returns the error for a part that a recording does not contain, with the reason if
// the recording states one. what describes the part.
func MissingPart(rec *recording.Recording, name, part, what string) error {
	e := &diag.Error{Op: "read", Subject: name, Err: fmt.Errorf("the recording contains no %s", what)}
	if len(rec.Warnings) > 0 { // most likely truncated before the part
		e.Err = fmt.Errorf("the recording contains no %s: %w", what, rec.Warnings.Err())
	}
	for _, m := range rec.Meta().Missing {
		if m.Part == part {
			e.Err = fmt.Errorf("the recording contains no %s: %s", what, m.Reason)
			e.Hint = m.Hint
		}
	}
	return e
}

// Program returns the module path of the recorded program's main package; "" if it is unknown.
func (d *Document) Program() string {
	if d.Recording == nil {
		return ""
	}
	if build := d.Recording.Meta().Build; build != nil {
		return mainModule(build)
	}
	return ""
}
