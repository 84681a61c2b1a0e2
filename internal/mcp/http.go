package mcp

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/whet-go/whet/internal/loopback"
	"github.com/whet-go/whet/internal/mcp/stdio"
)

// Path is the path of the endpoint for HTTP.
const Path = "/mcp"

// idleTime is how long a session over HTTP lives without requests.
const idleTime = 2 * time.Hour

// minToken is the minimum length of a token, in bytes.
const minToken = 16

// NewToken returns a random token.
func NewToken() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// Serve serves HTTP on a listener of the loopback interface until ctx ends, which is not an error. Clients must send
// token as bearer token.
func (s *Server) Serve(ctx context.Context, l net.Listener, token string) error {
	h, err := s.Handler(token)
	if err != nil {
		return err
	}
	return loopback.Serve(ctx, l, h)
}

// Handler returns the handler of Serve. It is an error if the token is too short, or has spaces.
func (s *Server) Handler(token string) (http.Handler, error) {
	if len(token) < minToken || strings.ContainsFunc(token, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return nil, fmt.Errorf("the token is not at least %d letters, digits or signs without spaces", minToken)
	}
	h := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.server }, &sdk.StreamableHTTPOptions{
		SessionTimeout: idleTime, MaxRequestBodyBytes: stdio.MaxMessage + 1,
	})
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if err := checkOrigin(r); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		if !authorized(r, want) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "the request has no valid bearer token", http.StatusUnauthorized)
			return
		}
		if r.URL.Path != Path {
			http.NotFound(w, r)
			return
		}
		body, err := readBody(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		// The deadline for reading a request would end calls that take longer.
		if err := http.NewResponseController(w).SetReadDeadline(time.Time{}); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		h.ServeHTTP(w, r)
	}), nil
}

// maxDrained is how much of a body that is too large is read, so that the client reads the refusal.
const maxDrained = 256 << 20

// readBody reads the body of a request, and refuses one that is too large.
func readBody(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, stdio.MaxMessage+1))
	if err == nil && len(body) > stdio.MaxMessage {
		_, err = io.CopyN(io.Discard, r.Body, maxDrained)
		if err == nil || errors.Is(err, io.EOF) {
			err = fmt.Errorf("the request is larger than %d bytes", stdio.MaxMessage)
		}
	}
	return body, err
}

// authorized reports whether a request has the token with the hash want, in a time that does not depend on the token.
func authorized(r *http.Request, want [sha256.Size]byte) bool {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	got := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1 && strings.EqualFold(scheme, "Bearer")
}

// checkOrigin refuses requests of web pages, and those for other hosts, as by DNS rebinding.
func checkOrigin(r *http.Request) error {
	if err := loopback.Check(r); err != nil {
		return err
	}
	if !loopback.SameOrigin(r) {
		return errors.New("the request comes from another site's page")
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		if u, err := url.Parse(origin); err != nil || u.Host != r.Host {
			return fmt.Errorf("the request comes from a page of %q", origin)
		}
	}
	return nil
}
