package load

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/load/record"
)

// A TargetResult holds the results of one target, or of all targets with one name.
type TargetResult struct {
	// Name is the target's name; "" if it has none.
	Name string `json:"name,omitempty"`
	// Method is the method of all targets of the name; "" when they differ.
	Method string `json:"method"`
	// URL is the address, without a password; for several targets, the first.
	URL string `json:"url"`
	// Targets is the number of targets with the name.
	Targets int `json:"targets"`

	Requests  int64         `json:"requests"`  // finished requests
	Responses int64         `json:"responses"` // complete answers
	Errors    Errors        `json:"errors"`    // without messages
	Status    map[int]int64 `json:"status"`
	Bytes     int64         `json:"bytes"`
	Rate      float64       `json:"rate"` // complete answers per second of Result.Elapsed
	// Latency has percentiles within 1.6% and no histogram.
	Latency Latency `json:"latency"`
}

// Failed is the number of requests without a complete answer of a status below 400.
func (t *TargetResult) Failed() int64 {
	n := t.Errors.Total()
	for code, count := range t.Status {
		if code >= 400 {
			n += count
		}
	}
	return n
}

// Label returns the target's name for tables: its name, or method and path.
func (t *TargetResult) Label() string {
	if t.Name != "" {
		return t.Name
	}
	label := requestPath(t.URL)
	if t.Method != "" && t.Method != http.MethodGet {
		label = t.Method + " " + label
	}
	return label
}

// Matches reports whether name refers to the target: its name, its address, or the path and query
// of the address.
func (t *TargetResult) Matches(name string) bool {
	return name != "" && (name == t.Name || name == t.URL || name == requestPath(t.URL))
}

// requestPath returns the path and query of an address.
func requestPath(address string) string {
	_, rest, ok := strings.Cut(address, "://")
	if !ok {
		rest = address
	}
	if i := strings.IndexAny(rest, "/?"); i >= 0 && rest[i] == '/' {
		return rest[i:]
	} else if i >= 0 {
		return "/" + rest[i:]
	}
	return "/"
}

// Rows returns the rows of the table of targets for a run of o, without results.
func (o *Options) Rows() []TargetResult {
	targets := o.Targets
	if o.URL != "" {
		targets = append([]Target{{URL: o.URL}}, targets...)
	}
	rows, _ := rowsOf(targets, o.Method)
	return rows
}

// rowsOf builds the table of targets and returns the row index of each target. method applies to
// targets without a method.
func rowsOf(targets []Target, method string) (rows []TargetResult, of []int) {
	named := map[string]int{}
	for _, t := range targets {
		i, ok := named[t.Name]
		if !ok || t.Name == "" {
			i = len(rows)
			named[t.Name] = i
			rows = append(rows, TargetResult{Name: t.Name, Method: cmp.Or(t.Method, method), URL: t.URL})
		}
		if rows[i].Method != cmp.Or(t.Method, method) {
			rows[i].Method = ""
		}
		rows[i].Targets++
		of = append(of, i)
	}
	return rows, of
}

// perTarget fills in the results of the rows of the table of targets; nil when it has one row.
func perTarget(table []TargetResult, measured []record.Target, elapsed time.Duration) []TargetResult {
	if len(table) < 2 {
		return nil
	}
	out := slices.Clone(table)
	for i, t := range measured {
		row := &out[i]
		row.Responses, row.Requests, row.Bytes = t.Responses, t.Responses+t.Failures.Total(), t.Bytes
		row.Status, row.Errors, row.Latency = t.Status, failures(&t.Failures), latency(t.Latency)
		if elapsed > 0 {
			row.Rate = float64(t.Responses) / elapsed.Seconds()
		}
	}
	return out
}
