package workbench

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/input/diff"
	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/server/access"
	storedocs "github.com/whet-go/whet/internal/store/documents"
	"github.com/whet-go/whet/internal/store/remote"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/profile/profiletest"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/local"
	"github.com/whet-go/whet/store/regressions/fleettest"
)

// storedAt returns a profile that began some minutes after a fixed time.
func storedAt(minutes int, version string) store.Profile {
	return store.Profile{
		Service: "shop", Kind: "cpu", Labels: store.NewLabels(map[string]string{"version": version, "city": "Zürich"}),
		Start:    time.Date(2026, 5, 4, 3, minutes, 0, 0, time.UTC),
		Duration: 10 * time.Second, Data: profiletest.Generate(profiletest.Options{Seed: uint64(minutes), Samples: 50}),
	}
}

// ingest stores profiles that are posted, as the handler of a client's format does.
func ingest(s store.Writer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, err := profile.Read(r.Body, profile.ReadOptions{})
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		labels := map[string]string{}
		for name, values := range r.URL.Query() {
			if name, ok := strings.CutPrefix(name, "label."); ok {
				labels[name] = values[0]
			}
		}
		err = s.Write(r.Context(), "", []store.Profile{{
			Service: r.URL.Query().Get("service"), Kind: r.URL.Query().Get("kind"), Labels: store.NewLabels(labels),
			Start: p.Time, Duration: p.Duration, Data: p,
		}})
		if limit := (*store.LimitError)(nil); errors.As(err, &limit) {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(limit.Status())
		}
	})
}

func serveStore(t *testing.T, token string) (*httptest.Server, *local.Store) {
	t.Helper()
	stored, err := local.Open(t.TempDir(), local.Options{Create: true, Limits: store.Limits{ProfileRate: 0.001, Burst: 6}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stored.Close(); err != nil {
			t.Error(err)
		}
	})
	s, _ := serveDir(t, t.TempDir(), access.Options{Token: token}, func(o *Options) {
		o.Store = stored
		o.Mounts = []Mount{{Pattern: "POST /ingest/pprof", Handler: ingest(stored)}}
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Host = "127.0.0.1:1"
		s.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server, stored
}

// TestStore pushes and queries over HTTP: answers are those of the store itself.
func TestStore(t *testing.T) {
	const token = "0123456789abcdef0123"
	server, stored := serveStore(t, token)
	ctx := t.Context()
	c := &remote.Client{Address: server.URL + "/", Header: http.Header{"Authorization": {"Bearer " + token}}}
	all := []store.Profile{storedAt(0, "v1"), storedAt(1, "v1"), storedAt(2, "v2")}
	if err := c.Write(ctx, "", all); err != nil {
		t.Fatal(err)
	}
	ms, err := store.ParseMatchers(`service=shop`)
	if err != nil {
		t.Fatal(err)
	}
	q := store.Query{Kind: "cpu", Matchers: ms, From: all[0].Start, To: all[2].Start.Add(time.Second)}
	want, wantStats, err := stored.Merge(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	got, stats, err := c.Merge(ctx, q)
	if err != nil || stats != wantStats || got.NumSamples() != want.NumSamples() || stats.Profiles != 3 {
		t.Errorf("%+v, %v, want %+v", stats, err, wantStats)
	}
	series, err := c.Series(ctx, q)
	if err != nil || len(series) != 2 || series[1].Labels.Get("city") != "Zürich" {
		t.Errorf("%+v, %v", series, err)
	}
	if types, err := c.Types(ctx, q); err != nil || len(types) != 1 || types[0].SampleTypes[1].Type != "cpu" {
		t.Errorf("%+v, %v", types, err)
	}
	wantNames := []string{"city", "kind", "service", "version"}
	if names, err := c.LabelNames(ctx, q); err != nil || !slices.Equal(names, wantNames) {
		t.Errorf("%q, %v", names, err)
	}
	if values, err := c.LabelValues(ctx, q, "version"); err != nil || !slices.Equal(values, []string{"v1", "v2"}) {
		t.Errorf("%q, %v", values, err)
	}
	list, err := c.Profiles(ctx, q, 2)
	if err != nil || len(list) != 2 || list[0].ID != store.NewID(&all[2]) {
		t.Fatalf("%+v, %v", list, err)
	}
	one, err := c.Get(ctx, "", list[0].ID)
	if err != nil || store.NewID(&one) != list[0].ID {
		t.Errorf("%+v, %v", one, err)
	}
	if _, err := c.Get(ctx, "", store.ID{}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("unknown: %v", err)
	}
	// The rate: three of the burst are left.
	err = c.Write(ctx, "", []store.Profile{storedAt(3, "v2"), storedAt(4, "v2"), storedAt(5, "v2"), storedAt(6, "v2")})
	if err == nil || !strings.Contains(err.Error(), "429") {
		t.Errorf("too many: %v", err)
	}

	// The views know queries by name, and the token is wanted everywhere.
	v := func(path string, values url.Values) string {
		return server.URL + "/api/v1/" + path + "?" + values.Encode()
	}
	for _, address := range []string{
		v("store/series", nil), v("store/merge", nil), v("top", url.Values{"file": {q.Name()}}), server.URL + "/ingest/pprof",
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			r, err := http.NewRequestWithContext(ctx, method, address, nil)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
			page := method == http.MethodGet && strings.HasSuffix(address, "/pprof") // no data
			if answer.StatusCode != http.StatusUnauthorized && !page {
				t.Errorf("%s %s without a token: %s", method, address, answer.Status)
			}
		}
	}
}

func TestStoreViews(t *testing.T) {
	server, stored := serveStore(t, "")
	for i, version := range []string{"v1", "v2"} {
		if err := stored.Write(t.Context(), "", []store.Profile{storedAt(i, version)}); err != nil {
			t.Fatal(err)
		}
	}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, err := http.Get(server.URL + r.URL.String())
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = answer.Body.Close() }()
		w.WriteHeader(answer.StatusCode)
		var b bytes.Buffer
		_, _ = b.ReadFrom(io.LimitReader(answer.Body, 1<<20))
		_, _ = w.Write(b.Bytes())
	})
	a, b := url.QueryEscape(`store:cpu{version="v1"}`), url.QueryEscape(`store:cpu{version="v2"}@2026-05-04T00:00:00Z/`)
	top := get[documents.Top](t, h, "/api/v1/top?all=true&type=samples&file="+a).Header
	if top.SampleType.Type != "samples" || top.Total == 0 {
		t.Errorf("%+v", top)
	}
	d := get[diff.Result](t, h, "/api/v1/diff?normalize=true&file="+b+"&diff_base="+a)
	if len(d.Own)+len(d.Rest)+len(d.Entries) == 0 {
		t.Errorf("no change: %+v", d)
	}
	if w := ask(h, http.MethodGet, "/api/v1/flame?file="+a, ""); w.Code != http.StatusOK || w.Body.Len() < 100 {
		t.Errorf("flame: %d %s", w.Code, w.Body)
	}
	line := get[storedocs.Timeline](t, h, "/api/v1/store/timeline?query=service%3Dshop&step=1m"+
		"&from=2026-05-04T03:00:00Z&to=2026-05-04T03:02:00Z")
	if len(line.Totals) != 2 || line.Totals[0] == 0 || line.Totals[1] == 0 || len(line.Lines) == 0 {
		t.Errorf("%+v", line)
	}
	changed := get[storedocs.Regressions](t, h, "/api/v1/store/regressions?query=service%3Dshop&step=1m")
	if len(changed.Services) != 1 || changed.Services[0].Profiles == 0 || changed.Kind != "cpu" {
		t.Errorf("%+v", changed)
	}
	file := get[File](t, h, "/api/v1/file?file="+a)
	if len(file.Profiles) != 1 || file.Profiles[0].Name != "" || len(file.Profiles[0].Types) != 2 ||
		file.Profiles[0].Types[1].Type != "cpu" {
		t.Errorf("%+v", file)
	}
	if !get[FileList](t, h, "/api/v1/files").Store {
		t.Error("the list of files does not say that there is a store")
	}
	for target, want := range map[string]int{
		"/api/v1/file?file=" + url.QueryEscape(`store:cpu{version="v3"}`): 404,
		"/api/v1/file?file=" + url.QueryEscape("store:cpu"):               400,
		"/api/v1/store/regressions?step=0s":                               400,
		"/api/v1/store/regressions?query=%7Bversion%3D%22v3%22%7D":        404,
		"/api/v1/top?file=" + url.QueryEscape("store:cpu{"):               400,
		"/api/v1/top?file=" + url.QueryEscape(`store:cpu{version="v3"}`):  404,
		"/api/v1/store/merge?query=%7Bversion%3D%22v3%22%7D":              404,
		"/api/v1/store/merge?query=x":                                     400,
		"/api/v1/store/series?from=yesterday":                             400,
		"/api/v1/store/profiles?n=-1":                                     400,
		"/api/v1/store/timeline?step=x":                                   400,
		"/api/v1/store/profile?id=x":                                      400,
		"/api/v1/store/profile?id=" + strings.Repeat("0", 32):             404,
	} {
		if w := ask(h, http.MethodGet, target, ""); w.Code != want {
			t.Errorf("%s: %d %s, want %d", target, w.Code, w.Body, want)
		}
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { ask(h, http.MethodGet, "/api/v1/top?file="+a, "") })
	}
	all.Wait()
}

// TestStoreCommits has deploys, and a server whose module is in a git repository or not.
func TestStoreCommits(t *testing.T) {
	stored := newStore(t)
	service := fleettest.New(fleettest.Options{Hosts: 4, Days: 2}, 1, 1, fleettest.Nothing)
	var batch []store.Profile
	if err := service.Profiles(func(p store.Profile) error { batch = append(batch, p); return nil }); err != nil {
		t.Fatal(err)
	}
	if err := stored.Write(t.Context(), "", batch); err != nil {
		t.Fatal(err)
	}
	repo := t.TempDir()
	for _, args := range [][]string{
		{"init", "-q"},
		{"commit", "-q", "--allow-empty", "-m", "first"},
		{"tag", "v1"},
		{"commit", "-q", "--allow-empty", "-m", "join <b>quickly</b>"},
		{"tag", "v2"},
		{"commit", "-q", "--allow-empty", "-m", "third"},
		{"tag", "v3"},
	} {
		cmd := exec.CommandContext(t.Context(), "git", append([]string{
			"-C", repo, "-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "commit.gpgsign=false",
		}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("git %q: %v\n%s", args, err, out)
		}
	}
	regressions := func(dir string) storedocs.Regressions {
		h, _ := serveDir(t, t.TempDir(), access.Options{}, func(o *Options) { o.Store, o.Dir = stored, dir })
		return get[storedocs.Regressions](t, h, "/api/v1/store/regressions")
	}
	deploys := regressions(repo).Services[0].Deploys
	if len(deploys) != 2 || len(deploys[0].Commits) != 1 || deploys[0].Commits[0].Subject != "join <b>quickly</b>" {
		t.Errorf("%+v", deploys)
	}
	other := t.TempDir()
	text := strings.Join(regressions(other).Warnings.Texts(), "\n")
	if !strings.Contains(text, "the commits of deploys are unknown") || strings.Contains(text, other) {
		t.Errorf("%s", text)
	}
}
