package scrape

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/whet-go/whet/collect"
	"github.com/whet-go/whet/internal/collect/watch"
	"github.com/whet-go/whet/internal/scrape/discover"
	"github.com/whet-go/whet/internal/scrape/spool"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/unit"
)

// triggerRetry is the time between attempts to watch a target whose agent does not answer.
const triggerRetry = time.Minute

const (
	// maxRecording is the size of the largest recording that is stored, in bytes. One at a time is in memory.
	maxRecording = 64 << 20
	// recordingTime is how long storing a recording is tried without a buffer. The target is not watched
	// meanwhile.
	recordingTime = 5 * time.Minute
	// recordingFlush is how long it may take after the end.
	recordingFlush = 5 * time.Second
)

// watch records the flight recorder of a target's agent when a trigger fires, until ctx ends, stores the
// recording and queues its profiles.
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
		Event: func(e watch.Event) { t.recorded(ctx, e) },
	}
	if t.job.Token != "" {
		if o.Target.Token, err = discover.ReadToken(t.job.Token); err != nil {
			return err
		}
	}
	_, err = watch.Run(ctx, o)
	return err
}

// recorded queues the profiles of a recording, stores it, and deletes the file.
func (t *target) recorded(ctx context.Context, e watch.Event) {
	v := Event{
		Schema: EventSchema, Time: e.At.UTC(), Due: e.At.UTC(), Took: time.Since(e.At), Job: t.job.Name, Service: t.service,
		Target: t.url, Labels: t.labels, State: Up, Trigger: string(e.Trigger), Profiles: []EventProfile{},
	}
	t.host.budget.spend(e.Length)
	labels, err := t.queueRecording(&v, e)
	if err == nil && t.job.e.o.Recordings != nil {
		v.Recording, v.RecordingBuffered, err = t.storeRecording(ctx, &e, labels)
	}
	if err != nil {
		v.Error = clean(err)
	}
	_ = os.Remove(e.File) // the directory is removed in the end
	t.job.e.event(v)
}

// storeRecording stores a recording, or adds it to the buffer if the store does not take it, and returns
// its ID.
func (t *target) storeRecording(
	ctx context.Context, e *watch.Event, labels store.Labels,
) (id string, buffered bool, err error) {
	engine := t.job.e
	fi, err := os.Stat(e.File)
	if err != nil {
		return "", false, err
	}
	if fi.Size() > maxRecording {
		return "", false, fmt.Errorf("the recording has %s (at most %s are stored)", unit.Bytes(fi.Size()),
			unit.Bytes(maxRecording))
	}
	r := store.Recording{
		Service: t.service, Labels: labels, Start: e.At.Add(-e.Length).UTC(), Duration: e.Length,
		About: cleanText(e.Reason()),
	}
	until := time.Now().Add(recordingTime)
	for wait := minStoreTry; ; wait = min(2*wait, maxStoreTry) {
		last := ctx.Err() != nil
		id, err := engine.sendRecording(ctx, r, e.File, last)
		if err == nil {
			return id.String(), false, nil
		}
		if engine.o.Buffer != nil && !spool.Refused(err) {
			engine.queue.fails(err)
			id, err := engine.bufferRecording(r, e.File)
			if err != nil {
				return "", false, fmt.Errorf("the recording is not stored: %w", err)
			}
			return id.String(), true, nil
		}
		if last || spool.Refused(err) || time.Now().After(until) {
			return "", false, fmt.Errorf("the recording is not stored: %w", err)
		}
		sleepUntil(ctx, time.Now().Add(max(wait, min(spool.RetryAfter(err), maxStoreTry))))
	}
}

// sendRecording tries once to store a recording. last is set if ctx has ended, and this is the last try.
func (e *Engine) sendRecording(ctx context.Context, r store.Recording, file string, last bool) (store.ID, error) {
	limit := writeTimeout
	if last {
		limit = recordingFlush
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	if !e.sending.take(ctx) {
		return store.ID{}, errors.New("those of other targets are being stored")
	}
	defer e.sending.give()
	content, err := os.ReadFile(file)
	if err != nil {
		return store.ID{}, err
	}
	return e.o.Recordings.WriteRecording(ctx, e.o.Tenant, r, content)
}

// bufferRecording adds a recording to the buffer, and returns the ID that it will have in the store.
func (e *Engine) bufferRecording(r store.Recording, file string) (store.ID, error) {
	_ = e.sending.take(context.Background()) // what is being stored has a limit of time
	defer e.sending.give()
	content, err := os.ReadFile(file)
	if err != nil {
		return store.ID{}, err
	}
	return store.NewRecordingID(&r, content), e.o.Buffer.AddRecording(e.o.Tenant, r, content)
}

// recordingLabels returns the labels of a recording and its profiles.
func (t *target) recordingLabels(e *watch.Event) store.Labels {
	labels := map[string]string{"trigger": string(e.Trigger)}
	for _, l := range t.labels {
		labels[l.Name] = l.Value
	}
	return store.NewLabels(labels)
}

// queueRecording queues the profiles that cover a recording's window or its end, and returns its labels.
func (t *target) queueRecording(v *Event, e watch.Event) (store.Labels, error) {
	rec, err := recording.Open(e.File)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rec.Close() }() // only read
	labels := t.recordingLabels(&e).WithRevision(rec.Meta().Build.Revision())
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
				Service: t.service, Kind: name, Labels: labels, Start: v.Time, Duration: max(p.Duration, 0),
				Data: p,
			}) {
				one.Note = "dropped, because the store does not keep up"
			}
		}
		v.Profiles = append(v.Profiles, one)
	}
	return labels, nil
}
