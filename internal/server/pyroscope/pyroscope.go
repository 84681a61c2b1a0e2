package pyroscope

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"

	"connectrpc.com/connect"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/server/pyroscope/wire"
	"github.com/whet-go/whet/store"
)

const (
	// maxRequest is the size of a request, in bytes.
	maxRequest = 1 << 20
	// maxNodes is the number of nodes in a flame graph, defaultNodes that of one without a limit.
	maxNodes     = 100_000
	defaultNodes = 16_384
	// maxMerges is how many merges one request may need: groups times steps.
	maxMerges = 10_000
	// maxHeatmap is the number of profiles that a heatmap or exemplars are made of.
	maxHeatmap = 5000
)

// prefix begins the paths of all calls.
const prefix = "/querier.v1.QuerierService/"

// Options configure a Handler. Reader is required.
type Options struct {
	Reader store.Reader
	// Allow returns the tenant that a request reads, or an error with the status of the answer. nil
	// allows everything for the tenant "".
	Allow func(r *http.Request) (tenant string, err error)
	// Warn receives errors of the store, which clients get without details; nil drops them.
	Warn func(error)
}

// A Handler answers queries.
type Handler struct {
	o   Options
	mux *http.ServeMux
}

// New returns a handler for the paths in Paths.
func New(o Options) *Handler {
	if o.Allow == nil {
		o.Allow = func(*http.Request) (string, error) { return "", nil }
	}
	if o.Warn == nil {
		o.Warn = func(error) {}
	}
	h := &Handler{o: o, mux: http.NewServeMux()}
	call(h, "ProfileTypes", h.profileTypes)
	call(h, "LabelValues", h.labelValues)
	call(h, "LabelNames", h.labelNames)
	call(h, "Series", h.series)
	call(h, "SelectMergeStacktraces", h.selectMergeStacktraces)
	call(h, "SelectMergeSpanProfile", h.selectMergeSpanProfile)
	call(h, "SelectMergeProfile", h.selectMergeProfile)
	call(h, "SelectSeries", h.selectSeries)
	call(h, "SelectHeatmap", h.selectHeatmap)
	call(h, "Diff", h.diff)
	call(h, "GetProfileStats", h.profileStats)
	call(h, "AnalyzeQuery", h.analyzeQuery)
	h.mux.HandleFunc("GET "+renderPath, h.render(h.renderOne))
	h.mux.HandleFunc("GET /pyroscope/render-diff", h.render(h.renderDiff))
	h.mux.HandleFunc(settings, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, struct{}{}) })
	return h
}

// settings is where Grafana's pages look for settings, of which there are none.
const settings = "POST /settings.v1.SettingsService/Get"

// Paths lists the patterns that a Handler serves, for a mux that has other handlers, too.
func Paths() []string {
	return []string{"POST " + prefix, "GET " + renderPath, "GET /pyroscope/render-diff", settings}
}

// tenantKey is the key of the tenant in a request's context.
type tenantKey struct{}

// ServeHTTP admits a request and answers it.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	tenant, err := h.o.Allow(r)
	if err != nil {
		if e := connect.NewErrorWriter(); e.IsSupported(r) {
			_ = e.Write(w, r, h.fail(err)) // the client may be gone
		} else {
			h.refuse(w, err)
		}
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxRequest)
	h.mux.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), tenantKey{}, tenant)))
}

// call adds a call to the handler.
func call[Req, Res any](h *Handler, name string, answer func(context.Context, *Req) (*Res, error)) {
	path := prefix + name
	h.mux.Handle("POST "+path, connect.NewUnaryHandler(path,
		func(ctx context.Context, r *connect.Request[Req]) (*connect.Response[Res], error) {
			res, err := answer(ctx, r.Msg)
			if err != nil {
				return nil, h.fail(err)
			}
			return connect.NewResponse(res), nil
		},
		connect.WithCodec(protoCodec{}), connect.WithCodec(jsonCodec{"json"}),
		connect.WithCodec(jsonCodec{"json; charset=utf-8"}),
		connect.WithReadMaxBytes(maxRequest),
	))
}

// An invalidError is an error in a query.
type invalidError struct{ err error }

func (e *invalidError) Error() string { return e.err.Error() }
func (e *invalidError) Unwrap() error { return e.err }

// invalid returns an error in a query.
func invalid(format string, args ...any) error { return &invalidError{fmt.Errorf(format, args...)} }

// unimplemented returns the error for what this server does not do.
func unimplemented(what, hint string) error {
	return connect.NewError(connect.CodeUnimplemented, fmt.Errorf("%s is not implemented: %s", what, hint))
}

// fail turns an error into that of a call. Errors of the store may name files, so clients do not get
// them.
func (h *Handler) fail(err error) *connect.Error {
	var known *connect.Error
	var refused interface{ Status() int }
	var inQuery *invalidError
	var selector *store.SelectorError
	var lacks *store.PartialError
	text := err
	if hint := diag.Hint(err); hint != "" {
		text = &diag.Error{Op: err.Error(), Err: errors.New(hint)}
	}
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &inQuery), errors.As(err, &selector):
		return connect.NewError(connect.CodeInvalidArgument, text)
	case errors.As(err, &refused):
		switch refused.Status() {
		case http.StatusUnauthorized:
			return connect.NewError(connect.CodeUnauthenticated, text)
		case http.StatusForbidden:
			return connect.NewError(connect.CodePermissionDenied, text)
		default:
			return connect.NewError(connect.CodeResourceExhausted, text)
		}
	case errors.Is(err, context.Canceled):
		return connect.NewError(connect.CodeCanceled, context.Canceled)
	case errors.Is(err, context.DeadlineExceeded):
		return connect.NewError(connect.CodeDeadlineExceeded, context.DeadlineExceeded)
	}
	h.o.Warn(err)
	switch {
	case errors.As(err, &lacks):
		// The protocol cannot say that an answer is partial, so there is none.
		return connect.NewError(connect.CodeUnavailable, lacks)
	case errors.Is(err, store.ErrUnavailable):
		return connect.NewError(connect.CodeUnavailable, store.ErrUnavailable)
	}
	return connect.NewError(connect.CodeInternal, errors.New("the store cannot answer; the server's log says why"))
}

// protoCodec encodes messages in protobuf.
type protoCodec struct{}

// Name returns the name that content types have for it.
func (protoCodec) Name() string { return "proto" }

// Marshal encodes a message. A merged profile is already encoded.
func (protoCodec) Marshal(v any) ([]byte, error) {
	if p, ok := v.(*pprofMessage); ok {
		return p.data, nil
	}
	return wire.Marshal(v)
}

// Unmarshal decodes a message.
func (protoCodec) Unmarshal(data []byte, v any) error { return wire.Unmarshal(data, v) }

// jsonCodec encodes messages in protobuf's JSON.
type jsonCodec struct{ name string }

// Name returns the name that content types have for it.
func (c jsonCodec) Name() string { return c.name }

// Marshal encodes a message.
func (jsonCodec) Marshal(v any) ([]byte, error) {
	if p, ok := v.(*pprofMessage); ok {
		m, err := p.message()
		if err != nil {
			return nil, err
		}
		v = m
	}
	return wire.MarshalJSON(v)
}

// Unmarshal decodes a message. An empty body is an empty message.
func (jsonCodec) Unmarshal(data []byte, v any) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil
	}
	return wire.UnmarshalJSON(data, v)
}

// pprofMessage is a google.v1.Profile in protobuf.
type pprofMessage struct{ data []byte }

// message decodes it.
func (p *pprofMessage) message() (*wire.Profile, error) {
	var m wire.Profile
	return &m, wire.Unmarshal(p.data, &m)
}
