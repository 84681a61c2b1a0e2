package slow

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/server/flight"
	"github.com/whet-go/whet/internal/server/jobs"
)

// A fixture answers after a time, or when its context ends.
type fixture struct {
	a       Answers
	takes   time.Duration
	err     error
	calls   atomic.Int32
	stopped atomic.Int32
}

func (f *fixture) handler(w http.ResponseWriter, r *http.Request) error {
	f.calls.Add(1)
	flight.Report(r.Context(), flight.Progress{Text: "half", Done: 0.5})
	select {
	case <-time.After(f.takes):
	case <-r.Context().Done():
		f.stopped.Add(1)
		return r.Context().Err()
	}
	if f.err != nil {
		return f.err
	}
	w.Header().Set("X-Test", "kept")
	_, err := w.Write([]byte("made"))
	return err
}

// ask sends a request with preferences.
func (f *fixture) ask(ctx context.Context, prefer ...string) (*httptest.ResponseRecorder, error) {
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/v1/x?file=a", nil)
	r.Header["Prefer"] = prefer
	w := httptest.NewRecorder()
	return w, f.a.Serve(w, r, "key", jobs.Job{Kind: "x", Title: "x of a"}, f.handler)
}

func with(t *testing.T, takes time.Duration, test func(t *testing.T, f *fixture)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		f := &fixture{takes: takes}
		f.a = Answers{Jobs: jobs.New(ctx), Base: "/api/v1", Plain: func(s string) string {
			return strings.ReplaceAll(s, "/secret/", "")
		}}
		test(t, f)
		stop()
		f.a.Jobs.Wait()
		f.a.Wait()
	})
}

// TestQuick answers at once to whom does not want a job, and to whom does if it takes no time.
func TestQuick(t *testing.T) {
	for _, test := range []struct {
		takes  time.Duration
		prefer []string
	}{
		{time.Hour, nil},
		{time.Hour, []string{"handling=strict"}},
		{500 * time.Millisecond, []string{"respond-async"}},
		{9 * time.Second, []string{"respond-async, wait=10"}},
		{9 * time.Second, []string{"wait=10", "Respond-Async"}},
		{500 * time.Millisecond, []string{"respond-async, wait=soon"}},
	} {
		with(t, test.takes, func(t *testing.T, f *fixture) {
			w, err := f.ask(t.Context(), test.prefer...)
			if err != nil || w.Code != http.StatusOK || w.Body.String() != "made" || w.Header().Get("X-Test") != "kept" {
				t.Errorf("%v: %v %d %s", test.prefer, err, w.Code, w.Body)
			}
			if len(f.a.Jobs.List()) != 0 {
				t.Errorf("%v: there is a job", test.prefer)
			}
		})
	}
}

// accepted is the job of an answer.
func accepted(t *testing.T, w *httptest.ResponseRecorder, err error) jobs.Job {
	t.Helper()
	var j jobs.Job
	if err != nil || w.Code != http.StatusAccepted {
		t.Fatalf("%v %d %s", err, w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &j); err != nil || w.Header().Get("Location") != "/api/v1/jobs/"+j.ID ||
		w.Header().Get("Preference-Applied") != "respond-async" {
		t.Fatalf("%v %v %s", err, w.Header(), w.Body)
	}
	return j
}

// TestJob answers with a job, which has the progress and ends with where the answer is. Two requests share the work.
func TestJob(t *testing.T) {
	with(t, time.Minute, func(t *testing.T, f *fixture) {
		w, err := f.ask(t.Context(), "respond-async, wait=2")
		j := accepted(t, w, err)
		w, err = f.ask(t.Context(), "respond-async, wait=0")
		accepted(t, w, err)
		var events []jobs.Event
		if err := f.a.Jobs.Follow(t.Context(), j.ID, 0, func(e jobs.Event) error {
			events = append(events, e)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if len(events) != 2 || events[0].Text != "half" || events[0].Done != 0.5 || events[1].Job == nil ||
			events[1].Job.State != jobs.Done || events[1].Job.Result != (Ready{"/api/v1/x?file=a"}) {
			t.Errorf("%+v", events)
		}
		for range 2 { // each of the two comes again
			w, err := f.ask(t.Context(), "respond-async, wait=0")
			if err != nil || w.Code != http.StatusOK || w.Body.String() != "made" || w.Header().Get("X-Test") != "kept" {
				t.Errorf("%v %d %s", err, w.Code, w.Body)
			}
		}
		if n := f.calls.Load(); n != 1 {
			t.Errorf("%d calls", n)
		}
		time.Sleep(keptFor)
		synctest.Wait()
		if len(f.a.kept) != 0 {
			t.Error("the answer is still kept")
		}
		for i := range maxKept + 1 {
			f.a.keep(strconv.Itoa(i), nil)
		}
		if len(f.a.kept) != maxKept || f.a.kept[0].key != "1" {
			t.Errorf("%+v", f.a.kept)
		}
	})
}

// TestLeft has the work go on while one waits: a job that was canceled leaves it to another request.
func TestLeft(t *testing.T) {
	with(t, time.Minute, func(t *testing.T, f *fixture) {
		w, err := f.ask(t.Context(), "respond-async, wait=0")
		j := accepted(t, w, err)
		ctx, leave := context.WithCancel(t.Context())
		other := make(chan error)
		go func() {
			_, err := f.ask(ctx, "respond-async, wait=60")
			other <- err
		}()
		synctest.Wait()
		if _, err := f.a.Jobs.Cancel(j.ID); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if n := f.stopped.Load(); n != 0 {
			t.Error("the work was stopped although a request waits")
		}
		leave()
		if err := <-other; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		synctest.Wait()
		if n := f.stopped.Load(); n != 1 {
			t.Error("the work goes on although all have left")
		}
		if _, err := f.a.Jobs.Resume(j.ID); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if n := f.calls.Load(); n != 2 {
			t.Errorf("%d calls after the job was resumed", n)
		}
	})
}

// TestFailure has an error in time be the answer, and a later one that of the job, without the paths of this machine.
func TestFailure(t *testing.T) {
	cause := &diag.Error{Op: "read", Subject: "/secret/a", Err: errors.New("cause"), Hint: "cure /secret/b"}
	with(t, time.Minute, func(t *testing.T, f *fixture) {
		f.err, f.takes = cause, time.Second
		if w, err := f.ask(t.Context(), "respond-async, wait=2"); !errors.Is(err, cause.Err) {
			t.Errorf("%v %d", err, w.Code)
		}
		w, err := f.ask(t.Context(), "respond-async, wait=0")
		j := accepted(t, w, err)
		time.Sleep(2 * time.Second)
		j, err = f.a.Jobs.Job(j.ID)
		if err != nil || j.State != jobs.Failed || j.Error != "read a: cause" || j.Hint != "cure b" {
			t.Errorf("%+v %v", j, err)
		}
	})
}
