package input

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/origin"
	"github.com/whet-go/whet/internal/terminal"
)

// IsURL reports whether an argument is an address.
func IsURL(s string) bool {
	return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://")
}

// redact removes the password from an address for display.
func redact(s string) string {
	if u, err := url.Parse(s); err == nil {
		return u.Redacted()
	}
	return s
}

// fetch downloads a profile, given an address and a type as in Options. The caller must close it.
func (o *Opener) fetch(ctx context.Context, addr, typ string) (io.ReadCloser, error) {
	u, window, err := profileURL(addr, typ, cmp.Or(o.Duration, DefaultDuration), o.Delta)
	if err != nil {
		return nil, err
	}
	shown := u.Redacted()
	ctx, cancel := context.WithTimeout(ctx, window+fetchGrace)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		cancel()
		return nil, fmt.Errorf("fetch %s: %w", shown, err)
	}
	if req.Header = o.Header.Clone(); req.Header == nil {
		req.Header = http.Header{}
	}
	req.Host = req.Header.Get("Host") // "" means that of the address
	if window > 0 {
		o.status("profiling %s for %v", shown, window)
	}
	// Headers may be secrets: they are not sent after a redirect to another origin.
	client := &http.Client{CheckRedirect: origin.Policy{Secret: len(o.Header) > 0}.Redirect}
	resp, err := client.Do(req)
	if err != nil {
		cancel()
		return nil, fetchError(shown, err)
	}
	if err := checkResponse(resp, shown); err != nil {
		_ = resp.Body.Close() // the first error is the one to report
		cancel()
		return nil, err
	}
	// It is spooled to disk, because its size is unknown.
	file, err := spool(resp.Body)
	_ = resp.Body.Close() // all of it was read, or the first error is the one to report
	cancel()
	if err != nil {
		return nil, stalledError(shown, window, err)
	}
	return file, nil
}

// fetchGrace is how long a fetch may take in addition to the profile's own duration, including the
// whole response: a server that sends an occasional byte would never finish.
const fetchGrace = 20 * time.Second

// stalledError returns the error for an incomplete response.
func stalledError(shown string, window time.Duration, err error) error {
	e := &diag.Error{Op: "fetch", Subject: shown, Err: err, Hint: diag.Hint(err)}
	if errors.Is(err, context.DeadlineExceeded) {
		e.Err = fmt.Errorf("the response was not complete after %v", window+fetchGrace)
		e.Hint = "the service stalls, or the connection is slow: " +
			"save the response to a file with another tool, and name that file"
	}
	return e
}

func fetchError(shown string, err error) error {
	var ue *url.Error
	if errors.As(err, &ue) {
		err = ue.Err // it contains the address, with its password
	}
	e := &diag.Error{Op: "fetch", Subject: shown, Err: err}
	if !errors.Is(err, context.Canceled) && diag.Hint(err) == "" {
		e.Hint = "is the service running, and does it import net/http/pprof?"
	}
	return e
}

// checkResponse returns an error for a response that cannot be a profile.
func checkResponse(resp *http.Response, shown string) error {
	if resp.StatusCode == http.StatusOK {
		if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
			return &diag.Error{
				Op: "fetch", Subject: shown, Err: errors.New("the response is a web page, not a profile"),
				Hint: "give the base address of the service, or a profile's address such as http://HOST/debug/pprof/heap",
			}
		}
		return nil
	}
	head, _ := io.ReadAll(io.LimitReader(resp.Body, 512)) // may end early
	reason, _, _ := strings.Cut(strings.TrimSpace(string(head)), "\n")
	e := &diag.Error{Op: "fetch", Subject: shown, Err: fmt.Errorf("the server responded with %s", resp.Status)}
	if reason = terminal.Clean(reason); reason != "" && !strings.Contains(resp.Status, reason) {
		e.Err = fmt.Errorf("the server responded with %s: %s", resp.Status, reason)
	}
	switch {
	case resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden:
		e.Hint = `send a token: -H "Authorization: Bearer TOKEN"`
	case resp.StatusCode == http.StatusNotFound:
		e.Hint = "does the service import net/http/pprof, and is it served at this address?"
	case strings.Contains(reason, "already in use"):
		e.Hint = "another CPU profile of this process is being taken; try again when it is done"
	}
	return e
}

// profileURL returns the address of the profile that typ names, and how long the server measures
// before it responds. The address of a profile is unchanged, a base address is completed. With
// delta, profiles that accumulate since the start of the program cover the given duration instead.
func profileURL(addr, typ string, duration time.Duration, delta bool) (*url.URL, time.Duration, error) {
	u, err := url.Parse(addr)
	if err == nil && u.Host == "" {
		err = errors.New("no host")
	}
	if err != nil {
		return nil, 0, diag.Usagef("fetch", fmt.Sprintf("%q is not an address: %v", redact(addr), err),
			"write it as http://localhost:6060")
	}
	if !isProfileAddress(u) {
		name, _, _ := strings.Cut(typ, ":")
		switch name {
		case "", "cpu", "samples":
			name = "profile"
		case "heap.live", "inuse_space", "inuse_objects":
			name = "heap"
		case "alloc_space", "alloc_objects":
			name = "allocs"
		case "heap", "allocs", "block", "mutex", "goroutine", "threadcreate", "goroutineleak":
		default:
			return nil, 0, diag.Usagef("--type", fmt.Sprintf("services have no profile %q", typ),
				"an address offers cpu, heap, allocs, block, mutex, goroutine, threadcreate and goroutineleak")
		}
		base := strings.TrimSuffix(u.Path, "/")
		if !strings.HasSuffix(base, "/debug/pprof") {
			base += "/debug/pprof"
		}
		u.Path, u.RawPath = base+"/"+name, ""
	}
	query := u.Query()
	if s, err := strconv.ParseFloat(query.Get("seconds"), 64); err == nil && s > 0 && s < 1e6 {
		return u, time.Duration(s * float64(time.Second)), nil
	}
	if path.Base(u.Path) != "profile" && !(delta && isDelta(u)) {
		return u, 0, nil
	}
	seconds := max(int64((duration+time.Second/2)/time.Second), 1)
	query.Set("seconds", strconv.FormatInt(seconds, 10))
	u.RawQuery = query.Encode()
	return u, time.Duration(seconds) * time.Second, nil
}

// isProfileAddress reports whether an address is that of a profile, not the base of a service.
func isProfileAddress(u *url.URL) bool {
	if u.RawQuery != "" {
		return true
	}
	if i := strings.LastIndex(u.Path, "/debug/pprof/"); i >= 0 {
		return len(u.Path) > i+len("/debug/pprof/")
	}
	switch path.Base(u.Path) {
	case "profile", "heap", "allocs", "block", "mutex", "goroutine", "threadcreate", "goroutineleak":
		return true
	}
	switch path.Ext(u.Path) {
	case ".gz", ".pb", ".pprof", ".prof", ".whet":
		return true
	}
	return false
}

// CheckDuration returns an error if a duration has no effect on the profile at an address. op
// begins the error.
func CheckDuration(op, addr string) error {
	u, err := url.Parse(addr)
	switch {
	case err != nil: // reported when it is opened
		return nil
	case u.Query().Has("seconds"):
		return diag.Usagef(op, "--duration has no effect: the address "+redact(addr)+" already sets seconds", "leave one out")
	case isProfileAddress(u) && path.Base(u.Path) != "profile" && !isDelta(u):
		return diag.Usagef(op, "--duration has no effect: "+redact(addr)+" is not a profile over time",
			"omit it, or set the parameter of the address, such as ?seconds=5")
	}
	return nil
}

// isDelta reports whether an address is that of a profile for which net/http/pprof returns the
// changes over some seconds.
func isDelta(u *url.URL) bool {
	if u.Query().Get("debug") != "" {
		return false
	}
	switch path.Base(u.Path) {
	case "allocs", "block", "goroutine", "goroutineleak", "heap", "mutex", "threadcreate":
		return true
	}
	return false
}
