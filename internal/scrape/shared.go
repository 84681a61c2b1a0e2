package scrape

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/whet-go/whet/store"
)

const (
	// publishEvery is the time between two documents about targets for those who read leases.
	publishEvery = 15 * time.Second
	// forgetMember is how long a process is listed after its lease has ended.
	forgetMember = 10 * time.Minute
	// firstPublish is when the first one follows the first scrapes.
	firstPublish = 5 * time.Second
)

// mine reports whether this process has a target. An address is only in one process, whatever the number
// of jobs that name it.
func (t *target) mine() bool {
	s := t.job.e.share
	if s == nil {
		return true
	}
	_, mine := s.Owner(t.url)
	return mine
}

// divide starts and ends the scrapes of targets after their owners have changed.
func (e *Engine) divide() {
	e.mu.Lock()
	jobs := slices.Clone(e.jobs)
	e.mu.Unlock()
	for _, j := range jobs {
		j.update()
	}
}

// publish stores the state of this process's targets with its lease now and then, until ctx ends.
func (e *Engine) publish(ctx context.Context) {
	failing := false
	for wait := firstPublish; sleepUntil(ctx, time.Now().Add(wait)); wait = publishEvery {
		s := e.Status()
		s.Targets = slices.DeleteFunc(s.Targets, func(t TargetState) bool { return t.State == Away })
		data, err := json.Marshal(s)
		if err == nil {
			err = e.share.Publish(ctx, data)
		}
		if err != nil && !failing && ctx.Err() == nil {
			e.warn(fmt.Errorf("the state of targets is not published: %w", err))
		}
		failing = err != nil
	}
}

// A Member is one of the processes that share targets.
type Member struct {
	Group  string `json:"group"`
	Member string `json:"member"`
	// Left is the time until its lease ends; not positive of one that ended without saying so.
	Left    time.Duration `json:"left_ns"`
	Targets int           `json:"targets"` // that it has
}

// Share adds what other processes have published with their leases: their targets, counts and warnings.
// Of processes whose leases have ended only the name is added, for some minutes.
func (s *Status) Share(leases []store.Lease) {
	at := map[string]int{} // targets, by key
	key := func(t *TargetState) string { return t.Job + "\x00" + t.Service + "\x00" + t.Target + t.Labels.String() }
	own := 0
	for i := range s.Targets {
		at[key(&s.Targets[i])] = i
		if s.Targets[i].State != Away {
			own++
		}
	}
	for i := range leases {
		l := &leases[i]
		if l.Left < -forgetMember {
			continue
		}
		m := Member{Group: l.Group, Member: l.Member, Left: l.Left}
		var doc Status
		switch {
		case l.Member == s.Member && s.Member != "":
			m.Targets = own
		case !l.Alive() || l.Document == nil:
		case json.Unmarshal(l.Document, &doc) != nil || doc.Schema != StatusSchema:
			s.Warnings.Addf("process %s has published what this whet cannot read", l.Member)
		default:
			m.Targets = len(doc.Targets)
			s.add(doc, l.Member, at, key)
		}
		s.Members = append(s.Members, m)
	}
	slices.SortFunc(s.Members, func(a, b Member) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Member, b.Member))
	})
	s.sort()
}

// add adds the status of another process. What a target says of itself counts before what others know.
func (s *Status) add(doc Status, member string, at map[string]int, key func(*TargetState) string) {
	c, d := &s.Profiles, &doc.Profiles
	c.Stored, c.Waiting, c.Buffered = c.Stored+d.Stored, c.Waiting+d.Waiting, c.Buffered+d.Buffered
	c.BufferedRecordings += d.BufferedRecordings
	c.Dropped, c.Refused = c.Dropped+d.Dropped, c.Refused+d.Refused
	for _, w := range doc.Warnings {
		w.Where = cmp.Or(w.Where, member)
		s.Warnings.AddNew(w)
	}
	for i := range doc.Targets {
		t := doc.Targets[i]
		t.Owner = member
		k := key(&t)
		old, known := at[k]
		switch {
		case !known && len(s.Targets) < maxTargets:
			at[k] = len(s.Targets)
			s.Targets = append(s.Targets, t)
		case known && (s.Targets[old].State == Away || s.Targets[old].Last.Before(t.Last)):
			s.Targets[old] = t
		}
	}
}
