package service

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/load/request"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/unit"
)

const (
	// maxRequests is the maximum number of distinct requests that are compared before the load.
	maxRequests = 100
	// maxKept is how much of a body is kept to show where two bodies differ. The rest is compared
	// by its hash.
	maxKept = 64 << 10
	// around is the number of bytes of two bodies that are shown, starting where they differ.
	around = 24
)

// Answers is the comparison of both sides' responses to the same requests.
type Answers struct {
	// Requests is the number of requests, each sent twice to A and once to B; at most 100.
	Requests int `json:"asked"`
	// Unstable is the number of those for which A returned two different bodies, for example with
	// the time in them. Only their statuses were compared.
	Unstable int `json:"unstable,omitempty"`
	// Differences are the requests with different responses from A and B.
	Differences []Difference `json:"differences,omitempty"`
}

// A Difference is a request with different responses from the two sides.
type Difference struct {
	Request string `json:"request"` // method and address, without a password
	What    string `json:"what"`    // such as "status 200 in A, status 404 in B"
}

// An answer is a response.
type answer struct {
	request string // method and address
	err     error  // no complete response
	status  int
	size    int64
	sum     [sha256.Size]byte // of the body
	head    []byte            // of the body, at most maxKept bytes
}

// compareAnswers compares the answers to each distinct request, which it sends to A, to B, and to A
// again.
func (p *pair) compareAnswers(ctx context.Context) (*Answers, error) {
	var rounds [3][]answer
	for i, s := range []*side{p.sides[0], p.sides[1], p.sides[0]} {
		if err := p.run(ctx, s); err != nil {
			return nil, err
		}
		var err error
		if rounds[i], err = requestAll(ctx, s); err != nil {
			return nil, err
		}
	}
	out := &Answers{Requests: len(rounds[0])}
	for i, first := range rounds[0] {
		stable := first.sum == rounds[2][i].sum
		if !stable {
			out.Unstable++
		}
		if what := difference(first, rounds[1][i], stable); what != "" {
			out.Differences = append(out.Differences, Difference{Request: first.request, What: what})
		}
	}
	return out, nil
}

// requestAll sends each distinct request to a side.
func requestAll(ctx context.Context, s *side) ([]answer, error) {
	r := newRequester(s)
	defer r.close()
	var out []answer
	for i := range min(len(r.targets), maxRequests) {
		a, err := r.ask(ctx, i)
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

// difference describes how two responses differ; "" if they do not.
func difference(a, b answer, bodies bool) string {
	state := func(x answer) string {
		if x.err != nil {
			return "no answer (" + x.err.Error() + ")"
		}
		return fmt.Sprintf("status %d", x.status)
	}
	switch {
	case a.err != nil && b.err != nil:
		return ""
	case a.err != nil || b.err != nil || a.status != b.status:
		return state(a) + " in A, " + state(b) + " in B"
	case !bodies || a.sum == b.sum:
		return ""
	}
	at := 0
	for at < min(len(a.head), len(b.head)) && a.head[at] == b.head[at] {
		at++
	}
	sizes := fmt.Sprintf("bodies of %s", unit.Bytes(a.size))
	if a.size != b.size {
		sizes = fmt.Sprintf("body of %s in A, %s in B", unit.Bytes(a.size), unit.Bytes(b.size))
	}
	if at >= maxKept {
		return fmt.Sprintf("%s, different after the first %s", sizes, unit.Bytes(at))
	}
	show := func(x answer) string { return fmt.Sprintf("%q", x.head[at:min(at+around, len(x.head))]) }
	return fmt.Sprintf("%s, from byte %d on %s in A, %s in B", sizes, at, show(a), show(b))
}

// A requester sends single requests to one side and keeps the responses.
type requester struct {
	side    *side
	targets []load.Target
	client  *http.Transport
}

func newRequester(s *side) *requester {
	a := &requester{side: s, targets: s.load.Targets}
	if len(a.targets) == 0 {
		a.targets = []load.Target{{URL: s.load.URL}}
	}
	dialer := &net.Dialer{}
	a.client = &http.Transport{
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, s.instance.url.Host)
		},
		TLSClientConfig:    s.load.TLS.Clone(),
		DisableCompression: true,
		Protocols:          new(http.Protocols),
	}
	switch {
	case s.load.Protocol != load.HTTP2:
		a.client.Protocols.SetHTTP1(true)
	case s.instance.url.Scheme == "https":
		a.client.Protocols.SetHTTP2(true)
	default:
		a.client.Protocols.SetUnencryptedHTTP2(true)
	}
	return a
}

func (a *requester) close() { a.client.CloseIdleConnections() }

// ask sends request i, with the first row of the variables. The error means that the request cannot
// be made.
func (a *requester) ask(ctx context.Context, i int) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(a.side.load.Timeout, load.DefaultTimeout))
	defer cancel()
	req, name, err := a.request(ctx, &a.targets[i])
	if err != nil {
		return answer{}, err
	}
	resp, err := a.client.RoundTrip(req)
	if err != nil {
		return answer{request: name, err: withoutAddress(err)}, nil
	}
	out := answer{request: name, status: resp.StatusCode}
	hash, head := sha256.New(), &limitedBuffer{}
	out.size, err = io.Copy(io.MultiWriter(hash, head), resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return answer{request: name, err: withoutAddress(err)}, nil
	}
	out.head = head.Bytes()
	hash.Sum(out.sum[:0])
	return out, nil
}

// request makes the request that the load sends.
func (a *requester) request(ctx context.Context, t *load.Target) (*http.Request, string, error) {
	o := &a.side.load
	header := o.Header.Clone()
	if header == nil {
		header = http.Header{}
	}
	for name, values := range t.Header {
		header[http.CanonicalHeaderKey(name)] = values
	}
	body := t.Body
	if body == nil {
		body = o.Body
	}
	var names []string
	var rows [][]string
	if o.Variables != nil {
		names, rows = o.Variables.Names, o.Variables.Rows
	}
	template, err := request.New(methodOf(o, t), t.URL, header, body, names, rows)
	if err != nil {
		return nil, "", err
	}
	var r request.Request
	template.Expand(&r, 0)
	name := r.Method + " " + template.URL()
	req, err := http.NewRequestWithContext(
		ctx, r.Method, r.Scheme+"://"+r.Host+r.Path, bytes.NewReader(bytes.Clone(r.Body)),
	)
	if err != nil {
		return nil, name, err
	}
	req.Header.Set("User-Agent", "") // otherwise net/http adds its own, which the load does not send
	for _, f := range r.Header {
		if http.CanonicalHeaderKey(f.Name) == "User-Agent" {
			req.Header.Set("User-Agent", f.Value)
			continue
		}
		req.Header.Add(f.Name, f.Value)
	}
	return req, name, nil
}

// limitedBuffer keeps the first maxKept bytes written to it.
type limitedBuffer struct{ bytes.Buffer }

func (b *limitedBuffer) Write(p []byte) (int, error) {
	_, _ = b.Buffer.Write(p[:min(len(p), maxKept-b.Len())]) // a buffer never fails
	return len(p), nil
}

// withoutAddress returns an error without the address that net/http prepends.
func withoutAddress(err error) error {
	if ue := (*url.Error)(nil); errors.As(err, &ue) {
		return ue.Err
	}
	return err
}

// parseTarget parses the address of a request from a file, and adds the default port.
func parseTarget(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return nil, diag.Usagef("--targets", "a request has no address", "write it as http://HOST/path")
	}
	port := cmp.Or(u.Port(), map[string]string{"https": "443"}[u.Scheme], "80")
	u.Host = net.JoinHostPort(strings.ToLower(u.Hostname()), port)
	return u, nil
}
