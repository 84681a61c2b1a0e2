package flight

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// TestShared has two wait for the same work, with its progress, and a third one for other work.
func TestShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g Group[string]
		var calls atomic.Int32
		next := make(chan struct{})
		work := func(ctx context.Context) (string, error) {
			calls.Add(1)
			Report(ctx, Progress{Text: "half", Done: 0.5})
			<-next
			return "made", nil
		}
		var told [2]Progress
		for i := range told {
			go func() {
				ctx := WithReport(t.Context(), func(p Progress) { told[i] = p })
				if v, err := g.Do(ctx, "one", work); v != "made" || err != nil {
					t.Errorf("%q %v", v, err)
				}
			}()
			synctest.Wait() // the second one joins after the report
		}
		if v, err := g.Do(t.Context(), "two", func(context.Context) (string, error) { return "other", nil }); v != "other" ||
			err != nil {
			t.Errorf("%q %v", v, err)
		}
		close(next)
		g.Wait()
		synctest.Wait()
		if calls.Load() != 1 || told[0].Done != 0.5 || told[1] != told[0] {
			t.Errorf("%d calls, %v", calls.Load(), told)
		}
	})
}

// TestLeave has work end when the last who waits has left, and not before; who comes then starts it again.
func TestLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g Group[int]
		ended := 0
		work := func(ctx context.Context) (int, error) {
			<-ctx.Done()
			ended++
			return 0, ctx.Err()
		}
		first, stopFirst := context.WithCancel(t.Context())
		second, stopSecond := context.WithCancel(t.Context())
		for _, ctx := range []context.Context{first, second} {
			go func() {
				if _, err := g.Do(ctx, "x", work); !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			}()
		}
		synctest.Wait()
		stopFirst()
		synctest.Wait()
		if ended != 0 {
			t.Error("the work ended although one waits")
		}
		stopSecond()
		synctest.Wait()
		if ended != 1 {
			t.Error("the work goes on although all have left")
		}
		if v, err := g.Do(t.Context(), "x", func(context.Context) (int, error) { return 7, nil }); v != 7 || err != nil {
			t.Errorf("%d %v", v, err)
		}
		g.Wait()
	})
}

// TestPanic has a panic of work be an error.
func TestPanic(t *testing.T) {
	var g Group[int]
	_, err := g.Do(t.Context(), "x", func(context.Context) (int, error) { panic("cause") })
	if err == nil || !strings.Contains(err.Error(), "cause") {
		t.Error(err)
	}
	g.Wait()
}
