package collect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/whet-go/whet/internal/collect/handlers"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/trace/reader"
	"github.com/whet-go/whet/recording"
)

// recordFlight records the contents of the target's flight recorder, and snapshots.
func (s *session) recordFlight(ctx context.Context, c *handlers.Client) (*Summary, error) {
	t := &serverRecording{session: s, c: c, mutexPeriod: -1}
	defer t.drop()
	if err := c.MustOffer("flight"); err != nil {
		return nil, err
	}
	if err := s.create(recording.Target{Kind: recording.URL, Address: c.Address()}); err != nil {
		return nil, err
	}
	ctx, cancel := s.graceful(ctx)
	defer cancel()
	var err error
	s.report.run("flight recorder", func() { t.phase(2, 0, func(asking context.Context) { err = t.flight(ctx, asking) }) })
	if err != nil {
		return nil, errors.Join(err, s.w.Abort())
	}
	s.quiet = true
	s.report.run("snapshots", func() { t.phase(phases, 0, t.instant) })
	t.describe()
	return s.finish(ctx.Err() != nil)
}

// graceful returns a context that ends StopGrace after ctx, or when the session is aborted: the
// contents of the flight recorder arrive within moments, and could not be fetched again.
func (s *session) graceful(ctx context.Context) (context.Context, context.CancelFunc) {
	late, cancel := context.WithCancel(s.abort)
	stop := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(handlers.StopGrace)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel()
		case <-late.Done():
		}
	})
	return late, func() { stop(); cancel() }
}

// flight stores the trace of the last seconds. It runs first, because the flight recorder
// overwrites its contents. ctx ends it; asking limits the wait for the answer.
func (t *serverRecording) flight(ctx, asking context.Context) error {
	a, err := t.newAnswer() // its length, which its part states, is known once it is read
	if err != nil {
		return err
	}
	defer a.Close()
	asking, cancel := context.WithCancelCause(asking)
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { cancel(ctx.Err()) })()
	err = t.c.Flight(asking, func(r io.Reader) error { return a.Fill(r, handlers.MaxTrace) })
	if err != nil {
		return t.cutAt(asking, "flight", err)
	}
	end := time.Now()
	length := time.Duration(0)
	if err = handlers.CheckTrace("flight", a); err != nil {
		err = fmt.Errorf("read trace: %w", err)
	} else {
		length, err = reader.Length(ctx, a.Reader())
	}
	if err != nil {
		return t.cutAt(asking, "flight", t.c.Explain("flight", err))
	}
	t.meta.Created, t.meta.Duration = end.Add(-length), length
	part := recording.Part{
		Name: recording.TracePart, Kind: recording.KindTrace, Start: t.meta.Created, End: end, Note: "of the flight recorder",
	}
	if err := t.w.AddReader(part, a.Reader(), handlers.MaxTrace); err != nil {
		return &diag.Error{Op: "record", Err: err}
	}
	t.report.note("flight recorder: the last %v", length.Round(time.Millisecond))
	return nil
}

// instant takes the other profiles, all of which count from the program's start.
func (t *serverRecording) instant(ctx context.Context) {
	kinds := append(cumulative(), "goroutine", "threadcreate")
	var stats, info []byte
	var wg sync.WaitGroup
	wg.Go(func() { t.end = t.snapshots(ctx, t.want(kinds...), false) })
	wg.Go(func() { stats = t.stats(ctx, recording.MemStatsEndPart) })
	wg.Go(func() { info = t.askAgent(ctx) })
	t.find(ctx)
	wg.Wait()
	t.statsEnd = stats
	if t.process != nil {
		t.process.End = t.process.Start
		if err := t.w.AddJSON(recording.ProcessPart, t.process); err != nil {
			t.fail(err)
		}
	}
	if info != nil {
		if err := t.w.AddJSON(recording.AgentPart, map[string]json.RawMessage{"start": info, "end": info}); err != nil {
			t.fail(err)
		}
	}
	for _, kind := range kinds {
		s, asked := t.end[kind]
		switch {
		case !asked && kind == "allocs" && t.c.Offers("heap"):
			// heap holds them
		case !asked:
			t.miss(kind, t.c.MustOffer(kind))
		case s.err != nil:
			t.miss(kind, s.err)
		default:
			t.addInstant(kind, s)
		}
	}
	if !slices.ContainsFunc(t.meta.Missing, func(m recording.Missing) bool { return m.Part == "cpu" }) {
		t.miss("cpu", &diag.Error{
			Err: errors.New("a CPU profile covers the seconds to come"), Hint: "run whet record without --flight",
		})
	}
}

// addInstant stores a snapshot.
func (t *serverRecording) addInstant(kind string, s snapshot) {
	part := recording.Part{Start: s.at, End: s.at}
	switch kind {
	case "heap":
		part.Note = "what was live after the last garbage collection"
		t.addRaw("heap.live", s.Answer, part)
	case "goroutine":
	default:
		part.Note = "since the program's start"
	}
	t.addRaw(kind, s.Answer, part)
}
