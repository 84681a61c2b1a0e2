package ingest

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"

	"github.com/klauspost/compress/gzip"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/server/ingest/otlp"
	"github.com/whet-go/whet/store"
)

// otlpPath is where OpenTelemetry's exporters send profiles over HTTP.
const otlpPath = "/v1development/profiles"

// otlp stores what an OpenTelemetry collector exports over HTTP, in protobuf, compressed or not.
func (h *Handler) otlp(w http.ResponseWriter, r *http.Request) {
	data, err := h.otlpBody(r)
	if err == nil {
		err = h.store(r.Context(), func(b *budget) ([]store.Profile, error) { return h.fromOTLP(b, data) })
	}
	if err == nil {
		w.Header().Set("Content-Type", "application/x-protobuf")
		w.WriteHeader(http.StatusOK) // with an empty message
		return
	}
	code, wait := status(err)
	if wait > 0 {
		w.Header().Set("Retry-After", seconds(wait))
	}
	text := err.Error()
	if hint := diag.Hint(err); hint != "" {
		text += ": " + hint
	}
	// The protocol wants a google.rpc.Status: its message is field 2.
	w.Header().Set("Content-Type", "application/x-protobuf")
	w.WriteHeader(code)
	message := protowire.AppendString(protowire.AppendTag(nil, 2, protowire.BytesType), text)
	_, _ = w.Write(message) // the client may be gone
}

// otlpBody reads a request.
func (h *Handler) otlpBody(r *http.Request) ([]byte, error) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/x-protobuf" {
		return nil, &badRequest{
			fmt.Errorf("unsupported content type %.40q (want application/x-protobuf)", kind), http.StatusUnsupportedMediaType,
		}
	}
	switch encoding := r.Header.Get("Content-Encoding"); encoding {
	case "", "identity":
		return readBody(r)
	case "gzip":
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			return nil, fmt.Errorf("inflate the request: %w", err)
		}
		data, err := io.ReadAll(io.LimitReader(z, h.o.Limits.Body+1))
		if err == nil && int64(len(data)) > h.o.Limits.Body {
			err = &store.LimitError{What: "bytes in the inflated request", Limit: h.o.Limits.Body, Flag: store.BodyFlag}
		}
		return data, err
	default:
		return nil, &badRequest{
			fmt.Errorf("unsupported encoding %.40q (want gzip or none)", encoding), http.StatusUnsupportedMediaType,
		}
	}
}

// fromOTLP translates a request. A resource is a service.
func (h *Handler) fromOTLP(b *budget, request []byte) ([]store.Profile, error) {
	found, err := otlp.Decode(request, otlp.Limits{
		Entries: maxEntries, Samples: h.o.Limits.Samples, Depth: maxDepth, Frames: maxFrames,
	})
	var limit *otlp.LimitError
	if errors.As(err, &limit) {
		return nil, &store.LimitError{What: limit.What, Limit: int64(limit.Limit)}
	}
	if err != nil {
		return nil, fmt.Errorf("read the profiles: %w", err)
	}
	if len(found) > maxProfiles {
		return nil, &store.LimitError{What: "profiles in one request", Limit: maxProfiles, Got: int64(len(found))}
	}
	var all []store.Profile
	for _, p := range found {
		if p.Data.NumSamples() == 0 {
			continue // collectors send one for each process that was seen
		}
		labels := map[string]string{}
		for key, value := range p.Resource {
			if key == "service.name" {
				key = "service_name"
			}
			labels[key] = value
		}
		var about store.Profile
		about.Service, about.Labels = identity(labels, p.Resource["process.executable.name"])
		if err := b.take(p.Data); err != nil {
			return nil, err
		}
		all = append(all, h.complete(about, p.Data, p.Data.PeriodType.Type))
	}
	return all, nil
}
