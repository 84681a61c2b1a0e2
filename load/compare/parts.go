package compare

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/whet-go/whet/load"
)

// A Part compares one target or one phase. Its rows have the same statistics as those of the whole
// run, but no interval from seconds, because seconds are divided neither by target nor by phase.
type Part struct {
	// Name is the part's name in tables; names of targets are unique.
	Name string `json:"name"`
	Rows []Row  `json:"rows"`
}

// TargetMetrics returns the metrics of each target, in the order of the rows.
func TargetMetrics() []Metric {
	return slices.DeleteFunc(Metrics(), func(m Metric) bool { return m == GeneratorCPU || m == TargetCPU })
}

// PhaseMetrics returns the metrics of each phase, in the order of the rows.
func PhaseMetrics() []Metric {
	return slices.DeleteFunc(TargetMetrics(), func(m Metric) bool { return m == Rate || m == Errors })
}

// part compares a part, given on both sides as results that contain nothing else.
func part(name string, metrics []Metric, basis Basis, a, b []*load.Result) Part {
	if basis == Seconds {
		basis = ""
	}
	p := Part{Name: name}
	for _, m := range metrics {
		p.Rows = append(p.Rows, row(m, basis, a, b))
	}
	return p
}

// targets compares the targets that all runs have. The notes list the others.
func targets(basis Basis, a, b []*load.Result) (parts []Part, notes []string) {
	rowsA, rowsB := rowsOf(a), rowsOf(b)
	if rowsA == nil || rowsB == nil {
		return nil, nil
	}
	for _, key := range rowsA[0].keys {
		as, okA := all(rowsA, key)
		bs, okB := all(rowsB, key)
		if okA && okB {
			parts = append(parts, part(key, TargetMetrics(), basis, as, bs))
		}
	}
	for i, runs := range [][]targetRows{rowsA, rowsB} {
		var others []string
		for _, r := range runs {
			for _, key := range r.keys {
				if !slices.ContainsFunc(parts, func(p Part) bool { return p.Name == key }) && !slices.Contains(others, key) {
					others = append(others, key)
				}
			}
		}
		if len(others) > 0 {
			const most = 5
			text := strings.Join(others[:min(len(others), most)], ", ")
			if more := len(others) - most; more > 0 {
				text += fmt.Sprintf(" and %d more", more)
			}
			notes = append(notes, fmt.Sprintf("not compared, because some runs lack them: targets of %s: %s",
				[...]string{"A", "B"}[i], text))
		}
	}
	return parts, notes
}

// targetRows are the targets of a run.
type targetRows struct {
	keys []string // in the run's order
	rows map[string]*load.Result
}

// rowsOf returns the targets of each run; nil when a run has no table of them.
func rowsOf(runs []*load.Result) []targetRows {
	out := make([]targetRows, len(runs))
	for i, r := range runs {
		if len(r.PerTarget) == 0 {
			return nil
		}
		out[i] = targetRows{targetKeys(r.PerTarget), map[string]*load.Result{}}
		for k := range r.PerTarget {
			t := &r.PerTarget[k]
			out[i].rows[out[i].keys[k]] = &load.Result{
				Requests: t.Requests, Responses: t.Responses, Errors: t.Errors, Status: t.Status, Rate: t.Rate,
				Latency: t.Latency, Open: r.Open,
			}
		}
	}
	return out
}

// all returns the target with that key in each run; ok is false when a run has none.
func all(runs []targetRows, key string) (out []*load.Result, ok bool) {
	for _, r := range runs {
		t := r.rows[key]
		if t == nil {
			return nil, false
		}
		out = append(out, t)
	}
	return out, true
}

// targetKeys returns a key for each target that is unique in the run and equal for the same target
// of another server: its label; where labels are equal, method and address; and where these are
// equal too, its position among them.
func targetKeys(targets []load.TargetResult) []string {
	label := func(t *load.TargetResult) string { return t.Label() }
	address := func(t *load.TargetResult) string { return cmp.Or(t.Method, http.MethodGet) + " " + t.URL }
	count := map[string]int{}
	for i := range targets {
		count[label(&targets[i])]++
	}
	keys, used := make([]string, len(targets)), map[string]bool{}
	for i := range targets {
		key := label(&targets[i])
		if count[key] > 1 {
			key = address(&targets[i])
		}
		whole := key
		for n := 2; used[whole]; n++ {
			whole = fmt.Sprintf("%s (%d)", key, n)
		}
		used[whole] = true
		keys[i] = whole
	}
	return keys
}

// phases compares the phases that all runs have.
func phases(basis Basis, a, b []*load.Result) []Part {
	var parts []Part
	for _, phase := range []struct {
		name string
		of   func(*load.Result) (l *load.Latency, count int64)
	}{
		{"connect", func(r *load.Result) (*load.Latency, int64) { return r.Phases.Connect, r.Connects }},
		{"TLS", func(r *load.Result) (*load.Latency, int64) { return r.Phases.TLS, r.Connects }},
		{"first byte", func(r *load.Result) (*load.Latency, int64) { return &r.Phases.FirstByte, r.Responses }},
		{"transfer", func(r *load.Result) (*load.Latency, int64) { return &r.Phases.Transfer, r.Responses }},
	} {
		only := func(runs []*load.Result) (out []*load.Result, ok bool) {
			for _, r := range runs {
				if r.Phases == nil {
					return nil, false
				}
				l, count := phase.of(r)
				if l == nil {
					return nil, false
				}
				out = append(out, &load.Result{Responses: count, Latency: *l})
			}
			return out, true
		}
		as, okA := only(a)
		bs, okB := only(b)
		if okA && okB {
			parts = append(parts, part(phase.name, PhaseMetrics(), basis, as, bs))
		}
	}
	return parts
}
