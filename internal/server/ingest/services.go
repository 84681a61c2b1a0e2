package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"

	"connectrpc.com/connect"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/server/ingest/push"
	"github.com/whet-go/whet/store"
)

// A procedure is one call of a service, with messages in protobuf or JSON.
type procedure struct {
	path   string
	decode func(*Handler, *budget, *message) ([]store.Profile, error)
}

// procedures lists the calls that clients make.
func procedures() []procedure {
	return []procedure{
		{"/push.v1.PusherService/Push", func(h *Handler, b *budget, m *message) ([]store.Profile, error) {
			if m.json {
				return h.fromSeries(b, m.data, push.PyroscopeJSON)
			}
			return h.fromSeries(b, m.data, push.Pyroscope)
		}},
		{
			"/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw",
			func(h *Handler, b *budget, m *message) ([]store.Profile, error) {
				if m.json {
					return nil, errJSON()
				}
				return h.fromSeries(b, m.data, push.Parca)
			},
		},
		{
			"/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export",
			func(h *Handler, b *budget, m *message) ([]store.Profile, error) {
				if m.json {
					return nil, errJSON()
				}
				return h.fromOTLP(b, m.data)
			},
		},
	}
}

// errJSON is the error of a request in JSON to a call that wants protobuf.
func errJSON() error {
	return &badRequest{errors.New("requests in JSON are not supported (want protobuf)"), http.StatusUnsupportedMediaType}
}

// procedureOf finds a call by its path.
func procedureOf(path string) (procedure, bool) {
	for _, p := range procedures() {
		if p.path == path {
			return p, true
		}
	}
	return procedure{}, false
}

// services adds the calls to the mux. connect serves each as Connect, gRPC and gRPC-Web, with messages
// in protobuf.
func (h *Handler) services() {
	for _, p := range procedures() {
		h.mux.Handle("POST "+p.path, connect.NewUnaryHandler(p.path,
			func(ctx context.Context, r *connect.Request[message]) (*connect.Response[message], error) {
				if err := h.store(ctx, func(b *budget) ([]store.Profile, error) { return p.decode(h, b, r.Msg) }); err != nil {
					return nil, connectError(err)
				}
				return connect.NewResponse(&message{}), nil
			},
			connect.WithCodec(codec{"proto"}), connect.WithCodec(codec{"json"}), connect.WithReadMaxBytes(int(h.o.Limits.Body)),
		))
	}
}

// fromSeries decodes the profiles of a request that read splits into series.
func (h *Handler) fromSeries(
	b *budget, request []byte, read func([]byte, push.Limits) ([]push.Series, error),
) ([]store.Profile, error) {
	series, err := read(request, push.Limits{Profiles: maxProfiles, Labels: maxLabels})
	var limit *push.LimitError
	if errors.As(err, &limit) {
		return nil, &store.LimitError{What: limit.What, Limit: int64(limit.Limit)}
	}
	if err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	var all []store.Profile
	for i, s := range series {
		labels := map[string]string{}
		for _, l := range s.Labels {
			labels[l.Name] = l.Value
		}
		var about store.Profile
		about.Service, about.Labels = identity(labels, "")
		for j, raw := range s.Samples {
			p, err := b.read(raw.Profile)
			if err != nil {
				return nil, fmt.Errorf("series %d, profile %d: %w", i+1, j+1, err)
			}
			all = append(all, h.complete(about, p, labels["__name__"]))
		}
	}
	return all, nil
}

// message is the bytes of a message.
type message struct {
	data []byte
	json bool
}

// codec passes messages in protobuf or JSON on as bytes.
type codec struct{ name string }

// Name returns the name that content types have for the encoding.
func (c codec) Name() string { return c.name }

// Marshal returns the bytes.
func (c codec) Marshal(v any) ([]byte, error) {
	m, ok := v.(*message)
	if !ok {
		return nil, fmt.Errorf("encode %T", v)
	}
	if c.name == "json" {
		return []byte("{}"), nil // answers have no fields
	}
	return m.data, nil
}

// Unmarshal keeps a copy of the bytes, which connect uses again.
func (c codec) Unmarshal(data []byte, v any) error {
	m, ok := v.(*message)
	if !ok {
		return fmt.Errorf("decode %T", v)
	}
	m.data, m.json = bytes.Clone(data), c.name == "json"
	return nil
}

// connectError turns an error into that of a call.
func connectError(err error) *connect.Error {
	var known *connect.Error
	if errors.As(err, &known) {
		return known
	}
	status, wait := status(err)
	text := err
	if hint := hint(err); hint != "" {
		text = &diag.Error{Op: err.Error(), Err: errors.New(hint)}
	}
	e := connect.NewError(code(status), text)
	if wait > 0 {
		e.Meta().Set("Retry-After", seconds(wait))
	}
	return e
}

// code returns the code that stands for a status. Clients send again what was unavailable or exhausts
// resources, so a request that is too large is an invalid one.
func code(status int) connect.Code {
	switch status {
	case http.StatusUnauthorized:
		return connect.CodeUnauthenticated
	case http.StatusForbidden:
		return connect.CodePermissionDenied
	case http.StatusTooManyRequests:
		return connect.CodeResourceExhausted
	case http.StatusServiceUnavailable:
		return connect.CodeUnavailable
	default:
		return connect.CodeInvalidArgument
	}
}
