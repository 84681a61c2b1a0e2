package pprof

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	gprofile "github.com/google/pprof/profile"

	"github.com/whet-go/whet/internal/diag"
)

// fetcher is the driver's plugin.Fetcher. A nil profile without an error leaves the source to the
// driver.
type fetcher struct {
	recordings *recordings
	transport  http.RoundTripper
	ui         *ui
	limit      *memoryLimit

	mu   sync.Mutex
	hint string // of the last failure: the driver prints only the text of errors
}

// hinted returns the hint of the last failure, or "".
func (f *fetcher) hinted() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.hint
}

// Fetch opens recordings and addresses. A file takes precedence over an address of the same
// spelling (mem_2026-01-02_03:04:05).
func (f *fetcher) Fetch(src string, duration, timeout time.Duration) (*gprofile.Profile, string, error) {
	if file, name, ok := splitRecording(src); ok {
		p, err := f.recordings.profile(file, name)
		f.keepHint(err)
		return p, "", err
	}
	if _, err := os.Stat(src); err == nil {
		p, err := f.file(src)
		f.keepHint(err)
		return p, "", err
	}
	addr, timeout := adjustURL(src, duration, timeout)
	if addr == "" {
		return nil, "", nil
	}
	f.ui.Print("Fetching profile over HTTP from ", addr)
	if duration > 0 {
		f.ui.Print(fmt.Sprintf("Please wait... (%v)", duration))
	}
	p, err := f.get(addr, timeout)
	f.keepHint(err)
	return p, addr, err
}

// keepHint remembers the hint of a failure.
func (f *fetcher) keepHint(err error) {
	if hint := diag.Hint(err); hint != "" {
		f.mu.Lock()
		f.hint = hint
		f.mu.Unlock()
	}
}

func (f *fetcher) get(addr string, timeout time.Duration) (_ *gprofile.Profile, err error) {
	client := &http.Client{Transport: f.transport, Timeout: timeout}
	resp, err := client.Get(addr)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		msg := ""
		if resp.Header.Get("X-Go-Pprof") != "" && strings.Contains(resp.Header.Get("Content-Type"), "text/plain") {
			if body, err := io.ReadAll(io.LimitReader(resp.Body, 4<<10)); err == nil {
				msg = " - " + string(body)
			}
		}
		return nil, fmt.Errorf("server response: %s%s", resp.Status, msg)
	}
	return f.limit.stream(resp.Body)
}

// file reads a profile. It returns nil for a profile from perf: the driver can convert it.
func (f *fetcher) file(path string) (*gprofile.Profile, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // read only
	head := make([]byte, len(perfMagic))
	if n, _ := file.ReadAt(head, 0); string(head[:n]) == perfMagic {
		return nil, nil //nolint:nilnil // left to the driver
	}
	return f.limit.read(file, 0)
}

// perfMagic starts the files of Linux's perf.
const perfMagic = "PERFILE2"

// adjustURL completes an address that a user types; "" if it is none: http is the default scheme,
// the CPU profile the default path, and -seconds and -timeout apply.
func adjustURL(src string, duration, timeout time.Duration) (string, time.Duration) {
	u, err := url.Parse(src)
	if err != nil || u.Host == "" && u.Scheme != "" && u.Scheme != "file" {
		u, err = url.Parse("http://" + src) // host:port/path, parsed as a scheme
	}
	if err != nil || u.Host == "" {
		return "", 0
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/debug/pprof/profile"
	}
	values := u.Query()
	if duration > 0 {
		values.Set("seconds", strconv.Itoa(int(duration.Seconds())))
	} else if s, err := strconv.ParseInt(values.Get("seconds"), 10, 32); err == nil {
		duration = time.Duration(s) * time.Second
	}
	if timeout <= 0 {
		timeout = duration + 20*time.Second // no longer, even if the answer never ends
	}
	u.RawQuery = values.Encode()
	return u.String(), timeout
}
