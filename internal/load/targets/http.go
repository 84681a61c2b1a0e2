package targets

import (
	"bytes"
	"strings"

	"github.com/whet-go/whet/load"
)

// readHTTP reads vegeta's HTTP format, and plain lists of addresses.
// https://github.com/tsenart/vegeta#http-format
func (r *reader) readHTTP(data []byte) error {
	var (
		t       load.Target
		started int  // line of t's request line; 0 means none yet
		closed  bool // t has its body
	)
	end := func() error {
		if started == 0 {
			return nil
		}
		at := started
		started, closed = 0, false
		return r.add(at, t)
	}
	number := 0
	for raw := range bytes.Lines(data) {
		number++
		line := strings.TrimSpace(string(raw))
		switch {
		case line == "":
			if err := end(); err != nil {
				return err
			}
		case line[0] == '#':
			if err := r.comment(number, line); err != nil {
				return err
			}
		case line[0] == '@':
			if started == 0 || closed {
				return r.errorf(number, "expected METHOD URL before the file of a body")
			}
			body, err := r.file(number, line[1:])
			if err != nil {
				return err
			}
			t.Body, closed = body, true
		default:
			if method, address, ok := requestLine(line); ok {
				if err := end(); err != nil {
					return err
				}
				t, started = load.Target{Method: method, URL: address, Name: r.takeName(), Weight: r.takeWeight()}, number
				continue
			}
			// The line may contain a secret and is not repeated.
			name, value, ok := strings.Cut(line, ":")
			name, value = strings.TrimSpace(name), strings.TrimSpace(value)
			switch {
			case started == 0:
				return hint(r.errorf(number, "expected METHOD URL, such as GET http://127.0.0.1:8080/"),
					"headers directly follow their METHOD URL line")
			case closed:
				return hint(r.errorf(number, "expected METHOD URL or an empty line after the file of a body"),
					"headers come before the @ line")
			case !ok || name == "" || value == "":
				return r.errorf(number, "expected Name: value, @body-file, METHOD URL or an empty line")
			}
			var err error
			if t.Header, err = addHeader(t.Header, name, value); err != nil {
				return r.errorf(number, "%w", err)
			}
		}
	}
	return end()
}

// requestLine reads METHOD URL, or URL alone.
func requestLine(line string) (method, address string, ok bool) {
	if hasScheme(line) {
		return "", line, true
	}
	at := strings.IndexAny(line, " \t")
	// As in vegeta, capitals distinguish a method from a header field name, which also ends in a
	// colon.
	if at <= 0 || strings.Trim(line[:at], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return "", "", false
	}
	return line[:at], strings.TrimSpace(line[at:]), true
}

// hasScheme reports whether an address begins with http:// or https://.
func hasScheme(address string) bool {
	lower := strings.ToLower(address[:min(len(address), len("https://"))])
	return strings.HasPrefix(lower, "http://") || lower == "https://"
}
