package pyroscope

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"connectrpc.com/connect"

	"github.com/whet-go/whet/internal/server/access"
	"github.com/whet-go/whet/internal/server/pyroscope/wire"
)

// renderPath is where single flame graphs and call graphs are.
const renderPath = "/pyroscope/render"

// timelineSteps is the number of points of a rendered timeline.
const timelineSteps = 60

// rendered is a flame graph in the JSON of Pyroscope's older API.
type rendered struct {
	Version     int         `json:"version"`
	Flamebearer flamebearer `json:"flamebearer"`
	Metadata    metadata    `json:"metadata"`
	Timeline    *timeline   `json:"timeline,omitempty"`
	LeftTicks   int64       `json:"leftTicks,omitempty"`
	RightTicks  int64       `json:"rightTicks,omitempty"`
}

type flamebearer struct {
	Names    []string  `json:"names"`
	Levels   [][]int64 `json:"levels"`
	NumTicks int64     `json:"numTicks"`
	MaxSelf  int64     `json:"maxSelf"`
}

type metadata struct {
	Format     string `json:"format"` // single or double
	SpyName    string `json:"spyName"`
	SampleRate int64  `json:"sampleRate"` // ticks in a second
	Units      string `json:"units"`
	Name       string `json:"name"`
}

// timeline is sums over time. Times are in seconds.
type timeline struct {
	StartTime     int64   `json:"startTime"`
	Samples       []int64 `json:"samples"`
	DurationDelta int64   `json:"durationDelta"`
}

// answer writes a document.
func answer(w http.ResponseWriter, code int, doc any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(doc) // the client may be gone
}

// refuse answers with an error, as Connect has it in JSON.
func (h *Handler) refuse(w http.ResponseWriter, err error) {
	e := h.fail(err)
	var code int
	switch e.Code() {
	case connect.CodeInvalidArgument:
		code = http.StatusBadRequest
	case connect.CodeUnauthenticated:
		code = http.StatusUnauthorized
		w.Header().Set("WWW-Authenticate", access.Challenge)
	case connect.CodePermissionDenied:
		code = http.StatusForbidden
	case connect.CodeResourceExhausted:
		code = http.StatusRequestEntityTooLarge
	case connect.CodeUnimplemented:
		code = http.StatusNotImplemented
	case connect.CodeUnavailable:
		code = http.StatusServiceUnavailable
	default:
		code = http.StatusInternalServerError
	}
	answer(w, code, map[string]string{"code": e.Code().String(), "message": e.Message()})
}

// render returns a handler that answers with a flame graph.
func (h *Handler) render(graph func(context.Context, url.Values) (*rendered, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		q, err := url.ParseQuery(r.URL.RawQuery)
		if err != nil {
			h.refuse(w, invalid("read the parameters: %w", err))
			return
		}
		if r.URL.Path == renderPath && q.Get("format") == "dot" {
			if err := h.renderDOT(r.Context(), w, q); err != nil {
				h.refuse(w, err)
			}
			return
		}
		doc, err := graph(r.Context(), q)
		if err != nil {
			h.refuse(w, err)
			return
		}
		answer(w, http.StatusOK, doc)
	}
}

// selector reads the parameters of one flame graph: TYPE{labels} and the times.
func selector(q url.Values, query, from, until string) (*wire.SelectMergeStacktracesRequest, error) {
	id, labels, braces := strings.Cut(q.Get(query), "{")
	if braces {
		labels = "{" + labels
	}
	r := &wire.SelectMergeStacktracesRequest{ProfileTypeID: strings.TrimSpace(id), LabelSelector: labels}
	now := time.Now()
	for name, into := range map[string]*wire.Int{from: &r.Start, until: &r.End} {
		text := q.Get(name)
		if text == "" {
			text = map[string]string{from: "now-1h", until: "now"}[name]
		}
		t, err := wire.ParseTime(text, now)
		if err != nil {
			return nil, invalid("%s: %w", name, err)
		}
		*into = wire.Int(t.UnixMilli())
	}
	for _, name := range []string{"max-nodes", "maxNodes"} {
		if text := q.Get(name); text != "" {
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return nil, invalid("invalid %s %.40q (want a number)", name, text)
			}
			r.MaxNodes = wire.Int(n)
		}
	}
	return r, nil
}

// about describes the values of a profile type.
func about(id string) (metadata, error) {
	t, err := parseType(id)
	if err != nil {
		return metadata{}, err
	}
	m := metadata{SampleRate: 100, Units: t.sample.Unit, Name: t.sample.Type}
	switch family, _, _ := strings.Cut(id, ":"); {
	case family == "block" || family == "mutex":
		m.Units = map[string]string{"nanoseconds": "lock_nanoseconds", "count": "lock_samples"}[t.sample.Unit]
	case t.sample.Unit == "nanoseconds":
		m.Units, m.SampleRate = "samples", int64(time.Second)
	case family == "memory" && t.sample.Unit == "count":
		m.Units = "objects"
	case family == "goroutine" || family == "goroutines":
		m.Units = "goroutines"
	case t.sample.Unit == "count":
		m.Units = "samples"
	}
	return m, nil
}

func plainLevels(levels []*wire.Level) [][]int64 {
	all := make([][]int64, len(levels))
	for i, l := range levels {
		for _, v := range l.Values {
			all[i] = append(all[i], int64(v))
		}
	}
	return all
}

// renderOne answers /pyroscope/render?query=TYPE{labels}&from=TIME&until=TIME&max-nodes=N.
func (h *Handler) renderOne(ctx context.Context, q url.Values) (*rendered, error) {
	if f := q.Get("format"); f != "" && f != "json" {
		return nil, unimplemented("the format", "want json or dot")
	}
	r, err := selector(q, "query", "from", "until")
	if err != nil {
		return nil, err
	}
	doc := &rendered{Version: 1}
	if doc.Metadata, err = about(r.ProfileTypeID); err != nil {
		return nil, err
	}
	doc.Metadata.Format = "single"
	res, err := h.selectMergeStacktraces(ctx, r)
	if err != nil {
		return nil, err
	}
	g := res.Flamegraph
	doc.Flamebearer = flamebearer{g.Names, plainLevels(g.Levels), int64(g.Total), int64(g.MaxSelf)}
	doc.Timeline, err = h.timeline(ctx, r)
	return doc, err
}

// timeline returns the sums over the time of a request.
func (h *Handler) timeline(ctx context.Context, r *wire.SelectMergeStacktracesRequest) (*timeline, error) {
	step := max(int64(r.End-r.Start)/1000/timelineSteps, 1)
	res, err := h.selectSeries(ctx, &wire.SelectSeriesRequest{
		ProfileTypeID: r.ProfileTypeID, LabelSelector: r.LabelSelector, Start: r.Start, End: r.End, Step: float64(step),
	})
	if err != nil {
		return nil, err
	}
	t := &timeline{StartTime: int64(r.Start) / 1000, DurationDelta: step, Samples: []int64{}}
	for _, s := range res.Series {
		for _, p := range s.Points {
			i := int(int64(p.Timestamp-r.Start) / 1000 / step)
			for len(t.Samples) <= i {
				t.Samples = append(t.Samples, 0)
			}
			t.Samples[i] += int64(p.Value)
		}
	}
	return t, nil
}

// renderDiff answers /pyroscope/render-diff?leftQuery=…&leftFrom=…&leftUntil=…&rightQuery=….
func (h *Handler) renderDiff(ctx context.Context, q url.Values) (*rendered, error) {
	left, err := selector(q, "leftQuery", "leftFrom", "leftUntil")
	if err != nil {
		return nil, err
	}
	right, err := selector(q, "rightQuery", "rightFrom", "rightUntil")
	if err != nil {
		return nil, err
	}
	doc := &rendered{Version: 1}
	if doc.Metadata, err = about(left.ProfileTypeID); err != nil {
		return nil, err
	}
	doc.Metadata.Format = "double"
	res, err := h.diff(ctx, &wire.DiffRequest{Left: left, Right: right})
	if err != nil {
		return nil, err
	}
	g := res.Flamegraph
	doc.Flamebearer = flamebearer{g.Names, plainLevels(g.Levels), int64(g.Total), int64(g.MaxSelf)}
	doc.LeftTicks, doc.RightTicks = int64(g.LeftTicks), int64(g.RightTicks)
	return doc, nil
}
