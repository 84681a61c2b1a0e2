package jobs

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/whet-go/whet/internal/diag"
)

// collect returns the events of a job after a number.
func collect(t *testing.T, m *Manager, id string, after int) []Event {
	t.Helper()
	var events []Event
	if err := m.Follow(t.Context(), id, after, func(e Event) error {
		events = append(events, e)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return events
}

func TestEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New(t.Context())
		more := make(chan struct{})
		j, err := m.Start(Job{Kind: "test", Title: "count"}, func(_ context.Context, report func(Event)) (any, error) {
			report(Event{Text: "one"})
			<-more
			report(Event{Text: "two"})
			return "made", nil
		})
		if err != nil || j.State != Running {
			t.Fatal(j, err)
		}
		first := make(chan []Event, 1)
		go func() { first <- collect(t, m, j.ID, 0) }()
		synctest.Wait()
		close(more)
		events := <-first
		if len(events) != 3 || events[0].Text != "one" || events[2].Job == nil || events[2].Job.Result != "made" ||
			events[2].Job.State != Done {
			t.Fatalf("%+v", events)
		}
		if rest := collect(t, m, j.ID, events[0].Number); len(rest) != 2 || rest[0].Text != "two" {
			t.Errorf("the rest: %+v", rest)
		}
		if rest := collect(t, m, j.ID, events[2].Number); len(rest) != 0 {
			t.Errorf("after the end: %+v", rest)
		}
		m.Wait()
	})
}

func TestCancelAndResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New(t.Context())
		wait := func(ctx context.Context, _ func(Event)) (any, error) {
			<-ctx.Done()
			return "half", nil
		}
		j, err := m.Start(Job{Title: "wait"}, wait)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Resume(j.ID); err == nil {
			t.Error("a running job was resumed")
		}
		if _, err := m.Cancel(j.ID); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if j, err = m.Job(j.ID); err != nil || j.State != Canceled || j.Result != "half" {
			t.Errorf("%+v %v", j, err)
		}
		again, err := m.Resume(j.ID)
		if err != nil || again.Resumes != j.ID || again.Title != "wait" {
			t.Errorf("%+v %v", again, err)
		}
		if _, err := m.Cancel(again.ID); err != nil {
			t.Error(err)
		}
		m.Wait()
		if list := m.List(); len(list) != 2 || list[0].ID != again.ID {
			t.Errorf("%+v", list)
		}
	})
}

func TestFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New(t.Context())
		for _, work := range []Work{
			func(context.Context, func(Event)) (any, error) {
				return nil, &diag.Error{Op: "fail", Err: errors.New("cause"), Hint: "cure"}
			},
			func(context.Context, func(Event)) (any, error) { panic("cause") },
		} {
			j, err := m.Start(Job{}, work)
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if j, err = m.Job(j.ID); err != nil || j.State != Failed || j.Error == "" {
				t.Errorf("%+v %v", j, err)
			}
		}
		if _, err := m.Job("99"); err == nil {
			t.Error("an unknown job was found")
		}
	})
}

func TestLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		m := New(ctx)
		wait := func(ctx context.Context, _ func(Event)) (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		for range maxRunning {
			if _, err := m.Start(Job{}, wait); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := m.Start(Job{}, wait); err == nil {
			t.Error("one more than allowed was started")
		}
		stop()
		m.Wait()
	})
}

// TestAttached has an attached job be canceled when its clients have left for a while, and not before.
func TestAttached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New(t.Context())
		wait := func(ctx context.Context, _ func(Event)) (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		state := func(id string) State {
			synctest.Wait()
			j, err := m.Job(id)
			if err != nil {
				t.Fatal(err)
			}
			return j.State
		}
		j, err := m.Start(Job{Attached: true}, wait)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // and one that comes back in time
			ctx, leave := context.WithCancel(t.Context())
			go func() { _ = m.Follow(ctx, j.ID, 0, func(Event) error { return nil }) }()
			time.Sleep(2 * grace)
			if s := state(j.ID); s != Running {
				t.Fatalf("%s although a client follows", s)
			}
			leave()
			time.Sleep(grace / 2)
			if s := state(j.ID); s != Running {
				t.Fatalf("%s before the grace ended", s)
			}
		}
		time.Sleep(grace)
		if s := state(j.ID); s != Canceled {
			t.Errorf("%s although all clients have left", s)
		}
		if again, err := m.Resume(j.ID); err != nil || !again.Attached {
			t.Errorf("%+v %v", again, err)
		}
		time.Sleep(2 * grace) // no client has ever followed it
		m.Wait()
		// They leave room for others.
		for range maxRunning + 1 {
			if _, err := m.Start(Job{Attached: true}, wait); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := m.Start(Job{}, func(context.Context, func(Event)) (any, error) { return 1, nil }); err != nil {
			t.Error(err)
		}
		time.Sleep(2 * grace)
		m.Wait()
	})
}
