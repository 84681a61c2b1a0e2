package scrape

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/whet-go/whet/internal/origin"
	"github.com/whet-go/whet/internal/scrape/config"
	"github.com/whet-go/whet/internal/scrape/discover"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store"
)

const (
	maxAnswer = 16 << 20  // bytes of one answer
	maxDecode = 128 << 20 // bytes of one decoded profile
	maxHeader = 64 << 10
	minBuffer = 32 << 10
	// dialTimeout bounds connecting; the timeout of the job may be shorter.
	dialTimeout = 10 * time.Second
)

// A goneError means that the target does not answer, so that there is no point in asking for more.
type goneError struct{ err error }

func (e *goneError) Error() string { return e.err.Error() }
func (e *goneError) Unwrap() error { return e.err }

func gone(err error) bool {
	var g *goneError
	return errors.As(err, &g)
}

// A session is one scrape of a target. Its connection is used for all profiles and then closed, so that
// the number of descriptors is that of scrapes.
type session struct {
	http.Client
	suspect bool         // the target failed the last time
	dials   atomic.Int64 // connections so far

	// revision is what the program was built from, as it was on connection number asked.
	revision string
	asked    int64
}

// session returns a session without a connection.
func (t *target) session(suspect bool) (*session, error) {
	certs, err := t.job.tlsConfig(time.Now())
	if err != nil {
		return nil, err
	}
	s := &session{suspect: suspect}
	s.CheckRedirect = origin.Policy{Secret: true}.Redirect
	s.Transport = &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: certs.Clone(), DisableCompression: true,
		MaxConnsPerHost: 1, MaxIdleConnsPerHost: 1, MaxResponseHeaderBytes: maxHeader, TLSHandshakeTimeout: dialTimeout,
		TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{}, // one connection needs no HTTP/2
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			ctx, cancel := context.WithTimeout(ctx, dialTimeout)
			defer cancel()
			s.dials.Add(1)
			return t.job.e.o.Dial(ctx, network, address)
		},
	}
	return s, nil
}

// outcome is what a fetch has for the store.
type outcome struct {
	profile *store.Profile // nil if there is nothing to store
	note    string         // why not
}

// fetch fetches one profile.
func (t *target) fetch(ctx context.Context, c *session, kind string) (outcome, error) {
	window := t.job.Window(kind)
	begin := time.Now()
	data, err := t.get(ctx, c, kind, window)
	if err != nil {
		return outcome{}, err
	}
	defer func() { t.job.e.answers.give(int64(cap(data))) }()
	labels := t.labels.WithRevision(t.revision(ctx, c))
	if !t.job.e.decoders.take(ctx) {
		return outcome{}, ctx.Err()
	}
	defer t.job.e.decoders.give()
	p, err := decode(kind, data)
	if err != nil {
		return outcome{}, err
	}
	out := store.Profile{Service: t.service, Kind: kind, Labels: labels, Start: begin.UTC(), Data: p}
	if config.Counts(kind) {
		// A handler that ignores seconds answers with a profile without a duration.
		if window > 0 && p.Duration > 0 {
			t.dropBase(kind)
			if out.Data, err = counters(p); err != nil {
				return outcome{}, err
			}
		} else if note, err := t.subtract(&out, kind, data); err != nil || note != "" {
			return outcome{note: note}, err
		}
		if out.Data.NumSamples() == 0 {
			return outcome{note: "nothing was counted"}, nil
		}
	}
	if window > 0 && out.Duration == 0 {
		// The clock of the target is not needed, and neither is one that is wrong.
		if out.Duration = p.Duration; out.Duration <= 0 || out.Duration > time.Since(begin)+time.Second {
			out.Duration = window
		}
	}
	return outcome{profile: &out}, nil
}

// decode decodes an answer and checks that it is of the kind that the request was for.
func decode(kind string, data []byte) (*profile.Profile, error) {
	most := min(maxDecode, profile.LimitBase+profile.LimitFactor*int64(len(data)))
	p, err := profile.Read(bytes.NewReader(data), profile.ReadOptions{MaxBytes: most, Size: int64(len(data))})
	if err != nil {
		return nil, fmt.Errorf("the answer is not a profile: %w", err)
	}
	want := map[string]string{
		config.CPU: "cpu", config.Heap: "inuse_space", config.Allocs: "alloc_space", config.Mutex: "delay",
		config.Block: "delay", config.Goroutine: "goroutine",
	}[kind]
	if !slices.ContainsFunc(p.SampleTypes, func(v profile.ValueType) bool { return v.Type == want }) {
		return nil, fmt.Errorf("the answer is another profile: it has no values of type %s", want)
	}
	return p, nil
}

// get returns the answer to the request for a profile. The caller gives back the memory of its
// capacity.
func (t *target) get(ctx context.Context, c *session, kind string, window time.Duration) ([]byte, error) {
	limit := window + t.job.Timeout
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	name := kind
	if kind == config.CPU {
		name = "profile"
	}
	address := t.url + "/" + name
	if window > 0 {
		address += "?seconds=" + strconv.Itoa(int(window.Seconds()))
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, &goneError{errors.New("the address is not valid")}
	}
	r.Header.Set("User-Agent", "whet")
	token := ""
	if t.job.Token != "" {
		if token, err = discover.ReadToken(t.job.Token); err != nil {
			return nil, &goneError{fmt.Errorf("read the token: %w", err)}
		}
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := c.Do(r)
	if err != nil {
		return nil, &goneError{plain(ctx, err, limit)}
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		head, _ := io.ReadAll(io.LimitReader(answer.Body, 1<<10)) // the status says enough
		line, _, _ := strings.Cut(strings.TrimSpace(string(head)), "\n")
		if len(line) > 200 || strings.HasPrefix(line, "<") || token != "" && strings.Contains(line, token) {
			line = ""
		}
		if line != "" {
			line = ": " + line
		}
		return nil, fmt.Errorf("the target answers %d %s%s", answer.StatusCode, http.StatusText(answer.StatusCode), line)
	}
	data, err := readBody(t.job.e.answers, answer.Body, c.suspect)
	if err != nil {
		if errors.Is(err, errRoom) || errors.Is(err, errLarge) {
			return nil, err
		}
		return nil, &goneError{plain(ctx, err, limit)}
	}
	return data, nil
}

// plain returns a network error without the address, which the event has.
func plain(ctx context.Context, err error, limit time.Duration) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("no complete answer within %v", limit)
	}
	if e := (*url.Error)(nil); errors.As(err, &e) {
		err = e.Err
	}
	return err
}

// errLarge is the error of answers that are too large.
var errLarge = fmt.Errorf("the answer has more than %d MiB", maxAnswer>>20)

// readBody reads an answer into memory of r, which has its capacity less if there is no error. With
// suspect, half of the memory remains for others.
func readBody(r *room, body io.Reader, suspect bool) ([]byte, error) {
	var others int64
	if suspect {
		others = r.all / 2
	}
	var data []byte
	fail := func(err error) ([]byte, error) {
		r.give(int64(cap(data)))
		return nil, err
	}
	for {
		if len(data) == maxAnswer {
			switch _, err := io.ReadFull(body, make([]byte, 1)); {
			case errors.Is(err, io.EOF):
				return data, nil
			case err != nil:
				return fail(err)
			}
			return fail(errLarge)
		}
		if len(data) == cap(data) {
			size := max(minBuffer, 2*cap(data))
			if !r.takeBut(others, int64(size)) {
				return fail(errRoom)
			}
			grown := make([]byte, len(data), size)
			copy(grown, data)
			r.give(int64(cap(data)))
			data = grown
		}
		n, err := body.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case errors.Is(err, io.EOF):
			return data, nil
		case err != nil:
			return fail(err)
		}
	}
}
