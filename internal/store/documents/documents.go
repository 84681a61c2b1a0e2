package documents

import (
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/store/measured"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/regressions"
)

// The schemas of the documents.
const (
	SeriesSchema   = "whet.store-series/1"
	LabelsSchema   = "whet.store-labels/1"
	ProfilesSchema = "whet.store-profiles/1"
	TimelineSchema = "whet.store-timeline/1"
	PushSchema     = "whet.store-push/1"
	StatsSchema    = "whet.store-stats/1"
	CheckSchema    = "whet.store-check/1"
	MigrateSchema  = "whet.store-migrate/1"

	ResultsSchema    = "whet.store-results/1"
	RecordingsSchema = "whet.store-recordings/1"
	RecordedSchema   = "whet.store-recorded/1"

	RegressionsSchema = "whet.store-regressions/1"
)

// Series is what whet query series shows.
type Series struct {
	Schema string         `json:"schema"`
	Series []store.Series `json:"series"`
	Types  []store.Type   `json:"types"` // of these series, by kind
	Partial
	Warnings diag.Warnings `json:"warnings,omitempty"`
}

// NewSeries returns a list of series and the types of their profiles.
func NewSeries(series []store.Series, types []store.Type) Series {
	return Series{Schema: SeriesSchema, Series: series, Types: types}
}

// Labels is what whet query labels shows: the names, or the values of one.
type Labels struct {
	Schema string   `json:"schema"`
	Name   string   `json:"name,omitempty"` // of the label whose values are listed
	Values []string `json:"values"`         // names if Name is empty
	Partial
	Warnings diag.Warnings `json:"warnings,omitempty"`
}

// NewLabels returns a list of names, or of the values of a label.
func NewLabels(name string, values []string) Labels {
	return Labels{Schema: LabelsSchema, Name: name, Values: values}
}

// Profiles is what whet query profiles shows.
type Profiles struct {
	Schema   string       `json:"schema"`
	Profiles []store.Meta `json:"profiles"` // newest first
	Partial
	Warnings diag.Warnings `json:"warnings,omitempty"`
}

// NewProfiles returns a list of profiles.
func NewProfiles(list []store.Meta) Profiles {
	return Profiles{Schema: ProfilesSchema, Profiles: list}
}

// Recordings is what whet query recordings shows.
type Recordings struct {
	Schema     string            `json:"schema"`
	Recordings []store.Recording `json:"recordings"` // newest first
	Partial
	Warnings diag.Warnings `json:"warnings,omitempty"`
}

// NewRecordings returns a list of recordings.
func NewRecordings(list []store.Recording) Recordings {
	return Recordings{Schema: RecordingsSchema, Recordings: list}
}

// Recorded is the answer to a recording that was stored.
type Recorded struct {
	Schema string   `json:"schema"`
	ID     store.ID `json:"id"`
}

// NewRecorded returns the ID of a recording that was stored.
func NewRecorded(id store.ID) Recorded { return Recorded{Schema: RecordedSchema, ID: id} }

// Results is what whet query results shows.
type Results struct {
	Schema  string           `json:"schema"`
	Results []measured.Entry `json:"results"` // newest first
	Partial
	Warnings diag.Warnings `json:"warnings,omitempty"`
}

// NewResults returns a list of results, with their documents or without.
func NewResults(list []store.Result, whole bool) Results {
	d := Results{Schema: ResultsSchema, Results: []measured.Entry{}}
	for i := range list {
		d.Results = append(d.Results, measured.NewEntry(&list[i], whole))
	}
	return d
}

// Timeline is what whet query timeline shows.
type Timeline struct {
	Schema string `json:"schema"`
	store.LineTimeline
	Partial
	Warnings diag.Warnings `json:"warnings,omitempty"`
}

// NewTimeline returns the cost of lines over time.
func NewTimeline(t *store.LineTimeline) Timeline {
	return Timeline{Schema: TimelineSchema, LineTimeline: *t}
}

// Push is what whet push shows.
type Push struct {
	Schema   string   `json:"schema"`
	Store    string   `json:"store"` // without a password
	Profiles []Pushed `json:"profiles"`
	// Results are documents of measurements.
	Results []PushedResult `json:"results,omitempty"`
	// Recordings are those that were stored as they are.
	Recordings []PushedRecording `json:"recordings,omitempty"`
	Warnings   diag.Warnings     `json:"warnings,omitempty"`
}

// Pushed is a profile that was stored, now or before.
type Pushed struct {
	File    string       `json:"file"`
	Part    string       `json:"part,omitempty"` // in a recording
	ID      store.ID     `json:"id"`
	Service string       `json:"service"`
	Kind    string       `json:"kind"`
	Labels  store.Labels `json:"labels"`
	Start   time.Time    `json:"start"`
	Samples int          `json:"samples"`
}

// PushedResult is a document that was stored, now or before.
type PushedResult struct {
	File string `json:"file"`
	measured.Entry
}

// PushedRecording is a recording that was stored, now or before.
type PushedRecording struct {
	File string `json:"file"`
	store.Recording
}

// NewPush returns an empty list for a store.
func NewPush(name string) Push { return Push{Schema: PushSchema, Store: name, Profiles: []Pushed{}} }

// Add appends a profile.
func (d *Push) Add(file, part string, p *store.Profile) {
	d.Profiles = append(d.Profiles, Pushed{
		File: file, Part: part, ID: store.NewID(p), Service: p.Service, Kind: p.Kind, Labels: p.Labels, Start: p.Start,
		Samples: p.Data.NumSamples(),
	})
}

// Regressions is what whet query regressions shows.
type Regressions struct {
	Schema string `json:"schema"`
	regressions.Report
	Partial
}

// NewRegressions returns what changed in profiles.
func NewRegressions(r *regressions.Report) Regressions {
	return Regressions{Schema: RegressionsSchema, Report: *r}
}

// Stats is what whet store stats shows.
type Stats struct {
	Schema string `json:"schema"`
	store.Usage
	Warnings diag.Warnings `json:"warnings,omitempty"`
}

// NewStats returns the statistics of a store.
func NewStats(s store.Usage) Stats { return Stats{Schema: StatsSchema, Usage: s} }

// Check is what whet store check and restore show.
type Check struct {
	Schema string `json:"schema"`
	Store  string `json:"store"`
	store.CheckReport
	Warnings diag.Warnings `json:"warnings,omitempty"`
}

// NewCheck returns the result of checking a store.
func NewCheck(name string, r store.CheckReport) Check {
	return Check{Schema: CheckSchema, Store: name, CheckReport: r}
}

// Migration is what whet store migrate shows.
type Migration struct {
	Schema   string        `json:"schema"`
	Store    string        `json:"store"`
	Cluster  string        `json:"cluster,omitempty"` // of the tables
	From     int           `json:"from"`              // version before; 0: there was no store
	To       int           `json:"to"`                // version now
	Warnings diag.Warnings `json:"warnings,omitempty"`
}

// NewMigration returns what a migration did.
func NewMigration(name, cluster string, from, to int) Migration {
	return Migration{Schema: MigrateSchema, Store: name, Cluster: cluster, From: from, To: to}
}

// SampleTypes lists the names of the sample types of t.
func SampleTypes(t store.Type) []string {
	names := make([]string, len(t.SampleTypes))
	for i, v := range t.SampleTypes {
		names[i] = v.Type
	}
	return names
}
