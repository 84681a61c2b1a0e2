package workbench

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/server/access"
	receiver "github.com/whet-go/whet/internal/server/ingest"
	storedocs "github.com/whet-go/whet/internal/store/documents"
	"github.com/whet-go/whet/internal/store/remote"
	"github.com/whet-go/whet/store"
)

// TestStoreRecordings sends a recording, lists it, downloads it and opens it in views, all over HTTP.
func TestStoreRecordings(t *testing.T) {
	stored := newStore(t)
	s, _ := serveDir(t, t.TempDir(), access.Options{}, func(o *Options) {
		o.Store, o.Recordings = stored, stored
		receive := receiver.New(receiver.Options{Writer: stored, Recordings: stored})
		for _, p := range receiver.Paths() {
			o.Mounts = append(o.Mounts, Mount{Pattern: p, Handler: receive, Checks: true})
		}
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Host = "127.0.0.1:1"
		s.ServeHTTP(w, r)
	}))
	defer server.Close()
	content, err := os.ReadFile(recordingFile)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	c := &remote.Client{Address: server.URL}
	want := store.Recording{
		Service: "shop & co", Labels: store.NewLabels(map[string]string{"trigger": "slow", "city": "Zürich"}),
		Start: time.Date(2026, 5, 4, 3, 0, 0, 123, time.UTC), Duration: 1500 * time.Millisecond,
		About: "GET /pad took 1.2 s", Size: int64(len(content)),
	}
	for range 2 { // again is once
		if want.ID, err = c.WriteRecording(ctx, "", want, content); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.WriteRecording(ctx, "", store.Recording{Service: "mail"}, content); err != nil {
		t.Errorf("a recording that says when it began: %v", err)
	}
	ms, err := store.ParseMatchers(`{trigger="slow"}`)
	if err != nil {
		t.Fatal(err)
	}
	list, err := c.Recordings(ctx, store.Query{Matchers: ms}, 10)
	if err != nil || len(list) != 1 || list[0].ID != want.ID || list[0].Labels.Get("city") != "Zürich" ||
		list[0].About != want.About || !list[0].Start.Equal(want.Start) || list[0].Size != want.Size {
		t.Errorf("%+v, %v, want %+v", list, err, want)
	}
	if all := get[storedocs.Recordings](t, s, "/api/v1/store/recordings").Recordings; len(all) != 2 {
		t.Errorf("%+v", all)
	}
	var b bytes.Buffer
	found := 0
	got, err := c.ReadRecording(ctx, "", want.ID, func(store.Recording) { found++ }, &b)
	if err != nil || !bytes.Equal(b.Bytes(), content) || got.Labels.Get("city") != "Zürich" || found != 1 {
		t.Errorf("%+v, %d bytes, %v", got, b.Len(), err)
	}
	if _, err := c.ReadRecording(ctx, "", store.ID{1}, nil, &b); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("unknown: %v", err)
	}

	name := "stored/" + want.ID.String() + ".whet"
	file := get[File](t, s, "/api/v1/file?file="+name)
	if file.Meta == nil || file.File.Kind != "recording" || len(file.Profiles) == 0 {
		t.Errorf("%+v", file)
	}
	if o := get[Overview](t, s, "/api/v1/overview?file="+name); len(o.Costs) == 0 {
		t.Errorf("%+v", o)
	}
	if w := ask(s, http.MethodGet, "/api/v1/download?file="+name, ""); !bytes.Equal(w.Body.Bytes(), content) {
		t.Errorf("download: %d, %d bytes", w.Code, w.Body.Len())
	}
	for target, want := range map[string]int{
		"/api/v1/store/recording?id=x":                                      400,
		"/api/v1/store/recording?id=" + strings.Repeat("0", 32):             404,
		"/api/v1/store/recordings?n=x":                                      400,
		"/api/v1/file?file=stored/" + strings.Repeat("0", 32) + ".whet":     404,
		"/api/v1/file?file=stored/x.whet":                                   400,
		"/api/v1/file?file=stored/../x.whet":                                404,
		"/api/v1/download?file=stored/" + strings.Repeat("0", 32) + ".whet": 404,
	} {
		if w := ask(s, http.MethodGet, target, ""); w.Code != want {
			t.Errorf("%s: %d %s, want %d", target, w.Code, w.Body, want)
		}
	}
	for query, want := range map[string]string{
		"service=":                  "the parameter service is missing",
		"service=x&kind=cpu":        `unknown parameter "kind"`,
		"service=x&label.a=b":       "not a recording",
		"service=x&start=yesterday": "start: ",
	} {
		body := "no recording"
		w := ask(s, http.MethodPost, "/api/v1/store/recordings?"+query, body)
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), strings.ReplaceAll(want, `"`, `\"`)) {
			t.Errorf("%s: %d %s", query, w.Code, w.Body)
		}
	}
}

// TestStoreResults sends results of measurements, and lists them.
func TestStoreResults(t *testing.T) {
	stored := newStore(t)
	receive := receiver.New(receiver.Options{Writer: stored, Results: stored})
	s, _ := serveDir(t, t.TempDir(), access.Options{}, func(o *Options) {
		o.Store, o.Results = stored, stored
		o.Mounts = []Mount{{Pattern: "POST /api/v1/store/results", Handler: receive, Checks: true}}
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Host = "127.0.0.1:1"
		s.ServeHTTP(w, r)
	}))
	defer server.Close()
	ctx := t.Context()
	c := &remote.Client{Address: server.URL}
	want := []store.Result{{
		Kind: "prove", Service: "shop", Revision: strings.Repeat("a", 40), Time: time.Unix(2e9, 5).UTC(),
		Document: []byte(`{"schema": "whet.prove/1", "outcome": "faster", "reason": "20% less"}`),
	}, {
		Kind: "load", Service: "shop & co", Time: time.Unix(1e9, 0).UTC(),
		Document: []byte(`{"schema": "whet.load/2", "rate": 10}`),
	}}
	for range 2 { // again is once
		if err := c.WriteResults(ctx, "", want); err != nil {
			t.Fatal(err)
		}
	}
	for text, q := range map[string]store.ResultQuery{
		"prove load": {}, "prove": {Revision: want[0].Revision}, "load": {Service: "shop & co"}, "": {Kind: "find"},
		"load ": {Kind: "load", To: time.Unix(2e9, 0)},
	} {
		got, err := c.Results(ctx, q)
		var kinds []string
		for _, r := range got {
			kinds = append(kinds, r.Kind)
			if r.Kind == "prove" && r.ID() != want[0].ID() {
				t.Errorf("%s of %s at %s: another result", r.Kind, r.Service, r.Revision)
			}
		}
		if err != nil || strings.Join(kinds, " ") != strings.TrimSpace(text) {
			t.Errorf("%+v: %q, %v, want %s", q, kinds, err, text)
		}
	}
	list := get[storedocs.Results](t, s, "/api/v1/store/results?n=1").Results
	if len(list) != 1 || list[0].About != "faster: 20% less" || list[0].Document != "" {
		t.Errorf("%+v", list)
	}
	for query, want := range map[string]string{
		"service=x&a=b":       `unknown parameter "a"`,
		"service=x&kind=load": "the document is of kind prove",
		"service=x&time=now-": "time: ",
		"time=now":            "service",
	} {
		w := ask(s, http.MethodPost, "/api/v1/store/results?"+query, string(`{"schema": "whet.prove/1"}`))
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), strings.ReplaceAll(want, `"`, `\"`)) {
			t.Errorf("%s: %d %s", query, w.Code, w.Body)
		}
	}
	if w := ask(s, http.MethodPost, "/api/v1/store/results?service=x", "{}"); w.Code != http.StatusBadRequest {
		t.Errorf("another document: %d %s", w.Code, w.Body)
	}
}

// TestStoreRecordingTenants has tenants that do not see each other's recordings.
func TestStoreRecordingTenants(t *testing.T) {
	stored := newStore(t)
	r := store.Recording{Service: "x", Start: time.Unix(1e9, 0)}
	id, err := stored.WriteRecording(t.Context(), "red", r, []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	s, _ := serveDir(t, t.TempDir(), access.Options{}, func(o *Options) { o.Store, o.Recordings = stored, stored })
	if all := get[storedocs.Recordings](t, s, "/api/v1/store/recordings").Recordings; len(all) != 0 {
		t.Errorf("%+v", all)
	}
	for _, target := range []string{"store/recording?id=" + id.String(), "file?file=stored/" + id.String() + ".whet"} {
		if w := ask(s, http.MethodGet, "/api/v1/"+target, ""); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
	}
}
