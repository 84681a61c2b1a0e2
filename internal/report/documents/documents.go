package documents

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/history"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/lines"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/goroutines"
	"github.com/whet-go/whet/internal/bench/rounds"
	collectdocs "github.com/whet-go/whet/internal/collect/documents"
	"github.com/whet-go/whet/internal/diag"
	finddocs "github.com/whet-go/whet/internal/find/documents"
	"github.com/whet-go/whet/internal/input/diff"
	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/input/live"
	"github.com/whet-go/whet/internal/report"
	"github.com/whet-go/whet/internal/report/benchmarks"
	"github.com/whet-go/whet/internal/report/blocks"
	"github.com/whet-go/whet/internal/report/diffs"
	"github.com/whet-go/whet/internal/report/findings"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/listings"
	"github.com/whet-go/whet/internal/report/loads"
	"github.com/whet-go/whet/internal/report/profiles"
	"github.com/whet-go/whet/internal/report/recordings"
	"github.com/whet-go/whet/internal/report/stores"
	"github.com/whet-go/whet/internal/report/traces"
	"github.com/whet-go/whet/internal/scrape"
	storedocs "github.com/whet-go/whet/internal/store/documents"
	tracedocs "github.com/whet-go/whet/internal/trace/documents"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/load/capacity"
	"github.com/whet-go/whet/load/compare"
	"github.com/whet-go/whet/memory"
	"github.com/whet-go/whet/pgo"
	"github.com/whet-go/whet/prove"
	"github.com/whet-go/whet/service"
)

// Options are what texts have and documents do not. The zero value is that of commands without
// flags.
type Options struct {
	MinShare float64           // of a tree's nodes, as a fraction
	Outcomes []compare.Outcome // of the objectives of a load
}

// A writer reads a document and writes its text.
type writer struct {
	document reflect.Type
	write    func(w io.Writer, s layout.Style, o Options, data []byte) error
}

// value returns a writer of a document type.
func value[D any](write func(io.Writer, layout.Style, D) error) writer {
	return with(func(w io.Writer, s layout.Style, _ Options, d D) error { return write(w, s, d) })
}

// view returns a writer of a document type that is described in blocks.
func view[D any](describe func(D) *blocks.Document) writer {
	return value(func(w io.Writer, s layout.Style, d D) error { return describe(d).Write(w, s) })
}

// with is value for a text with options.
func with[D any](write func(io.Writer, layout.Style, Options, D) error) writer {
	return writer{reflect.TypeFor[D](), func(w io.Writer, s layout.Style, o Options, data []byte) error {
		var d D
		if err := json.Unmarshal(data, &d); err != nil {
			return fmt.Errorf("read document: %w", err)
		}
		return write(w, s, o, d)
	}}
}

// writers returns the writers by schema.
func writers() map[string]writer {
	return map[string]writer{
		documents.TopSchema:  value(profiles.WriteTop),
		documents.PeekSchema: value(profiles.WritePeek),
		documents.TagsSchema: value(profiles.WriteTags),
		live.Schema: value(func(w io.Writer, s layout.Style, d *live.State) error {
			return profiles.WriteLiveSum(w, s, d, 0)
		}),
		documents.TracesSchema: value(profiles.WriteTraces),
		documents.TreeSchema: with(func(w io.Writer, s layout.Style, o Options, d documents.Tree) error {
			return profiles.WriteTree(w, s, d, o.MinShare)
		}),
		diff.Schema:                value(diffs.Write),
		documents.ListSchema:       value(listings.WriteList),
		documents.DisasmSchema:     value(listings.WriteDisasm),
		collectdocs.RecordSchema:   value(recordings.WriteRecord),
		collectdocs.WatchSchema:    value(recordings.WriteWatchEvent),
		goroutines.Schema:          value(recordings.WriteGoroutines),
		memory.Schema:              value(recordings.WriteMemory),
		tracedocs.SummarySchema:    value(traces.WriteSummary),
		tracedocs.GoroutinesSchema: value(traces.WriteGoroutines),
		tracedocs.ContentionSchema: value(traces.WriteContention),
		tracedocs.RequestsSchema:   value(traces.WriteRequests),
		tracedocs.CutSchema:        value(traces.WriteCut),
		tracedocs.ExportSchema:     value(traces.WriteExport),
		find.Schema:                view(findings.Find),
		fix.Schema:                 view(findings.Fix),
		prove.Schema:               view(findings.Prove),
		pgo.Schema:                 view(findings.PGO),
		lines.Schema:               value(findings.WriteNotes),
		finddocs.RulesSchema:       value(findings.WriteRules),
		bench.Schema:               view(benchmarks.Comparison),
		history.Schema:             value(benchmarks.WriteHistory),
		rounds.Schema:              value(benchmarks.WriteRun),
		service.Schema:             value(benchmarks.WriteServices),
		ab.Schema:                  view(benchmarks.Builds),
		benchmarks.ProfilesSchema: value(func(w io.Writer, s layout.Style, d *benchmarks.Profiles) error {
			for _, p := range d.Recordings {
				if err := benchmarks.WriteProfile(w, s, p); err != nil {
					return err
				}
			}
			return nil
		}),
		load.Schema: with(func(w io.Writer, s layout.Style, o Options, r *load.Result) error {
			return loads.Write(w, s, r, o.Outcomes)
		}),
		storedocs.SeriesSchema:   value(stores.WriteSeries),
		storedocs.LabelsSchema:   value(stores.WriteLabels),
		storedocs.ProfilesSchema: value(stores.WriteProfiles),
		storedocs.TimelineSchema: value(stores.WriteTimeline),
		storedocs.PushSchema:     value(stores.WritePush),

		storedocs.RegressionsSchema: value(stores.WriteRegressions),
		storedocs.StatsSchema:       value(stores.WriteStats),
		storedocs.CheckSchema:       value(stores.WriteCheck),
		storedocs.MigrateSchema:     value(stores.WriteMigration),

		scrape.EventSchema:  value(stores.WriteScrape),
		scrape.StatusSchema: value(stores.WriteTargets),
		scrape.CheckSchema:  value(stores.WriteScrapeCheck),

		capacity.Schema: value(loads.WriteCapacity),
		compare.Schema:  value(loads.WriteComparison),
		report.VersionSchema: value(func(w io.Writer, _ layout.Style, v report.Version) error {
			_, err := fmt.Fprintln(w, v)
			return err
		}),
	}
}

// Schemas returns the schemas that Write reads, sorted.
func Schemas() []string { return slices.Sorted(maps.Keys(writers())) }

// Write writes the text of a JSON document.
func Write(w io.Writer, s layout.Style, data []byte, o Options) error {
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return &diag.Error{Op: "read document", Err: err, Hint: "give what a command has written with --json"}
	}
	document, ok := writers()[head.Schema]
	if !ok {
		return &diag.Error{
			Op: "read document", Hint: "give what a command has written with --json",
			Err: fmt.Errorf("unknown schema %q (want %s)", layout.Clean(head.Schema), strings.Join(Schemas(), ", ")),
		}
	}
	return document.write(w, s, o, data)
}
