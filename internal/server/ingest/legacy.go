package ingest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/server/ingest/folded"
	"github.com/whet-go/whet/internal/server/pyroscope/wire"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store"
)

// maxConfig is the size of the description of sample types, in bytes.
const maxConfig = 64 << 10

// legacy stores what Pyroscope's agents send:
//
//	POST /ingest?name=APP{label=value}&from=TIME&until=TIME&format=pprof
//
// The body is a profile, or a form with the parts profile, prev_profile and sample_type_config.
func (h *Handler) legacy(w http.ResponseWriter, r *http.Request) {
	parts, err := h.parts(r)
	if err == nil {
		err = h.store(r.Context(), func(b *budget) ([]store.Profile, error) { return h.fromParts(b, r.URL.Query(), parts) })
	}
	if err != nil {
		h.refuse(w, r, err)
		return
	}
	w.WriteHeader(http.StatusOK) // agents take anything else for an error
}

// parts are the parts of a request to /ingest; those that it does not have are nil.
type parts struct{ profile, previous, config []byte }

// parts reads the body of a request.
func (h *Handler) parts(r *http.Request) (*parts, error) {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		data, err := readBody(r)
		return &parts{profile: data}, err
	}
	var p parts
	form := multipart.NewReader(r.Body, params["boundary"])
	for range 16 { // three are known
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			if p.profile == nil {
				return nil, errors.New("the form has no part named profile")
			}
			return &p, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read the form: %w", err)
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return nil, fmt.Errorf("read the form: %w", err)
		}
		switch part.FormName() {
		case "profile":
			p.profile = data
		case "prev_profile":
			p.previous = data
		case "sample_type_config":
			p.config = data
		}
	}
	return nil, errors.New("the form has more than 16 parts")
}

// sampleType describes how a sample type is to be shown and added, in Pyroscope's JSON.
type sampleType struct {
	Units       string `json:"units"`
	DisplayName string `json:"display-name"`
	Aggregation string `json:"aggregation"`
	Cumulative  bool   `json:"cumulative"`
	Sampled     bool   `json:"sampled"`
}

// fromParts decodes a request to /ingest.
func (h *Handler) fromParts(b *budget, q url.Values, in *parts) ([]store.Profile, error) {
	app, labels, err := parseName(q.Get("name"))
	if err != nil {
		return nil, err
	}
	now := h.o.Now()
	var from, until time.Time
	for name, t := range map[string]*time.Time{"from": &from, "until": &until} {
		if text := q.Get(name); text != "" {
			if *t, err = wire.ParseTime(text, now); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	about := store.Profile{Start: from}
	if !from.IsZero() && until.After(from) {
		about.Duration = until.Sub(from)
	}
	var p *profile.Profile
	kind := ""
	switch format := q.Get("format"); {
	case format == "pprof", format == "" && isForm(in):
		if p, kind, err = pprofOf(b, in); err != nil {
			return nil, err
		}
		if suffix := app[strings.LastIndexByte(app, '.')+1:]; suffix == "cpu" {
			app = strings.TrimSuffix(app, ".cpu") // as older agents name CPU profiles
		}
	case slices.Contains([]string{"", "folded", "collapsed", "groups", "lines"}, format):
		if app, kind, p, err = h.fromFolded(b, app, q, in.profile); err != nil {
			return nil, err
		}
	default:
		return nil, &badRequest{
			fmt.Errorf("unsupported format %.40q (want pprof, folded, groups or lines)", format),
			http.StatusUnsupportedMediaType,
		}
	}
	about.Service, about.Labels = identity(labels, app)
	return []store.Profile{h.complete(about, p, kind)}, nil
}

// isForm reports whether a request without a format has a pprof file, as the agents' forms do.
func isForm(in *parts) bool {
	return in.config != nil || in.previous != nil || len(in.profile) > 2 && in.profile[0] == 0x1f && in.profile[1] == 0x8b
}

// pprofOf decodes a pprof file, less the previous one. kind is what the names of sample types show.
func pprofOf(b *budget, in *parts) (p *profile.Profile, kind string, err error) {
	config := map[string]*sampleType{}
	if len(in.config) > maxConfig {
		return nil, "", &store.LimitError{What: "bytes in sample_type_config", Limit: maxConfig, Got: int64(len(in.config))}
	}
	if in.config != nil {
		if err := json.Unmarshal(in.config, &config); err != nil {
			return nil, "", fmt.Errorf("read sample_type_config: %w", err)
		}
	}
	if p, err = b.read(in.profile); err != nil {
		return nil, "", err
	}
	for _, name := range sortedKeys(config) {
		if c := config[name]; c != nil && c.DisplayName != "" {
			kind = c.DisplayName // mutex_count, block_duration, goroutine, …
		}
	}
	if len(in.previous) == 0 {
		return p, kind, nil
	}
	previous, err := b.read(in.previous)
	if err != nil {
		return nil, "", fmt.Errorf("prev_profile: %w", err)
	}
	delta, err := profile.Subtract(p, previous.Scaled(func(t profile.ValueType) float64 {
		if cumulative(config, t.Type) {
			return 1
		}
		return 0
	}), false)
	if err != nil {
		return nil, "", fmt.Errorf("subtract prev_profile: %w", err)
	}
	return delta, kind, nil
}

// cumulative reports whether a type counts from the start of the program.
func cumulative(config map[string]*sampleType, name string) bool {
	if c := config[name]; c != nil {
		return c.Cumulative
	}
	return len(config) == 0 && slices.Contains([]string{"alloc_objects", "alloc_space", "contentions", "delay"}, name)
}

// suffixes are what the name of an application ends with, in requests that have one sample type.
func suffixes() map[string]struct {
	kind string
	profile.ValueType
} {
	type entry = struct {
		kind string
		profile.ValueType
	}
	count := func(kind, name string) entry { return entry{kind, profile.ValueType{Type: name, Unit: "count"}} }
	return map[string]entry{
		"alloc_objects":  count("allocs", "alloc_objects"),
		"alloc_space":    {"allocs", profile.ValueType{Type: "alloc_space", Unit: "bytes"}},
		"inuse_objects":  count("heap", "inuse_objects"),
		"inuse_space":    {"heap", profile.ValueType{Type: "inuse_space", Unit: "bytes"}},
		"goroutines":     count("goroutine", "goroutine"),
		"mutex_count":    count("mutex", "contentions"),
		"mutex_duration": {"mutex", profile.ValueType{Type: "delay", Unit: "nanoseconds"}},
		"block_count":    count("block", "contentions"),
		"block_duration": {"block", profile.ValueType{Type: "delay", Unit: "nanoseconds"}},
		"exceptions":     count("exceptions", "exceptions"),
	}
}

// fromFolded decodes stacks in text. A name without a suffix, or with "cpu", is of a CPU profile whose
// counts are samples.
func (h *Handler) fromFolded(b *budget, app string, q url.Values, text []byte) (
	name, kind string, p *profile.Profile, err error,
) {
	o := folded.Options{Plain: q.Get("format") == "lines", MaxDepth: maxDepth, MaxFunctions: maxFunctions}
	o.MaxStacks = h.o.Limits.Samples
	at := strings.LastIndexByte(app, '.')
	known, ok := suffixes()[app[at+1:]]
	switch {
	case ok && at > 0:
		app, kind = app[:at], known.kind
		o.Types, o.Scale = []profile.ValueType{known.ValueType}, []int64{1}
	case at > 0 && slices.Contains([]string{"cpu", "wall", "itimer"}, app[at+1:]):
		kind, app = app[at+1:], app[:at]
	default:
		kind = "cpu"
	}
	if o.Types == nil {
		rate := 100.0
		if text := q.Get("sampleRate"); text != "" {
			if rate, err = strconv.ParseFloat(text, 64); err != nil || !(rate > 0) || rate > 1e9 {
				return "", "", nil, fmt.Errorf("invalid sampleRate %.40q (want samples per second)", text)
			}
		}
		o.Types = []profile.ValueType{{Type: "samples", Unit: "count"}, {Type: kind, Unit: "nanoseconds"}}
		o.Scale = []int64{1, int64(math.Round(1e9 / rate))}
	}
	if p, err = folded.Parse(text, o); err != nil {
		var limit *folded.LimitError
		if errors.As(err, &limit) {
			return "", "", nil, &store.LimitError{What: limit.What, Limit: int64(limit.Limit)}
		}
		return "", "", nil, fmt.Errorf("read the stacks: %w", err)
	}
	return app, kind, p, b.take(p)
}

// parseName splits the name of an application from its labels: app.name{key=value,other=value}.
func parseName(text string) (app string, labels map[string]string, err error) {
	app, rest, braces := strings.Cut(text, "{")
	app = strings.TrimSpace(app)
	labels = map[string]string{}
	if !braces {
		rest = "}"
	}
	rest, ok := strings.CutSuffix(strings.TrimSpace(rest), "}")
	if !ok {
		return "", nil, fmt.Errorf("name %.80q: the brace is not closed (want APP{LABEL=VALUE,…})", text)
	}
	if strings.TrimSpace(rest) != "" {
		for pair := range strings.SplitSeq(rest, ",") {
			key, value, ok := strings.Cut(pair, "=")
			if key = strings.TrimSpace(key); !ok || key == "" {
				return "", nil, fmt.Errorf("name %.80q: %.40q is not a label (want APP{LABEL=VALUE,…})", text, pair)
			}
			labels[key] = strings.TrimSpace(value)
		}
	}
	if app == "" && labels["service_name"] == "" {
		return "", nil, errors.New("the parameter name is missing (want APP{LABEL=VALUE,…})")
	}
	return app, labels, nil
}

// identity finds the service among labels: service_name, or else app, or else the first of a few
// other names. Names that begin with two underscores are between agent and server, and not stored.
func identity(labels map[string]string, app string) (service string, kept store.Labels) {
	rest := map[string]string{}
	for _, name := range sortedKeys(labels) {
		if !strings.HasPrefix(name, "__") {
			rest[name] = labels[name]
		}
	}
	take := func(name string) string {
		v := rest[name]
		delete(rest, name)
		return v
	}
	if service = take("service_name"); service == "" {
		service = app
	}
	for _, name := range []string{"service.name", "service", "app", "job"} {
		if service == "" {
			service = take(name)
		}
	}
	if service == "" {
		service = "unknown"
	}
	return service, store.NewLabels(rest)
}
