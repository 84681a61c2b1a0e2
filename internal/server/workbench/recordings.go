package workbench

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/profile/owncode"
	"github.com/whet-go/whet/internal/server/files"
	"github.com/whet-go/whet/internal/server/results"
	"github.com/whet-go/whet/internal/server/spent"
	"github.com/whet-go/whet/internal/server/stored"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/unit"
)

// Schemas of answers that no command writes.
const (
	filesSchema    = "whet.files/1"
	fileSchema     = "whet.file/1"
	overviewSchema = "whet.overview/1"
)

// FileList is the answer about all files.
type FileList struct {
	Schema string       `json:"schema"`
	Files  []files.File `json:"files"` // newest first
	// Complete is false if there are more files than these.
	Complete bool     `json:"complete"`
	Roots    []string `json:"roots"`   // what the server was started with, for whet ui
	Targets  []string `json:"targets"` // that can be recorded
	Loads    []string `json:"loads"`   // that can be sent meanwhile
	// Find is set if the server was started in a module, whose source explains findings.
	Find bool `json:"find"`
	// Editor is what links to places in its source are made of; nil means that there are none.
	Editor *Editor `json:"editor,omitempty"`
	// Store is set if there are profiles over time.
	Store bool `json:"store"`
	// Recordings is set if there are whole recordings, too.
	Recordings bool   `json:"recordings"`
	First      string `json:"first,omitempty"` // the page to begin with
	Version    string `json:"version"`
}

// An Editor is what links to places in a module's source are made of.
type Editor struct {
	Address string `json:"address"` // of a place; {file} stands for the path in the module, {line} for the line
	Dir     string `json:"dir"`     // of the module, with slashes
	Module  string `json:"module"`  // its path
}

// listFiles answers with the files, or that they are still the same.
func (s *Server) listFiles(w http.ResponseWriter, r *http.Request) error {
	list, complete := s.o.Files.List()
	doc := FileList{
		Schema: filesSchema, Files: list, Complete: complete, Targets: []string{},
		Roots: append([]string{}, s.o.Roots...), Loads: []string{},
		Find: s.o.Dir != "", Editor: s.o.Editor, Store: s.o.Store != nil,
		Recordings: s.o.Recordings != nil, First: s.o.First, Version: s.o.Version,
	}
	for _, t := range s.o.Targets {
		doc.Targets = append(doc.Targets, t.Name)
	}
	for _, l := range s.o.Loads {
		doc.Loads = append(doc.Loads, l.Name)
	}
	data, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	tag := `"` + hex.EncodeToString(sum[:8]) + `"`
	w.Header().Set("ETag", tag)
	w.Header().Set("Cache-Control", "no-cache")
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	return answer(w, doc)
}

// Added is the answer to a file that was dropped on the page.
type Added struct {
	Name string `json:"name"`
}

// addTime is how long the transfer of a dropped file may take.
const addTime = 30 * time.Minute

// addFile keeps a file that was dropped on the page until the server ends.
func (s *Server) addFile(w http.ResponseWriter, r *http.Request) error {
	longRead(w, addTime)
	name, err := s.o.Files.Create(r.URL.Query().Get("name"), r.Body)
	if err != nil {
		return err
	}
	return answer(w, Added{Name: name})
}

// File is the answer about one file: what a recording says of itself, without decoding profiles.
type File struct {
	Schema string     `json:"schema"`
	File   files.File `json:"file"`
	// Meta is set for recordings. Its parts are those that the file has.
	Meta     *recording.Meta `json:"meta,omitempty"`
	Target   string          `json:"target,omitempty"`
	Profiles []ProfileTypes  `json:"profiles"`
	Trace    bool            `json:"trace"` // there is an execution trace
	Load     *load.Result    `json:"load,omitempty"`
	// Result is set for files of benchmarks, findings, proofs and fixes.
	Result   *results.About `json:"result,omitempty"`
	Warnings diag.Warnings  `json:"warnings,omitempty"`
}

// ProfileTypes is a profile and its sample types.
type ProfileTypes struct {
	Name  string              `json:"name"` // "" in a file that is a profile
	Types []profile.ValueType `json:"types"`
}

// file answers with the facts about a file.
func (s *Server) file(w http.ResponseWriter, r *http.Request) error {
	name := r.URL.Query().Get("file")
	if s.stored.Has(name) {
		types, err := s.stored.Types(r, name)
		if err != nil {
			return err
		}
		return answer(w, File{
			Schema: fileSchema, File: files.File{Name: name, Kind: files.Profile}, Profiles: []ProfileTypes{{Types: types}},
			Warnings: stored.Lacks(r.Context()),
		})
	}
	doc, err := s.fileOf(r.Context(), name)
	if err != nil {
		return err
	}
	return answer(w, doc)
}

func (s *Server) fileOf(ctx context.Context, name string) (*File, error) {
	place, err := s.o.Files.Path(name)
	if err != nil {
		return nil, err
	}
	doc := &File{Schema: fileSchema, Profiles: []ProfileTypes{}}
	list, _ := s.o.Files.List()
	for _, f := range list {
		if f.Name == name {
			doc.File = f
		}
	}
	switch doc.File.Kind {
	case files.Recording:
	case files.Profile:
		in, release, err := s.inputs.Open(ctx, name, "", "")
		if err != nil {
			return nil, err
		}
		defer release()
		doc.Profiles = []ProfileTypes{{Types: in.Profile.SampleTypes}}
		doc.Warnings = s.warnings(in)
		return doc, nil
	case files.Load:
		doc.Load, err = s.loadOf(ctx, name)
		return doc, err
	case files.Trace:
		doc.Trace = true
		return doc, nil
	default:
		doc.Result, err = s.results.About(ctx, name, doc.File.Kind)
		return doc, err
	}
	d, err := s.inputs.Opener("open").Document(ctx, place, nil)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	rec := d.Recording
	if rec == nil {
		return nil, fmt.Errorf("open %s: %w", name, recording.ErrNotRecording)
	}
	meta := rec.Meta()
	doc.Meta, doc.Target, doc.Trace, doc.Warnings = &meta, meta.Target.String(), rec.Has(recording.TracePart), rec.Warnings
	meta.Parts = slices.DeleteFunc(meta.Parts, func(p recording.Part) bool { return p.Kind == recording.KindSource })
	for _, name := range rec.ProfileNames() {
		types, ok := usualTypes(name)
		if !ok {
			if p, err := rec.Profile(name); err == nil {
				types = p.SampleTypes
			}
		}
		doc.Profiles = append(doc.Profiles, ProfileTypes{name, types})
	}
	if rec.Has(recording.LoadPart) {
		l := new(load.Result)
		if err := rec.JSON(recording.LoadPart, l); err != nil {
			doc.Warnings.Add(err)
		} else {
			doc.Load = l
		}
	}
	return doc, nil
}

// usualTypes returns the sample types that Go gives a profile of this name.
func usualTypes(name string) ([]profile.ValueType, bool) {
	memory := []profile.ValueType{
		{Type: "alloc_objects", Unit: "count"},
		{Type: "alloc_space", Unit: "bytes"},
		{Type: "inuse_objects", Unit: "count"},
		{Type: "inuse_space", Unit: "bytes"},
	}
	waits := []profile.ValueType{{Type: "contentions", Unit: "count"}, {Type: "delay", Unit: "nanoseconds"}}
	switch path.Base(name) {
	case "cpu":
		return []profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}}, true
	case "allocs", "heap", "heap.live":
		return memory, true
	case "mutex", "block":
		return waits, true
	case "goroutine", "goroutine.start", "threadcreate", "goroutineleak":
		return []profile.ValueType{{Type: path.Base(strings.TrimSuffix(name, ".start")), Unit: "count"}}, true
	}
	return nil, false
}

// loadOf returns the result of a load in a file or recording.
func (s *Server) loadOf(ctx context.Context, name string) (*load.Result, error) {
	place, err := s.o.Files.Path(name)
	if err != nil {
		return nil, err
	}
	d, err := s.inputs.Opener("load").Document(ctx, place, nil)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	l := new(load.Result)
	if d.Recording != nil {
		if !d.Recording.Has(recording.LoadPart) {
			return nil, input.MissingPart(d.Recording, name, recording.LoadPart, "load")
		}
		return l, d.Recording.JSON(recording.LoadPart, l)
	}
	const most = 64 << 20
	data, err := io.ReadAll(io.LimitReader(d.Reader, most))
	if err == nil {
		err = json.Unmarshal(data, l)
	}
	if err == nil && l.Schema != load.Schema {
		err = fmt.Errorf("unknown schema %.40q (want %q)", l.Schema, load.Schema)
	}
	if err != nil {
		return nil, &diag.Error{Op: "read load", Subject: name, Err: err, Hint: "`whet load --json` writes such files"}
	}
	return l, nil
}

// Overview is what costs in a recording: totals by whose code it is, and the lines that cost most.
type Overview struct {
	Schema string           `json:"schema"`
	Header documents.Header `json:"profile"` // of the first cost
	Costs  []Cost           `json:"costs"`
	// Collector is the garbage collector's share of the CPU time; nil without a CPU profile.
	Collector *documents.Collector `json:"collector,omitempty"`
	Lines     []OverviewLine       `json:"lines"` // by the first cost, or the second if that is a larger share
	// Also is the second cost of Lines.
	Also     *owncode.Second `json:"also,omitempty"`
	Rest     []owncode.Rest  `json:"rest"` // samples without own code
	Warnings diag.Warnings   `json:"warnings,omitempty"`
}

// A Cost is the total of a sample type, and whose code spends it.
type Cost struct {
	Profile    string            `json:"profile"`
	SampleType profile.ValueType `json:"sample_type"`
	Total      int64             `json:"total"`
	// Requests is the number of requests of the load, and PerRequest Total over it; 0 without one.
	Requests   int64   `json:"requests,omitempty"`
	PerRequest float64 `json:"per_request,omitempty"`
	Parts      []Part  `json:"parts"`
}

// A Part is cost by the code that it is spent in.
type Part struct {
	Kind  string  `json:"kind"` // own, dep, std, gc, scheduler, syscall, runtime, other
	Value int64   `json:"value"`
	Share float64 `json:"share"`
}

// An OverviewLine is a line of own code with its source.
type OverviewLine struct {
	owncode.Line
	Code string `json:"code,omitempty"`
	// Finding is the cause of its cost, if it was looked for.
	Finding *find.Finding `json:"finding,omitempty"`
}

// overviewLines is the number of lines of an overview.
const (
	overviewLines = 10
	maxOverview   = 200
)

// overview answers with what costs in a recording or profile.
func (s *Server) overview(w http.ResponseWriter, r *http.Request) error {
	q, err := readQuery(r)
	if err != nil {
		return err
	}
	n, err := q.number(overviewLines, maxOverview)
	if err != nil {
		return err
	}
	first, release, err := s.open(r, q, "")
	if err != nil {
		return err
	}
	defer release()
	doc := Overview{Schema: overviewSchema, Header: q.header(first), Costs: []Cost{}, Lines: []OverviewLine{}}
	doc.Warnings = s.warnings(first)
	requests := s.requests(first)
	doc.Costs = append(doc.Costs, costOf(first, requests))
	if q.given.Get("brief") != "true" {
		s.otherCosts(r, q, first, requests, &doc)
	}
	doc.Collector = documents.CollectorOf(first)
	also, err := second(first)
	if err != nil {
		doc.Warnings.Add(err)
	}
	own := documents.NewOwn(doc.Header, first.View.Own(first.Own.Match), also, n, "").Own
	doc.Also, doc.Rest = own.Also, own.Rest
	if doc.Rest == nil {
		doc.Rest = []owncode.Rest{}
	}
	source := s.inputs.Source(first)
	found := s.foundIn(q.File)
	for _, l := range own.Lines {
		line := OverviewLine{Line: l, Finding: findingAt(found, l)}
		if text, _, err := source(l.File); err == nil && l.Line > 0 && l.Line <= len(text) {
			line.Code = strings.TrimSpace(text[l.Line-1])
		}
		doc.Lines = append(doc.Lines, line)
	}
	return answer(w, doc)
}

// otherCosts adds the costs of the other profiles of a recording.
func (s *Server) otherCosts(r *http.Request, q *query, first *input.Input, requests int64, doc *Overview) {
	if first.Recording == nil {
		return
	}
	has := first.Recording.ProfileNames()
	for _, part := range []string{"cpu", "allocs", "block", "mutex"} {
		if part == first.Part || !slices.Contains(has, part) {
			continue
		}
		sample := map[string]string{"cpu": "cpu", "allocs": "alloc_space"}[part]
		other := *q
		other.Type = part + ":" + cmp.Or(sample, "delay")
		in, release, err := s.open(r, &other, "")
		if err != nil {
			doc.Warnings.Add(err)
			continue
		}
		doc.Costs = append(doc.Costs, costOf(in, requests))
		release()
	}
}

// requests returns the number of requests of a recording's load; 0 without one.
func (s *Server) requests(in *input.Input) int64 {
	if in.Recording == nil || !in.Recording.Has(recording.LoadPart) {
		return 0
	}
	var l load.Result
	if err := in.Recording.JSON(recording.LoadPart, &l); err != nil {
		return 0
	}
	return l.Responses
}

// costOf returns the total of an input and its parts.
func costOf(in *input.Input, requests int64) Cost {
	c := Cost{
		Profile: in.Part, SampleType: in.Type, Total: in.View.Total(), Requests: requests, Parts: []Part{},
	}
	if requests > 0 {
		c.PerRequest = float64(c.Total) / float64(requests)
	}
	sums := spent.By(in)
	for kind := range spent.NumClasses {
		if v := sums[kind]; v != 0 {
			c.Parts = append(c.Parts, Part{kind.String(), v, unit.Share(v, c.Total)})
		}
	}
	return c
}

// findingAt returns the finding at a line; nil if there is none.
func findingAt(r *find.Result, l owncode.Line) *find.Finding {
	if r == nil {
		return nil
	}
	for i := range r.Findings {
		for _, p := range r.Findings[i].Places {
			if p.Line <= l.Line && l.Line <= max(p.Line, p.EndLine) && sameFile(l.File, p.File) {
				return &r.Findings[i]
			}
		}
	}
	return nil
}

// sameFile reports whether a path in a profile can be a path in a module.
func sameFile(file, rel string) bool {
	return file == rel || strings.HasSuffix(file, "/"+rel)
}

// download answers with a file as it is, or with a profile: one of a recording, or what the filters of a view keep.
func (s *Server) download(w http.ResponseWriter, r *http.Request) error {
	q, err := readQuery(r)
	if err != nil {
		return err
	}
	var content io.Reader
	file := path.Base(q.File)
	q.Type = q.given.Get("part")
	filtered := len(q.filters()) > 0 || q.Base != ""
	if q.Type == "" && !filtered {
		place, err := s.o.Files.Path(q.File)
		if err != nil {
			return err
		}
		f, err := s.o.Files.OpenFile(place)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }() // was only read
		content = f
	} else {
		in, release, err := s.open(r, q, "")
		if err != nil {
			return err
		}
		defer release()
		p := in.Profile
		file = strings.TrimSuffix(strings.TrimSuffix(file, ".whet"), ".pb.gz")
		if q.Type != "" {
			file += "." + path.Base(q.Type)
		}
		if filtered {
			file += ".filtered"
			if p, err = in.View.Filtered(); err != nil {
				return err
			}
		}
		pr, pw := io.Pipe()
		defer func() { _ = pr.Close() }() // ends the writer
		go func() { pw.CloseWithError(p.Write(pw)) }()
		content, file = pr, file+".pb.gz"
	}
	attached(w, file)
	_, _ = io.Copy(w, content) // the client may be gone
	return nil
}

// attached sets the headers of an answer that is saved as a file.
func attached(w http.ResponseWriter, name string) {
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", `attachment; filename="`+headerName(name)+`"`)
}

// headerName returns a file name with only characters that a header may have.
func headerName(name string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || c >= 0x7f || c == '"' || c == '\\' || c == '/' {
			return '_'
		}
		return c
	}, name)
}

// exists reports whether a path exists, for tests of what jobs leave.
func exists(place string) bool {
	_, err := os.Stat(place)
	return err == nil
}
