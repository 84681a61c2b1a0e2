package targets

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/unit"
)

// Limits of what Read accepts.
const (
	MaxFile    = 64 << 20  // bytes of a targets file or a table of variables
	MaxBodies  = 64 << 20  // bytes of all bodies of a file together; a file used twice counts once
	MaxTargets = 100_000   // targets of a file
	MaxWeight  = 1_000_000 // of one target
)

// A Format is a syntax for requests.
type Format string

// The formats.
const (
	Auto Format = ""     // detected from the content
	HTTP Format = "http" // vegeta's HTTP format; also plain lists of addresses
	JSON Format = "json" // vegeta's JSON format: one object per line
	Curl Format = "curl" // curl command lines
)

// Formats returns the formats that can be selected.
func Formats() []Format { return []Format{HTTP, JSON, Curl} }

// Options configure Read.
type Options struct {
	// Format is the format of the file; [Auto] detects it from the content.
	Format Format
	// Name is the name of the file in errors; empty means the name of the reader if it has one, as
	// an [os.File] has.
	Name string
	// Dir is the directory for relative names of body files, which should be that of the targets
	// file; empty means the working directory.
	Dir string
	// Warn, if set, is called for each thing in the file that has no effect here,
	// such as curl's --insecure, with an error like those of [Read].
	Warn func(diag.Warning)
}

// Read reads targets. Method is empty, Body nil and Weight 0 where the file gives none, so that the
// options of the load apply. A file without targets is an error.
func Read(r io.Reader, o Options) ([]load.Target, error) {
	return newReader(r, o, readBodyFile).read(r)
}

// reader reads one file.
type reader struct {
	Options
	open    func(path string, limit int64) ([]byte, error) // reads a body file
	files   map[string][]byte                              // bodies by path
	bodies  int                                            // bytes of bodies so far
	targets []load.Target
	weight  int    // of the next target; 0 means none given
	given   int    // line of weight
	name    string // of the next target; "" means none given
	named   int    // line of name
}

func newReader(r io.Reader, o Options, open func(string, int64) ([]byte, error)) *reader {
	o.Name = nameOf(r, o.Name, "targets")
	return &reader{Options: o, open: open, files: map[string][]byte{}}
}

// nameOf returns given, or the name of r, or other.
func nameOf(r io.Reader, given, other string) string {
	if named, ok := r.(interface{ Name() string }); ok && given == "" {
		given = named.Name()
	}
	if given == "" {
		return other
	}
	return given
}

// readAll reads r within MaxFile and without a byte order mark.
func readAll(r io.Reader, name string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxFile+1))
	if err != nil {
		return nil, &load.Error{Op: "read", Subject: name, Err: err}
	}
	if len(data) > MaxFile {
		return nil, &load.Error{Op: "read", Subject: name, Err: fmt.Errorf("larger than %s", unit.Bytes(MaxFile))}
	}
	return bytes.TrimPrefix(data, []byte("\ufeff")), nil
}

func (r *reader) read(from io.Reader) ([]load.Target, error) {
	data, err := readAll(from, r.Name)
	if err != nil {
		return nil, err
	}
	format := r.Format
	if format == Auto {
		format = detect(data)
	}
	switch format {
	case HTTP:
		err = r.readHTTP(data)
	case JSON:
		err = r.readJSON(data)
	case Curl:
		err = r.readCurl(data)
	default:
		return nil, &load.Error{
			Op: "read", Subject: r.Name,
			Err:  fmt.Errorf("unknown format %q (want %s, %s or %s)", string(format), HTTP, JSON, Curl),
			Hint: "omit it to detect the format from the content",
		}
	}
	switch {
	case err != nil:
		return nil, err
	case r.weight != 0:
		return nil, r.errorf(r.given, "no target follows this weight")
	case r.name != "":
		return nil, r.errorf(r.named, "no target follows this name")
	case len(r.targets) == 0:
		return nil, &load.Error{
			Op: "read", Subject: r.Name, Err: errors.New("no targets"),
			Hint: "write one address a line, or METHOD URL lines with headers below them",
		}
	}
	return r.targets, nil
}

// detect finds the format by the first line that is neither empty nor a comment.
func detect(data []byte) Format {
	for line := range bytes.Lines(data) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if line[0] == '{' {
			return JSON
		}
		if word, _, _ := bytes.Cut(line, []byte(" ")); isCurl(string(word)) {
			return Curl
		}
		break
	}
	return HTTP
}

// errorf returns an error at a line of the file, counted from 1.
func (r *reader) errorf(line int, format string, args ...any) error {
	return &load.Error{Op: "read", Subject: r.Name + ":" + strconv.Itoa(line), Err: fmt.Errorf(format, args...)}
}

// hint adds a hint to an error of errorf.
func hint(err error, next string) error {
	var e *load.Error
	if errors.As(err, &e) {
		e.Hint = next
	}
	return err
}

// warn reports something without effect.
func (r *reader) warn(line int, format string, args ...any) {
	if r.Warn != nil {
		r.Warn(diag.Warning{Where: r.Name + ":" + strconv.Itoa(line), Text: fmt.Sprintf(format, args...)})
	}
}

// comment looks for the weight or the name of the next target in a line that starts with #.
func (r *reader) comment(line int, text string) error {
	text = strings.TrimSpace(strings.TrimLeft(text, "#"))
	if name, ok := strings.CutPrefix(text, "name:"); ok {
		if r.name != "" {
			return r.errorf(line, "duplicate name for one target (first in line %d)", r.named)
		}
		name = strings.TrimSpace(name)
		if err := checkName(name); err != nil {
			return r.errorf(line, "%w", err)
		}
		r.name, r.named = name, line
		return nil
	}
	value, ok := strings.CutPrefix(text, "weight:")
	if !ok {
		return nil
	}
	if r.weight != 0 {
		return r.errorf(line, "duplicate weight for one target (first in line %d)", r.given)
	}
	w, err := strconv.Atoi(strings.TrimSpace(value))
	if err != nil {
		return r.errorf(line, "weight %q is not a whole number", strings.TrimSpace(value))
	}
	if err := checkWeight(w); err != nil {
		return r.errorf(line, "%w", err)
	}
	r.weight, r.given = w, line
	return nil
}

func checkWeight(w int) error {
	if w < 1 || w > MaxWeight {
		return fmt.Errorf("weight %d is not between 1 and %d", w, MaxWeight)
	}
	return nil
}

// maxName bounds the length of a name, which is a cell of tables.
const maxName = 100

// checkName accepts names that objectives can use: "NAME: p99<5ms,…".
func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("the name is empty")
	case len(name) > maxName:
		return fmt.Errorf("the name is longer than %d bytes", maxName)
	case !utf8.ValidString(name) || strings.ContainsFunc(name,
		func(c rune) bool { return c < ' ' || c == 0x7f || strings.ContainsRune(",:<>=", c) }):
		return fmt.Errorf("name %q contains , : < > = or a control character", name)
	}
	return nil
}

// takeName returns the name for the target that begins here.
func (r *reader) takeName() string {
	name := r.name
	r.name = ""
	return name
}

// takeWeight returns the weight for the target that begins here.
func (r *reader) takeWeight() int {
	w := r.weight
	r.weight = 0
	return w
}

// add checks a target that begins in a line and keeps it.
func (r *reader) add(line int, t load.Target) error {
	if len(r.targets) == MaxTargets {
		return r.errorf(line, "more than %d targets", MaxTargets)
	}
	if err := checkMethod(t.Method); err != nil {
		return r.errorf(line, "%w", err)
	}
	if err := checkURL(t.URL); err != nil {
		return hint(r.errorf(line, "%w", err), "give an absolute address such as http://127.0.0.1:8080/path")
	}
	r.targets = append(r.targets, t)
	return nil
}

// count counts bytes of bodies, and of data made from them.
func (r *reader) count(line, n int) error {
	if r.bodies += n; r.bodies > MaxBodies {
		return r.errorf(line, "bodies are larger than %s in total", unit.Bytes(MaxBodies))
	}
	return nil
}

// file reads a body file.
func (r *reader) file(line int, name string) ([]byte, error) {
	if name == "" || name == "-" {
		return nil, r.errorf(line, "expected the name of a file after @")
	}
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.Dir, path)
	}
	if body, ok := r.files[path]; ok {
		return body, nil
	}
	body, err := r.open(path, MaxBodies)
	if err != nil {
		return nil, hint(r.errorf(line, "read body: %w", err),
			"names of body files are relative to the directory of the targets file")
	}
	if err := r.count(line, len(body)); err != nil {
		return nil, err
	}
	r.files[path] = body
	return body, nil
}

// readBodyFile reads a regular file, at most limit+1 bytes of it. The result is not nil.
func readBodyFile(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path) // before opening, which waits for the writer of a pipe
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	return io.ReadAll(io.LimitReader(f, limit+1))
}

func checkMethod(m string) error {
	if m != "" && !isToken(m) {
		return fmt.Errorf("%q is not a method (want GET, POST or another name in capitals)", m)
	}
	return nil
}

// checkURL accepts absolute http and https addresses. Its errors do not repeat the
// address, which may hold a password.
func checkURL(raw string) error {
	control := func(c rune) bool { return c < ' ' || c == 0x7f }
	blank := blankVariables(raw)
	if !utf8.ValidString(raw) || strings.ContainsFunc(raw, control) || strings.Contains(blank, " ") {
		return errors.New("the address contains a space, a control character or invalid UTF-8; percent-encode it, such as " +
			"%20")
	}
	raw = blank
	u, err := url.Parse(raw)
	switch {
	case err != nil && strings.Contains(raw, "@"):
		return errors.New("the address cannot be parsed")
	case err != nil:
		var ue *url.Error
		if errors.As(err, &ue) {
			err = ue.Err
		}
		return fmt.Errorf("address %q: %w", raw, err)
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("expected an address that starts with http:// or https://, found the scheme %q", u.Scheme)
	case u.Hostname() == "":
		return errors.New("the address has no host")
	}
	return nil
}

// blankVariables empties the {{name}} of an address: a name may have spaces.
func blankVariables(address string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(address, "{{")
		_, after, closed := strings.Cut(rest, "}}")
		if !ok || !closed {
			b.WriteString(address)
			return b.String()
		}
		b.WriteString(before + "{{}}")
		address = after
	}
}

// addHeader adds a field to h, which may be nil, and returns h.
func addHeader(h http.Header, name, value string) (http.Header, error) {
	if !isToken(name) {
		return h, fmt.Errorf("invalid header field name %q", name)
	}
	// The value may be secret.
	if !utf8.ValidString(value) || strings.ContainsFunc(value,
		func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) {
		return h, fmt.Errorf("header field %s: value contains a control character or invalid UTF-8", name)
	}
	if h == nil {
		h = http.Header{}
	}
	h.Add(name, value)
	return h, nil
}

// isToken reports whether s is a token (RFC 9110, section 5.6.2).
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool {
		return c <= ' ' || c >= 0x7f || slices.Contains([]rune(`"(),/:;<=>?@[\]{}`), c)
	})
}
