package scrape

import (
	"context"
	"math"
	"os"
	"time"

	"github.com/whet-go/whet/collect"
	"github.com/whet-go/whet/internal/collect/watch"
	"github.com/whet-go/whet/internal/scrape/discover"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/store"
)

// triggerRetry is the time between attempts to watch a target whose agent does not answer.
const triggerRetry = time.Minute

// watch records the flight recorder of a target's agent when a trigger fires, until ctx ends, and
// queues the profiles of the recording.
func (t *target) watch(ctx context.Context) {
	last := ""
	for ctx.Err() == nil {
		err := t.watchOnce(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil && err.Error() != last {
			last = err.Error()
			t.job.e.warn(err)
		}
		if !sleepUntil(ctx, time.Now().Add(triggerRetry)) {
			return
		}
	}
}

func (t *target) watchOnce(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "whet-triggers-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	certs, err := t.job.tlsConfig(time.Now())
	if err != nil {
		return err
	}
	o := watch.Options{
		Target: collect.Options{URL: t.url, TLS: certs, Version: t.job.e.o.Version, Abort: ctx.Done()},
		Dir:    dir,
		Slower: t.job.Triggers.Slower, Goroutines: t.job.Triggers.Goroutines, Heap: t.job.Triggers.Heap,
		CPU: t.job.Triggers.CPU, Every: t.job.Triggers.Every, Max: math.MaxInt32,
		Event: t.recorded,
	}
	if t.job.Token != "" {
		if o.Target.Token, err = discover.ReadToken(t.job.Token); err != nil {
			return err
		}
	}
	_, err = watch.Run(ctx, o)
	return err
}

// recorded queues the profiles of a recording and deletes it.
func (t *target) recorded(e watch.Event) {
	v := Event{
		Schema: EventSchema, Time: e.At.UTC(), Due: e.At.UTC(), Took: time.Since(e.At), Job: t.job.Name, Service: t.service,
		Target: t.url, Labels: t.labels, State: Up, Trigger: string(e.Trigger), Profiles: []EventProfile{},
	}
	if err := t.queueRecording(&v, e); err != nil {
		v.Error = clean(err)
	}
	_ = os.Remove(e.File) // the directory is removed in the end
	t.job.e.event(v)
}

// queueRecording queues the profiles that cover a recording's window or its end.
func (t *target) queueRecording(v *Event, e watch.Event) error {
	rec, err := recording.Open(e.File)
	if err != nil {
		return err
	}
	defer func() { _ = rec.Close() }() // only read
	labels := map[string]string{"trigger": string(e.Trigger)}
	for _, l := range t.labels {
		labels[l.Name] = l.Value
	}
	for _, name := range rec.ProfileNames() {
		if store.NewKind(name) != name {
			continue // part of another
		}
		one := EventProfile{Kind: name}
		p, err := rec.ReadProfile(name, profile.ReadOptions{MaxBytes: maxDecode})
		if err != nil {
			one.Error = clean(err)
		} else {
			one.Samples = p.NumSamples()
			if !t.job.e.queue.add(store.Profile{
				Service: t.service, Kind: name, Labels: store.NewLabels(labels), Start: v.Time, Duration: max(p.Duration, 0),
				Data: p,
			}) {
				one.Note = "dropped, because the store does not keep up"
			}
		}
		v.Profiles = append(v.Profiles, one)
	}
	return nil
}
