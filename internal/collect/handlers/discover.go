package handlers

import (
	"context"
	"errors"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/diag"
)

// Discover finds the pprof handlers below the address that the client was made for.
func (c *Client) Discover(ctx context.Context) error {
	var tried []string
	var first error
	root := *c.base
	for _, p := range candidates(root.Path, c.prefix) {
		c.base = root.JoinPath() // a copy
		c.base.Path, c.base.RawPath = p, ""
		offered, err := c.probe(ctx)
		if err == nil {
			c.offered = offered
			return nil
		}
		tried = append(tried, public(c.base))
		if !notThere(err) {
			return err
		}
		if first == nil {
			first = err
		}
	}
	if len(c.paths) > 0 {
		c.base = root.JoinPath("/debug/pprof/")
		return nil // only the given paths exist
	}
	if e := (*diag.Error)(nil); errors.As(first, &e) {
		first = e.Err
	}
	return &diag.Error{
		Op: "find pprof handlers at", Subject: strings.Join(tried, " and "), Err: first,
		Hint: `import _ "net/http/pprof" in the target, or give the prefix of its handlers with --pprof-path`,
	}
}

// Offers reports whether the target may serve kind: the index page lists it, there is no index
// page, or the user gave its path.
func (c *Client) Offers(kind string) bool {
	if c.HasPath(kind) || c.offered == nil {
		return true
	}
	if kind == "cpu" {
		kind = "profile"
	}
	return slices.Contains(c.offered, kind)
}

// HasPath reports whether the user gave the path of the handler for kind.
func (c *Client) HasPath(kind string) bool { return c.paths[kind] != "" }

// MustOffer returns an error if the index page does not list kind.
func (c *Client) MustOffer(kind string) error {
	switch {
	case c.Offers(kind):
		return nil
	case kind == "flight":
		return c.noFlight()
	}
	return &diag.Error{Err: errNotOffered, Hint: mount(kind)}
}

// candidates lists the directories to try, each ending in "/".
func candidates(path, prefix string) []string {
	dir := func(s string) string { return strings.TrimRight(s, "/") + "/" }
	if prefix != "" {
		return []string{dir(prefix)}
	}
	path = dir(path)
	if strings.HasSuffix(path, "/pprof/") {
		return []string{path}
	}
	if i := strings.Index(path, "/debug/pprof/"); i >= 0 {
		return []string{path[:i] + "/debug/pprof/"} // the address of one profile
	}
	return []string{path + "debug/pprof/", path, path + "pprof/"}
}

// notThere reports whether err means that the handlers are at another address.
func notThere(err error) bool {
	switch Status(err) {
	case 0:
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return true
	default:
		return false
	}
	return errors.Is(err, errHTML) || errors.Is(err, errNoIndex)
}

var (
	errNoIndex = errors.New("the target's answer is not that of net/http/pprof")
	indexLink  = regexp.MustCompile(`href=['"]?([A-Za-z][\w.\-/]*)(?:\?\w+=|['"> ])`)
)

// probe requests the index page and, if there is none, the goroutine profile: some programs mount
// single handlers.
func (c *Client) probe(ctx context.Context) ([]string, error) {
	page, err := c.index(ctx)
	if err == nil {
		var names []string
		for _, m := range indexLink.FindAllStringSubmatch(page, -1) {
			names = append(names, m[1])
		}
		if slices.Contains(names, "goroutine") {
			return names, nil
		}
		err = c.explain("", c.base, errNoIndex)
	}
	if !notThere(err) {
		return nil, err
	}
	for _, kind := range []string{"goroutine", "heap"} {
		data, perr := c.begins(ctx, kind)
		if perr == nil && isGzip(data) {
			return nil, nil
		}
		switch {
		case perr == nil:
		case !notThere(perr):
			return nil, perr
		case errors.Is(perr, errHTML):
			err = perr // the more informative error
		}
	}
	return nil, err
}

// isGzip reports whether data begins like a gzip file.
func isGzip(data []byte) bool { return len(data) > 2 && data[0] == 0x1f && data[1] == 0x8b }

func (c *Client) index(ctx context.Context) (string, error) {
	body, err := c.get(ctx, "", nil)
	if err != nil {
		return "", err
	}
	data, err := io.ReadAll(io.LimitReader(body, 1<<20))
	if err := errors.Join(err, body.Close()); err != nil {
		return "", c.explain("", c.base, err)
	}
	return string(data), nil
}
