package handlers

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"

	"github.com/whet-go/whet/internal/diag"
)

// statusError is an answer with a status other than 200.
type statusError struct {
	code int
	text string // the first line of the body
}

func (e *statusError) Error() string {
	s := fmt.Sprintf("target answers %d %s", e.code, http.StatusText(e.code))
	if e.text != "" && e.text != "404 page not found" { // net/http's text for the same status
		s += ": " + e.text
	}
	return s
}

// Status returns the status of the answer that err reports; 0 if it is another error.
func Status(err error) int {
	if se := (*statusError)(nil); errors.As(err, &se) {
		return se.code
	}
	return 0
}

// errNotOffered is the error for a profile that the index page does not list.
var errNotOffered = errors.New("the target does not serve it")

// Gone reports whether err means that the target is gone. Errors about local files do not mean
// that.
func Gone(err error) bool {
	file := (*fs.PathError)(nil)
	return Status(err) == 0 && !errors.As(err, &file) && !errors.Is(err, errHTML) && !errors.Is(err, errNotOffered) &&
		!errors.Is(err, errTooLarge)
}

var errHTML = errors.New("target answers with an HTML page instead")

// checkResponse returns an error unless resp is an answer to kind. It then closes the body.
func checkResponse(kind string, resp *http.Response) error {
	html := strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html")
	if resp.StatusCode == http.StatusOK && (!html || kind == "") {
		return nil
	}
	head, _ := io.ReadAll(io.LimitReader(resp.Body, 512)) // only for the explanation
	_ = resp.Body.Close()
	if resp.StatusCode == http.StatusOK {
		return errHTML
	}
	line := ""
	if !html && !bytes.HasPrefix(bytes.TrimSpace(head), []byte("<")) {
		line, _, _ = strings.Cut(strings.TrimSpace(string(head)), "\n")
		line = strings.Map(func(r rune) rune {
			if r < ' ' {
				return -1
			}
			return r
		}, strings.ToValidUTF8(line, ""))
		line = line[:min(len(line), 200)]
	}
	return &statusError{resp.StatusCode, line}
}

// looksLikeProfile returns an error if data looks like a web page or is empty.
func looksLikeProfile(data []byte) error {
	head := bytes.TrimSpace(data[:min(len(data), 64)])
	switch {
	case len(data) == 0:
		return errors.New("answer is empty")
	case bytes.HasPrefix(head, []byte("<")):
		return errHTML
	}
	return nil
}

// plain unwraps the errors in which net/http repeats the address with its query.
func plain(err error) error {
	for ue := (*url.Error)(nil); errors.As(err, &ue); {
		err = ue.Err
	}
	return err
}

// Explain adds the handler's address, without credentials, and a hint to the error of a request.
func (c *Client) Explain(kind string, err error) error { return c.explain(kind, c.url(kind, nil), err) }

// explain is Explain for a request to u.
func (c *Client) explain(kind string, u *url.URL, err error) error {
	err = plain(err)
	what := kind
	if what == "" {
		what = "index"
	}
	return &diag.Error{Op: "fetch " + what + " from", Subject: public(u), Err: err, Hint: hintFor(kind, err)}
}

func hintFor(kind string, err error) string {
	if h := diag.Hint(err); h != "" {
		return h
	}
	if se := (*statusError)(nil); errors.As(err, &se) {
		return se.hint(kind)
	}
	msg := err.Error()
	switch {
	case errors.Is(err, errHTML):
		return "another handler answers there, perhaps a login page: give the handlers' prefix with --pprof-path, " +
			"credentials with -H or --token-file"
	case errors.Is(err, errCutShort):
		return "there may be a proxy in between: record the target's own address, or let the window run to its end"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens there: is the target running, and is this the address of its pprof handlers?"
	case errors.As(err, new(*net.DNSError)):
		return "check the host name"
	case errors.As(err, new(x509.UnknownAuthorityError)):
		return "give the certificate authority with --ca FILE"
	case errors.As(err, new(x509.HostnameError)):
		return "use the name that the certificate is for"
	case strings.Contains(msg, "certificate required"), strings.Contains(msg, "bad certificate"),
		strings.Contains(msg, "handshake failure"):
		return "the target requires a client certificate: --cert FILE --key FILE"
	case strings.Contains(msg, "server gave HTTP response to HTTPS client"):
		return "use http://"
	case strings.Contains(msg, "malformed HTTP response"):
		return "this port does not speak HTTP; if it speaks TLS, use https://"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return "the target does not answer in time"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return "the target closed the connection: did it exit or restart? See its log"
	}
	return ""
}

func (e *statusError) hint(kind string) string {
	switch {
	case strings.Contains(e.text, "profiling already in use"):
		return "another CPU profile is running (a continuous profiler, another whet, go tool pprof): wait until it ends"
	case strings.Contains(e.text, "HTTP request to an HTTPS server"):
		return "use https://"
	case strings.Contains(e.text, "Could not enable tracing"):
		return "another execution trace is running: wait until it ends, or pass --trace 0"
	case e.code == http.StatusUnauthorized || e.code == http.StatusForbidden:
		return "give credentials: --token-file FILE, -H 'Name: value', or --cert FILE --key FILE"
	case e.code == http.StatusNotFound && kind == "":
		return "give the prefix under which the pprof handlers are mounted with --pprof-path"
	case e.code == http.StatusNotFound:
		return mount(kind)
	case e.code == http.StatusTooManyRequests || e.code == http.StatusServiceUnavailable:
		return "the target, or a proxy in front of it, is too busy: try again"
	case e.code == http.StatusBadGateway || e.code == http.StatusGatewayTimeout:
		return "a proxy in between timed out: record the target's own address, or a shorter window with -d"
	}
	return ""
}

// mount returns the line of code that makes a target serve kind.
func mount(kind string) string {
	switch kind {
	case "cpu":
		return `mux.HandleFunc("/debug/pprof/profile", pprof.Profile)`
	case "trace":
		return `mux.HandleFunc("/debug/pprof/trace", pprof.Trace)`
	case "cmdline":
		return `mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)`
	case "flight":
		return "agent.Start(agent.Options{Flight: 10 * time.Second}) in the target keeps the last seconds (package " +
			"github.com/whet-go/whet/agent); without it, whet record -d 10s records the next ones"
	case "slow":
		return "handler = a.Watch(handler) in the target, with the agent a, reports slow requests"
	case "goroutineleak":
		return "build the target with Go 1.27, or with Go 1.26 and GOEXPERIMENT=goroutineleakprofile"
	}
	return fmt.Sprintf(`mux.Handle("/debug/pprof/%s", pprof.Handler(%q))`, kind, kind)
}
