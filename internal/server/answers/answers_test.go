package answers

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// ask returns what a cache answers, and whether the handler was called.
func ask(t *testing.T, c *Cache, key string, status int, body string) (got *Recorder, called bool) {
	t.Helper()
	got = NewRecorder()
	err := c.Serve(got, key, func(w http.ResponseWriter) error {
		called = true
		w.Header().Set("Content-Type", "text/"+key)
		w.WriteHeader(status)
		_, err := io.WriteString(w, body)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got, called
}

func TestServe(t *testing.T) {
	c := New(4096)
	for i, want := range []struct {
		key    string
		status int
		body   string
		called bool
	}{
		{"a", 200, "first", true},
		{"a", 200, "first", false},
		{"b", 404, "no", true}, // is not kept
		{"b", 404, "no", true},
		{"c", 200, strings.Repeat("c", 2000), true}, // is too large
		{"c", 200, strings.Repeat("c", 2000), true},
		{"a", 200, "first", false},
	} {
		got, called := ask(t, c, want.key, want.status, want.body)
		if called != want.called || got.Status != want.status || got.Body.String() != want.body ||
			got.Header().Get("Content-Type") != "text/"+want.key {
			t.Errorf("request %d: %d %q, called %v, want %+v", i+1, got.Status, &got.Body, called, want)
		}
	}
	failed := errors.New("failed")
	if err := c.Serve(NewRecorder(), "d", func(http.ResponseWriter) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
	if _, called := ask(t, c, "d", 200, ""); !called {
		t.Error("an error was kept")
	}
}

// TestRoom drops the answer that was used least recently.
func TestRoom(t *testing.T) {
	c := New(4096)
	for i := range 100 {
		ask(t, c, fmt.Sprint(i), 200, strings.Repeat("x", 900))
		if _, called := ask(t, c, "0", 200, strings.Repeat("x", 900)); called && i > 0 {
			t.Fatalf("what is used was dropped after %d others", i)
		}
		if c.size > c.limit || len(c.known) != c.used.Len() {
			t.Fatalf("%d bytes of %d answers, %d in order", c.size, len(c.known), c.used.Len())
		}
	}
	if _, called := ask(t, c, "1", 200, ""); !called {
		t.Error("nothing was dropped")
	}
}

func TestConcurrent(t *testing.T) {
	c := New(8192)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 200 {
				key := fmt.Sprint((i + j) % 20)
				if got, _ := ask(t, c, key, 200, strings.Repeat(key, 300)); !strings.HasPrefix(got.Body.String(), key) {
					t.Errorf("%s: another answer", key)
				}
			}
		})
	}
	all.Wait()
}
