package scrape

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/store"
)

// Schemas of the documents.
const (
	EventSchema  = "whet.scrape/1"
	StatusSchema = "whet.scrape-targets/1"
	CheckSchema  = "whet.scrape-check/1"
)

// An Event is one scrape of one target: a line of whet watch --config --json.
type Event struct {
	Schema  string        `json:"schema"`
	Time    time.Time     `json:"time"` // when it began
	Due     time.Time     `json:"due"`
	Took    time.Duration `json:"took_ns"`
	Job     string        `json:"job"`
	Service string        `json:"service"`
	Target  string        `json:"target"` // address of the handlers
	Labels  store.Labels  `json:"labels"`
	// State is up or down, and Changed reports whether it was another one before.
	State   string `json:"state"`
	Changed bool   `json:"changed,omitempty"`
	// Trigger is what fired, if a recording was made: slow, goroutines, heap or cpu.
	Trigger string `json:"trigger,omitempty"`
	// Recording is the ID of the recording in the store; "" if there is none. If RecordingBuffered is set,
	// it waits on disk until the store takes it.
	Recording         string         `json:"recording,omitempty"`
	RecordingBuffered bool           `json:"recording_buffered,omitempty"`
	Profiles          []EventProfile `json:"profiles"`
	// Error is the first error; "" if there was none.
	Error    string        `json:"error,omitempty"`
	Warnings diag.Warnings `json:"warnings,omitempty"`
}

// failed reports whether nothing could be fetched.
func (e *Event) failed() bool {
	return e.Error != "" && !slices.ContainsFunc(e.Profiles, func(p EventProfile) bool { return p.Error == "" })
}

// Stored returns how many profiles were passed to the store.
func (e *Event) Stored() int {
	n := 0
	for _, p := range e.Profiles {
		if p.Error == "" && p.Note == "" {
			n++
		}
	}
	return n
}

// An EventProfile is one profile of a scrape.
type EventProfile struct {
	Kind    string `json:"kind"`
	Samples int    `json:"samples"`
	Note    string `json:"note,omitempty"`  // why it is not stored
	Error   string `json:"error,omitempty"` // why there is none
}

// States of a target.
const (
	Up      = "up"      // its last scrape had at least one profile
	Down    = "down"    // its last scrape had none
	Waiting = "waiting" // it has not been scraped
	Away    = "away"    // another process has it, and has not said more
)

// A TargetState is what is known of a target.
type TargetState struct {
	Job     string        `json:"job"`
	Service string        `json:"service"`
	Target  string        `json:"target"` // address of the handlers
	Labels  store.Labels  `json:"labels"`
	State   string        `json:"state"`           // up, down, waiting or away
	Owner   string        `json:"owner,omitempty"` // the process that has it, if several share targets
	Error   string        `json:"error,omitempty"` // of the last scrape
	Last    time.Time     `json:"last,omitzero"`   // start of the last scrape
	Took    time.Duration `json:"took_ns,omitempty"`
	Next    time.Time     `json:"next,omitzero"`
	// Failures are those in a row, Scrapes all attempts, Missed the rounds that began while the
	// target was still being scraped or no connection was free.
	Failures int   `json:"failures,omitempty"`
	Scrapes  int64 `json:"scrapes"`
	Missed   int64 `json:"missed,omitempty"`
	Profiles int64 `json:"profiles"` // passed to the store
}

// scraped counts a scrape, and sets the state of its event.
func (s *TargetState) scraped(e *Event, failures int, missed int64) {
	e.State = Up
	if e.failed() {
		e.State = Down
	}
	e.Changed = s.State != e.State
	s.State, s.Error, s.Last, s.Took, s.Failures = e.State, e.Error, e.Time, e.Took, failures
	s.Scrapes++
	s.Missed += missed
	s.Profiles += int64(e.Stored())
}

// Counts are what became of profiles.
type Counts struct {
	Stored  int64 `json:"stored"`
	Waiting int64 `json:"waiting"` // for the store, in memory
	// Buffered are those that wait on disk, and BufferedRecordings the whole recordings there.
	Buffered           int64 `json:"buffered"`
	BufferedRecordings int64 `json:"buffered_recordings,omitempty"`
	Dropped            int64 `json:"dropped"` // because the store did not keep up
	Refused            int64 `json:"refused"` // by the store
}

// A Status is the state of all targets.
type Status struct {
	Schema   string        `json:"schema"`
	Profiles Counts        `json:"profiles"`
	Targets  []TargetState `json:"targets"` // by job, service and address
	// Members are the processes that share targets, by group and name, and Member is this one of them.
	Members  []Member      `json:"members,omitempty"`
	Member   string        `json:"member,omitempty"`
	Warnings diag.Warnings `json:"warnings,omitempty"` // of sources of targets, and of the store
}

// Status returns the state of all targets. Of a nil Engine it is empty.
func (e *Engine) Status() Status {
	s := Status{Schema: StatusSchema, Targets: []TargetState{}}
	if e == nil {
		return s
	}
	var failing error
	s.Profiles, failing = e.queue.snapshot()
	if failing != nil {
		s.Warnings.Addf("the store fails: %s", clean(failing))
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, j := range e.jobs {
		for _, err := range append(slices.Clone(j.trouble), j.invalid) {
			if err != nil {
				s.Warnings.Add(fmt.Errorf("job %s: %s", j.Name, clean(err)))
			}
		}
		add := func(t *target, one TargetState) {
			one.Job, one.Service, one.Target, one.Labels = j.Name, t.service, t.url, t.labels
			if e.share != nil {
				one.Owner, _ = e.share.Owner(t.url)
			}
			s.Targets = append(s.Targets, one)
		}
		for _, t := range j.targets {
			one := t.state
			one.State = cmp.Or(one.State, Waiting)
			add(t, one)
		}
		for _, t := range j.away {
			add(t, TargetState{State: Away})
		}
	}
	if e.share != nil {
		s.Member = e.share.Member()
	}
	s.sort()
	return s
}

func (s *Status) sort() {
	slices.SortFunc(s.Targets, func(a, b TargetState) int {
		return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.Service, b.Service), cmp.Compare(a.Target, b.Target),
			cmp.Compare(a.Labels.String(), b.Labels.String()))
	})
}
