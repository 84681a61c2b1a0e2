package request

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/whet-go/whet/internal/diag"
)

// userAgent is the default User-Agent.
const userAgent = "whet-load"

// A Template makes requests.
type Template struct {
	method, scheme, host string
	url                  string // redacted
	path                 pieces
	header               []line
	body                 []byte // when it has no variables
	bodyPieces           pieces // when it has
	rows                 [][]string
	fixed                bool
}

// A line is a field of the header.
type line struct {
	name  string
	value pieces
}

// New returns the template of requests to rawURL, an absolute http or https address.
//
// names and rows are variables: a value of one row replaces {{name}} in the path and query of the
// address, in header values and in the body. In the path it is escaped by [url.PathEscape], after
// the question mark by [url.QueryEscape]; elsewhere it is used unchanged. If names is nil, there
// are no variables and {{ is ordinary text. Each row is as long as names.
//
// An empty method means GET. The fragment of the address is dropped. Its user information becomes
// Basic authentication unless header has an Authorization. A Host in header replaces the host in
// the request. An empty User-Agent means that none is sent; the default is "whet-load". Field names
// are sent as written, sorted.
//
// The error is an [*Error]. The template keeps body and rows.
func New(method, rawURL string, header http.Header, body []byte, names []string, rows [][]string) (*Template, error) {
	v := vars{names, rows}
	if err := v.check(); err != nil {
		return nil, err
	}
	t := &Template{method: method, rows: rows}
	if t.method == "" {
		t.method = http.MethodGet
	}
	if err := checkMethod(t.method); err != nil {
		return nil, err
	}
	user, err := t.address(rawURL, v)
	if err != nil {
		return nil, err
	}
	if err := t.fields(header, user, v); err != nil {
		return nil, err
	}
	t.body = body
	t.fixed = t.path.fixed()
	if v.names != nil {
		if t.bodyPieces, err = v.cut(string(body)); err != nil {
			return nil, inPart(err, "body")
		}
		if t.bodyPieces.fixed() {
			t.bodyPieces = nil
		}
		t.fixed = t.fixed && t.bodyPieces == nil
	}
	for _, l := range t.header {
		t.fixed = t.fixed && l.value.fixed()
	}
	if !t.fixed && len(rows) == 0 {
		return nil, &diag.Error{
			Op: "fill in", Subject: "variables", Err: errors.New("no row of values"),
			Hint: "give at least one row",
		}
	}
	if t.fixed {
		t.rows = nil
	}
	return t, nil
}

func checkMethod(method string) error {
	switch {
	case !httpguts.ValidHeaderFieldName(method): // both are tokens
		return &diag.Error{
			Op: "check method", Subject: quote(method), Err: errors.New("not a valid method"),
			Hint: "give a method such as GET or POST",
		}
	case method == http.MethodConnect:
		return &diag.Error{
			Op: "check method", Subject: quote(method),
			Err: errors.New("CONNECT opens a tunnel and has no answer to measure"), Hint: "give a method such as GET or POST",
		}
	}
	return nil
}

// inPart names the part of the request in an error.
func inPart(err error, part string) error {
	var e *diag.Error
	if errors.As(err, &e) {
		e.Subject += " in the " + part
	}
	return err
}

// address splits the address and returns its user information.
func (t *Template) address(raw string, v vars) (*url.Userinfo, error) {
	bad := func(subject string, err error) error {
		return &diag.Error{
			Op: "read", Subject: subject, Err: err,
			Hint: "give an absolute address such as http://127.0.0.1:8080/path",
		}
	}
	const mark = "://"
	start := strings.Index(raw, mark)
	split := len(raw) // between authority and path
	if start >= 0 {
		start += len(mark)
		if i := strings.IndexAny(raw[start:], "/?#"); i >= 0 {
			split = start + i
		}
	}
	base, rest := raw[:split], raw[split:]
	if v.names != nil && strings.Contains(base, "{{") {
		return nil, &diag.Error{
			Op: "read", Subject: "address", Err: errors.New("variable before the path"),
			Hint: "variables are allowed in the path and query, in header values and in the body; give one target per host",
		}
	}
	if start < 0 {
		subject := quote(raw)
		if strings.Contains(raw, "@") {
			subject = "address" // which may contain a password
		}
		return nil, bad(subject, errors.New("not an http:// or https:// address"))
	}
	u, err := url.Parse(base)
	if err != nil {
		var ue *url.Error
		if errors.As(err, &ue) {
			err = ue.Err // without the address
		}
		if strings.Contains(raw, "@") {
			// The cause may quote a part of the password.
			err = errors.New("invalid character in user, password or host; escape it in user and password as %XX")
		}
		return nil, bad("address", err)
	}
	subject := u.Redacted() + rest
	switch {
	case strings.ContainsFunc(rest, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return nil, bad(fmt.Sprintf("%q", subject), errors.New("control character in the address"))
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, bad(subject, fmt.Errorf("unknown scheme %q (want http or https)", u.Scheme))
	case u.Hostname() == "":
		return nil, bad(subject, errors.New("no host"))
	case u.Port() != "" && !isPort(u.Port()):
		return nil, bad(subject, fmt.Errorf("port %s (want at most 65535)", u.Port()))
	}
	t.scheme = u.Scheme
	if t.host, err = host(u.Host); err != nil {
		return nil, bad(subject, err)
	}
	p, err := v.cut(rest)
	if err != nil {
		return nil, inPart(err, "address")
	}
	if t.path, err = p.uri(); err != nil {
		return nil, bad(subject, err)
	}
	rest, _, _ = strings.Cut(rest, "#")
	t.url = u.Redacted() + rest
	return u.User, nil
}

func isPort(digits string) bool {
	_, err := strconv.ParseUint(digits, 10, 16)
	return err == nil
}

// host returns the Host header for the host of an address: without an empty port, in ASCII, and
// without the zone of an IPv6 address, which is local to this machine (RFC 6874, section 4).
func host(h string) (string, error) {
	if strings.LastIndexByte(h, ':') > strings.LastIndexByte(h, ']') {
		h = strings.TrimSuffix(h, ":")
	}
	ascii, err := httpguts.PunycodeHostPort(h)
	if err != nil {
		return "", fmt.Errorf("host %q: %w", h, err)
	}
	if !httpguts.ValidHostHeader(ascii) {
		return "", fmt.Errorf("invalid character in host %q", h)
	}
	if end := strings.LastIndexByte(ascii, ']'); end >= 0 {
		if zone := strings.LastIndexByte(ascii[:end], '%'); zone >= 0 {
			ascii = ascii[:zone] + ascii[end:]
		}
	}
	return ascii, nil
}

// fields builds the header.
func (t *Template) fields(header http.Header, user *url.Userinfo, v vars) error {
	given := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(header)) {
		if !httpguts.ValidHeaderFieldName(name) {
			return &diag.Error{
				Op: "check header", Subject: quote(name), Err: errors.New("not a header field name"),
				Hint: "names are letters, digits and hyphens",
			}
		}
		canonical := http.CanonicalHeaderKey(name)
		given[canonical] = true
		for _, value := range header[name] {
			if err := t.field(name, canonical, value, v); err != nil {
				return err
			}
		}
	}
	if user != nil && !given["Authorization"] {
		password, _ := user.Password()
		value := "Basic " + base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password))
		t.add("Authorization", pieces{{text: value, column: -1}})
	}
	if !given["User-Agent"] {
		t.add("User-Agent", pieces{{text: userAgent, column: -1}})
	}
	return nil
}

func (t *Template) add(name string, value pieces) {
	t.header = append(t.header, line{name, value})
}

// field adds one field of the user's header.
func (t *Template) field(name, canonical, value string, v vars) error {
	bad := func(err error, hint string) error {
		return &diag.Error{Op: "check header", Subject: name, Err: err, Hint: hint}
	}
	if !httpguts.ValidHeaderFieldValue(value) {
		return bad(errors.New("control character in the value"), "remove line ends and other control characters")
	}
	switch canonical {
	case "Content-Length":
		return bad(errors.New("Content-Length is computed from the body"), "omit it")
	case "Transfer-Encoding":
		return bad(errors.New("bodies are sent unencoded, with their length"), "omit it")
	case "Host":
		var err error
		switch {
		case v.names != nil && strings.Contains(value, "{{"):
			return bad(errors.New("variables are not allowed here"), "give one target per host")
		case value == "":
			return nil
		}
		if t.host, err = host(value); err != nil {
			return bad(err, "write it as name or name:port")
		}
		return nil
	case "User-Agent":
		if value == "" {
			return nil
		}
	}
	p, err := v.cut(value)
	if err != nil {
		return inPart(err, "header "+name)
	}
	for _, it := range p {
		if it.column < 0 {
			continue
		}
		for i, row := range v.rows {
			if !httpguts.ValidHeaderFieldValue(row[it.column]) {
				return &diag.Error{
					Op: "fill in", Subject: fmt.Sprintf("{{%s}} of %s in the header %s", v.names[it.column], rowName(i), name),
					Err: errors.New("control character in the value"), Hint: "remove line ends and other control characters",
				}
			}
		}
	}
	t.add(name, p)
	return nil
}

// Fixed reports whether there are no variables, so that Expand has the same result for all rows.
func (t *Template) Fixed() bool { return t.fixed }

// URL returns the address as it was given, without the password and the fragment.
func (t *Template) URL() string { return t.url }

// Expand sets r to the request with the values of a row; rows count from 0 and wrap around. It
// reuses r's memory, and allocates the path and header values that consist of several pieces.
// Header and body of r are read-only until the next Expand.
func (t *Template) Expand(r *Request, row int) {
	var values []string
	if len(t.rows) > 0 {
		values = t.rows[row%len(t.rows)]
	}
	r.Method, r.Scheme, r.Host = t.method, t.scheme, t.host
	r.Path, r.scratch = t.path.string(r.scratch, values)
	r.Header = slices.Grow(r.Header[:0], len(t.header))
	for _, l := range t.header {
		f := Field{Name: l.name}
		f.Value, r.scratch = l.value.string(r.scratch, values)
		r.Header = append(r.Header, f)
	}
	r.Body = t.body
	if t.bodyPieces != nil {
		r.scratch = t.bodyPieces.append(r.scratch[:0], values)
		r.Body = r.scratch
	}
}
