package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/store"
)

// file returns the content of a recording, which a store does not look into. It does not compress.
func file(seed uint64, size int) []byte {
	b := make([]byte, size)
	rnd := rand.New(rand.NewPCG(seed, 1))
	for i := range b {
		b[i] = byte(rnd.Uint32())
	}
	return b
}

// writeRecording stores a recording and returns its ID.
func writeRecording(t *testing.T, s store.RecordingWriter, tenant string, r store.Recording, content []byte) store.ID {
	t.Helper()
	id, err := s.WriteRecording(t.Context(), tenant, r, content)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// abouts lists what selected recordings say of themselves.
func abouts(t *testing.T, s store.RecordingStore, q store.Query, limit int) string {
	t.Helper()
	list, err := s.Recordings(t.Context(), q, limit)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, r := range list {
		all = append(all, r.About)
	}
	return strings.Join(all, " ")
}

// testRecordings stores recordings of one part, of several and of whole ones, and reads them.
func testRecordings(t *testing.T, u Store) {
	s := u.Open(t, "recordings", Options{})
	ctx := t.Context()
	var all []store.Recording
	var contents [][]byte
	for n, size := range []int{1, 1<<20 - 1, 1 << 20, 3<<20 + 7} {
		r := store.Recording{
			Service: []string{"shop", "mail"}[n%2], About: fmt.Sprint("n", n), Duration: time.Duration(n) * time.Second,
			Labels: store.NewLabels(map[string]string{"trigger": []string{"slow", "heap"}[n/2], "host": "a'\\\x7f"}),
			Start:  Epoch().Add(time.Duration(n)*time.Hour + 123),
		}
		content := file(uint64(n), size)
		for range 2 { // again is once
			r.ID = writeRecording(t, s, "", r, content)
		}
		r.Size = int64(size)
		all, contents = append(all, r), append(contents, content)
	}
	other := writeRecording(t, s, "red", all[0], contents[0])
	for i, want := range all {
		var b bytes.Buffer
		var first store.Recording
		got, err := s.ReadRecording(ctx, "", want.ID, func(r store.Recording) {
			if first = r; b.Len() > 0 {
				t.Error("found is called after the first byte")
			}
		}, &b)
		if err != nil || !bytes.Equal(b.Bytes(), contents[i]) {
			t.Fatalf("recording %d: %d bytes, %v", i, b.Len(), err)
		}
		for _, r := range []store.Recording{got, first} {
			if fmt.Sprint(r) != fmt.Sprint(want) || !r.Start.Equal(want.Start) || r.ID != want.ID {
				t.Errorf("recording %d is %+v, want %+v", i, r, want)
			}
		}
	}
	for _, c := range []struct {
		query  string
		q      store.Query
		limit  int
		abouts string
	}{
		{``, store.Query{}, 0, "n3 n2 n1 n0"},
		{``, store.Query{}, 2, "n3 n2"},
		{`{service="shop"}`, store.Query{}, 0, "n2 n0"},
		{`{service=~"shop|mail",trigger="slow"}`, store.Query{}, 0, "n1 n0"},
		{`{trigger!="slow"}`, store.Query{From: all[3].Start}, 0, "n3"},
		{``, store.Query{From: all[1].Start, To: all[3].Start}, 0, "n2 n1"},
		{``, store.Query{Kind: store.RecordingKind}, 1, "n3"},
		{``, store.Query{Kind: "cpu"}, 0, ""},
		{``, store.Query{Tenant: "red"}, 0, "n0"},
	} {
		c.q.Matchers = Matchers(t, c.query)
		if got := abouts(t, s, c.q, c.limit); got != c.abouts {
			t.Errorf("%s %+v: %q, want %q", c.query, c.q, got, c.abouts)
		}
	}
	if other != all[0].ID {
		t.Errorf("the ID depends on the tenant")
	}
	var b bytes.Buffer
	if _, err := s.ReadRecording(ctx, "red", all[1].ID, nil, &b); !errors.Is(err, store.ErrNotFound) || b.Len() > 0 {
		t.Errorf("the recording of another tenant: %d bytes, %v", b.Len(), err)
	}
	stats, err := s.Stats(ctx)
	if err != nil || stats.Recordings != 5 || stats.RecordingBytes != 5<<20+8 {
		t.Errorf("stats %+v, %v", stats, err)
	}
	if r, err := s.Check(ctx, nil); err != nil || len(r.Damage) > 0 || r.Recordings != 5 {
		t.Errorf("check: %+v, %v", r, err)
	}
	testBadRecordings(t, s, all[0])
}

// testBadRecordings stores recordings that are refused.
func testBadRecordings(t *testing.T, s store.RecordingWriter, good store.Recording) {
	ctx := t.Context()
	for name, change := range map[string]func(*store.Recording) (content []byte){
		"service":  func(r *store.Recording) []byte { r.Service = ""; return []byte("x") },
		"start":    func(r *store.Recording) []byte { r.Start = time.Time{}; return []byte("x") },
		"duration": func(r *store.Recording) []byte { r.Duration = -1; return []byte("x") },
		"bytes":    func(r *store.Recording) []byte { r.About = strings.Repeat("x", 2000); return []byte("x") },
		"empty":    func(*store.Recording) []byte { return nil },
		"reserved": func(r *store.Recording) []byte {
			r.Labels = store.Labels{{Name: "kind", Value: "x"}}
			return []byte("x")
		},
	} {
		r := good
		content := change(&r)
		_, err := s.WriteRecording(ctx, "", r, content)
		var invalid *store.InvalidError
		if !errors.As(err, &invalid) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var limit *store.LimitError
	_, err := s.WriteRecording(ctx, "", good, make([]byte, 64<<20+1))
	if !errors.As(err, &limit) || limit.Status() != 413 {
		t.Errorf("a large recording: %v", err)
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := s.WriteRecording(canceled, "", good, []byte("y")); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// testRecordingRetention deletes the oldest recordings of a service that has too many, and those that are
// too old.
func testRecordingRetention(t *testing.T, u Store) {
	o := Options{
		Now: func() time.Time { return Epoch().Add(10 * time.Hour) }, Limits: store.Limits{Recordings: 2500, Recording: 2000},
		Retention: store.Retention{Age: 2*time.Hour - time.Minute},
	}
	s := u.Open(t, "recordingretention", o)
	for _, n := range []int{0, 2, 1, 3} { // not in the order of time
		for _, service := range []string{"shop", "mail"} {
			if service == "mail" && n == 2 {
				continue
			}
			writeRecording(t, s, "", store.Recording{
				Service: service, About: fmt.Sprint(service, n), Start: Epoch().Add(time.Duration(n) * time.Hour),
			}, file(uint64(n), 1000))
		}
	}
	if got := abouts(t, s, store.Query{}, 0); got != "shop3 mail3 shop2 mail1" && got != "mail3 shop3 shop2 mail1" {
		t.Errorf("recordings %q", got)
	}
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	list := strings.Fields(abouts(t, s, store.Query{}, 0))
	slices.Sort(list)
	if got := strings.Join(list, " "); got != "mail3 shop2 shop3" {
		t.Errorf("recordings %q after %v", got, o.Retention.Age)
	}
	if r, err := s.Check(t.Context(), nil); err != nil || len(r.Damage) > 0 || r.Recordings != 3 {
		t.Errorf("check: %+v, %v", r, err)
	}
	var limit *store.LimitError
	r := store.Recording{Service: "shop", Start: Epoch()}
	if _, err := s.WriteRecording(t.Context(), "", r, file(1, 2001)); !errors.As(err, &limit) {
		t.Errorf("more than the limit: %v", err)
	}
}
