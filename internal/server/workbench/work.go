package workbench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/whet-go/whet/collect"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/lines"
	"github.com/whet-go/whet/find/recorded"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/find/upstream"
	reports "github.com/whet-go/whet/internal/report/findings"
	"github.com/whet-go/whet/internal/server/files"
	"github.com/whet-go/whet/internal/server/jobs"
)

// Kinds of jobs.
const (
	recordJob = "record"
	findJob   = "find"
)

// Limits of recordings from the page.
const (
	maxRecording     = 10 * time.Minute
	defaultRecording = collect.DefaultDuration
)

// A JobRequest starts a job.
type JobRequest struct {
	Kind string `json:"kind"` // record or find
	// Target and Load are names of the lists that /files has. Load may be empty.
	Target string `json:"target,omitempty"`
	Load   string `json:"load,omitempty"`
	// Duration and Trace are as --duration and --trace of whet record: "10s".
	Duration string `json:"duration,omitempty"`
	Trace    string `json:"trace,omitempty"`
	// File is the recording whose findings are looked for. With Dependencies, copies of the dependencies that cost
	// most are looked into, too.
	File         string `json:"file,omitempty"`
	Dependencies bool   `json:"dependencies,omitempty"`
	// Try only returns the job that would start, with its command line.
	Try bool `json:"try,omitempty"`
}

// JobList is the answer about all jobs.
type JobList struct {
	Jobs []jobs.Job `json:"jobs"` // newest first
}

func (s *Server) listJobs(w http.ResponseWriter, _ *http.Request) error {
	return answer(w, JobList{Jobs: s.jobs.List()})
}

// startJob starts a job.
func (s *Server) startJob(w http.ResponseWriter, r *http.Request) error {
	var req JobRequest
	if err := body(r, &req); err != nil {
		return err
	}
	var about jobs.Job
	var work jobs.Work
	var err error
	switch req.Kind {
	case recordJob:
		about, work, err = s.record(req)
	case findJob:
		about, work, err = s.find(req)
	default:
		err = diag.Usagef("kind", fmt.Sprintf("unknown kind %.40q (want record or find)", req.Kind), "")
	}
	if err != nil {
		return err
	}
	if req.Try {
		return answer(w, about)
	}
	job, err := s.jobs.Start(about, work)
	if err != nil {
		return err
	}
	return answer(w, job)
}

// record prepares a recording of one of the targets.
func (s *Server) record(req JobRequest) (about jobs.Job, work jobs.Work, err error) {
	i := slices.IndexFunc(s.o.Targets, func(t Target) bool { return t.Name == req.Target })
	if i < 0 {
		return about, nil, diag.Usagef("target", fmt.Sprintf("%.200q was not given when the server started", req.Target),
			"restart it with --target "+"ADDRESS: only such targets are contacted")
	}
	target := s.o.Targets[i]
	o := collect.Options{URL: target.Address, Own: s.o.Own, Version: s.o.Version, Sources: s.o.Files.Dirs()}
	if o.Duration, err = duration("duration", req.Duration, defaultRecording, time.Second, maxRecording); err != nil {
		return about, nil, err
	}
	if o.Trace, err = duration("trace", req.Trace, collect.DefaultTrace, 0, o.Duration); err != nil {
		return about, nil, err
	}
	command := []string{"whet", "record", target.Name, "-d", o.Duration.String(), "--trace", o.Trace.String()}
	if o.Trace == 0 {
		o.Trace = -1 // none
	}
	if req.Load != "" {
		i := slices.IndexFunc(s.o.Loads, func(l Load) bool { return l.Name == req.Load })
		if i < 0 {
			return about, nil, diag.Usagef("load", fmt.Sprintf("%.200q was not given when the server started", req.Load),
				"restart it with --load ADDRESS: only such addresses are requested")
		}
		sent := s.o.Loads[i].Options
		o.Load = &sent
		command = append(command, "--load", s.o.Loads[i].Name)
	}
	place, name, err := s.o.Files.RecordPath("recording", time.Now())
	if err != nil {
		return about, nil, err
	}
	command = append(command, "-o", name)
	about = jobs.Job{Kind: recordJob, Title: "record " + target.Name, Command: command}
	return about, func(ctx context.Context, report func(jobs.Event)) (any, error) {
		o := o
		o.Out = place
		if exists(place) { // it is resumed
			var err error
			if o.Out, name, err = s.o.Files.RecordPath("recording", time.Now()); err != nil {
				return nil, err
			}
		}
		o.Progress = func(p collect.Progress) {
			e := jobs.Event{Text: strings.Join(p.Running, ", ")}
			if p.Total > 0 {
				e.Done = min(1, float64(p.Elapsed)/float64(p.Total))
			}
			if p.Note != "" {
				e.Notes = []string{p.Note}
			}
			report(e)
		}
		sum, err := collect.Run(ctx, o)
		if err != nil {
			return nil, err
		}
		return Recorded{File: name, Failures: texts(sum.Failures), Warnings: sum.Warnings}, nil
	}, nil
}

// Recorded is the result of a recording.
type Recorded struct {
	File     string        `json:"file"`
	Failures []string      `json:"failures,omitempty"`
	Warnings diag.Warnings `json:"warnings,omitempty"`
}

func texts(errs []error) []string {
	var list []string
	for _, err := range errs {
		list = append(list, err.Error())
	}
	return list
}

// duration reads a duration within bounds.
func duration(name, text string, missing, least, most time.Duration) (time.Duration, error) {
	if text == "" {
		return min(missing, most), nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < least || d > most {
		return 0, diag.Usagef(name, fmt.Sprintf("%.40q is not a duration from %v to %v", text, least, most),
			"durations are written as 10s or 1m30s")
	}
	return d, nil
}

// findings keeps the results of find jobs, by file and its state.
type findings struct {
	mu     sync.Mutex
	byFile map[string]*find.Result
	count  int // of results, those that were replaced included
}

// add keeps what was found in a file in a state.
func (f *findings) add(state string, r *find.Result) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.byFile[state] = r
	f.count++
}

// stateOf identifies a file as it is now; "" if it is gone.
func (s *Server) stateOf(name string) string {
	place, err := s.o.Files.Path(name)
	if err != nil {
		return ""
	}
	fi, err := os.Stat(place)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%s %d %d", place, fi.Size(), fi.ModTime().UnixNano())
}

// find prepares to look for the causes of costs.
func (s *Server) find(req JobRequest) (about jobs.Job, work jobs.Work, err error) {
	if s.o.Dir == "" {
		return about, nil, diag.Usagef("find", "the server was not started in a module",
			"start it in the directory of the recorded program's module, or with --dir")
	}
	place, err := s.o.Files.Path(req.File)
	if err != nil {
		return about, nil, err
	}
	name, state := req.File, s.stateOf(req.File)
	about = jobs.Job{
		Kind: findJob, Title: "find causes in " + name, Command: []string{"whet", "find", name, "--dir", "."},
	}
	if req.Dependencies {
		about.Command = append(about.Command, "--dependencies")
	}
	return about, func(ctx context.Context, report func(jobs.Event)) (any, error) {
		report(jobs.Event{Text: "reading the recording"})
		p, err := recorded.Read(ctx, s.inputs.Opener("find"), []string{place},
			recorded.Options{Own: s.o.Own, MaxTrace: recorded.DefaultMaxTrace})
		if err != nil {
			return nil, err
		}
		defer p.Close()
		o := find.Options{
			Dir: s.o.Dir, Notes: lines.CacheDir(), Progress: func(what string) { report(jobs.Event{Text: what}) },
		}
		r, err := p.Find(ctx, o)
		if err == nil && req.Dependencies {
			err = upstream.Look(ctx, p.Profiles, p.Options(o), r)
		}
		if err != nil {
			return nil, err
		}
		r.Dir = "" // of this machine
		for _, u := range r.Upstream {
			u.Dir = ""
		}
		r.Warnings = append(p.Warnings, r.Warnings...)
		s.found.add(state, r)
		return Found{File: name, Findings: len(r.Findings)}, nil
	}, nil
}

// Found is the result of looking for causes. The document is at /findings.
type Found struct {
	File     string `json:"file"`
	Findings int    `json:"findings"`
}

// foundIn returns what was found in a file; nil if no job has looked.
func (s *Server) foundIn(name string) *find.Result {
	state := s.stateOf(name)
	s.found.mu.Lock()
	defer s.found.mu.Unlock()
	return s.found.byFile[state]
}

// findings answers with the findings in a file, or with what a find job found in a recording; with
// 204 if there was none.
func (s *Server) findings(w http.ResponseWriter, r *http.Request) error {
	name := r.URL.Query().Get("file")
	if _, err := s.o.Files.Path(name); err != nil {
		return err
	}
	if s.kindOf(name) == files.Findings {
		found, err := s.results.Findings(name)
		if err != nil {
			return err
		}
		return answerFound(w, r, found)
	}
	if found := s.foundIn(name); found != nil {
		return answerFound(w, r, found)
	}
	w.WriteHeader(http.StatusNoContent) // no job has looked
	return nil
}

// answerFound answers with findings, as data or as a self-contained page.
func answerFound(w http.ResponseWriter, r *http.Request, found *find.Result) error {
	return answerOr(w, r, found, func(w io.Writer) error { return reports.Find(found).WritePage(w) })
}

func (s *Server) job(w http.ResponseWriter, r *http.Request) error {
	job, err := s.jobs.Job(r.PathValue("id"))
	if err != nil {
		return err
	}
	return answer(w, job)
}

func (s *Server) cancelJob(w http.ResponseWriter, r *http.Request) error {
	job, err := s.jobs.Cancel(r.PathValue("id"))
	if err != nil {
		return err
	}
	return answer(w, job)
}

func (s *Server) resumeJob(w http.ResponseWriter, r *http.Request) error {
	job, err := s.jobs.Resume(r.PathValue("id"))
	if err != nil {
		return err
	}
	return answer(w, job)
}

// events answers with the events of a job, as they happen. A client that reconnects names the last
// one that it has.
func (s *Server) events(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	if _, err := s.jobs.Job(id); err != nil {
		return err
	}
	last := r.Header.Get("Last-Event-ID")
	if last == "" {
		last = r.URL.Query().Get("after")
	}
	after, err := strconv.Atoi(last)
	if err != nil || after < 0 {
		after = 0
	}
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w)
	_ = s.jobs.Follow(r.Context(), id, after, func(e jobs.Event) error { // until the client is gone
		data, err := json.Marshal(e)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "id: %d\ndata: %s\n\n", e.Number, data); err != nil {
			return err
		}
		return flush.Flush()
	})
	return nil
}

// A Login is a token.
type Login struct {
	Token string `json:"token"`
}

// A Session is what a visitor may do.
type Session struct {
	// LoggedIn is set if requests of the API are answered.
	LoggedIn bool `json:"logged_in"`
}

func (s *Server) session(w http.ResponseWriter, r *http.Request) error {
	return answer(w, Session{LoggedIn: s.o.Guard.Allowed(r)})
}

func (s *Server) login(w http.ResponseWriter, r *http.Request) error {
	var l Login
	if err := body(r, &l); err != nil {
		return err
	}
	if err := s.o.Guard.Login(w, l.Token); err != nil {
		return err
	}
	return answer(w, Session{LoggedIn: true})
}
