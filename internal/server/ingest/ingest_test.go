package ingest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	pprof "github.com/google/pprof/profile"
	"github.com/klauspost/compress/gzip"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/whet-go/whet/internal/server/access"
	"github.com/whet-go/whet/internal/server/problem"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/profile/profiletest"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/recording/recordingtest"
	"github.com/whet-go/whet/store"
)

// memory is a store.Writer that keeps what it is given, within limits as stores check them.
type memory struct {
	limits store.Limits
	bucket *store.Bucket
	now    time.Time

	mu      sync.Mutex
	tenants []string
	all     []store.Profile
	err     error
}

func (m *memory) Write(_ context.Context, tenant string, profiles []store.Profile) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return m.err
	}
	if err := m.limits.Check(profiles); err != nil {
		return err
	}
	if m.bucket != nil {
		if err := m.bucket.Take(tenant, len(profiles), m.now); err != nil {
			return err
		}
	}
	for range profiles {
		m.tenants = append(m.tenants, tenant)
	}
	m.all = append(m.all, profiles...)
	return nil
}

// stored returns the profiles so far.
func (m *memory) stored() []store.Profile {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.all)
}

// serve starts a server for a handler, with HTTP/2 for gRPC.
func serve(t testing.TB, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// raw returns a pprof file with n samples or more.
func raw(t testing.TB, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := profiletest.Generate(profiletest.Options{Samples: n}).Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// reply is the head of an answer.
type reply struct {
	StatusCode int
	Status     string
	Header     http.Header
}

// post sends a body, and returns the head and the text of the answer.
func post(t testing.TB, address string, header http.Header, body []byte) (reply, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range header {
		r.Header[k] = v
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{answer.StatusCode, answer.Status, answer.Header}, string(text)
}

// flat sums a column of a profile by the function of the leaf.
func flat(p *profile.Profile, typ int) map[string]int64 {
	sums := map[string]int64{}
	for i := range p.NumSamples() {
		name := ""
		if stack := p.AppendStack(nil, i); len(stack) > 0 {
			if f := p.Frames(stack[0])[0].Function; f != profile.None {
				name = p.Functions[f].Name
			}
		}
		if v := p.Value(i, typ); v != 0 {
			sums[name] += v
		}
	}
	return sums
}

// same compares a stored profile with how google/pprof reads the same file.
func same(t *testing.T, got *profile.Profile, file []byte) {
	t.Helper()
	want, err := pprof.ParseData(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.SampleTypes) != len(want.SampleType) {
		t.Fatalf("types %v, want %v", got.SampleTypes, want.SampleType)
	}
	for typ, v := range want.SampleType {
		if got.SampleTypes[typ] != (profile.ValueType{Type: v.Type, Unit: v.Unit}) {
			t.Errorf("type %v, want %v", got.SampleTypes[typ], v)
		}
		sums := map[string]int64{}
		for _, s := range want.Sample {
			name := ""
			if len(s.Location) > 0 && len(s.Location[0].Line) > 0 {
				name = s.Location[0].Line[0].Function.Name
			}
			if s.Value[typ] != 0 {
				sums[name] += s.Value[typ]
			}
		}
		for name, n := range flat(got, typ) {
			if sums[name] != n {
				t.Errorf("%s of %s: %d, want %d", v.Type, name, n, sums[name])
			}
			delete(sums, name)
		}
		for name, n := range sums {
			if n != 0 {
				t.Errorf("%s of %s: none, want %d", v.Type, name, n)
			}
		}
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	m := &memory{}
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := serve(t, New(Options{Writer: m, Now: func() time.Time { return now }}))
	file := raw(t, 500)
	answer, text := post(t, s.URL+"/api/v1/store/profiles?service=shop&kind=cpu&label.host=a&label.zone-id=b"+
		"&start=2026-03-01T10:00:00Z&duration=30s", nil, file)
	if answer.StatusCode != http.StatusNoContent {
		t.Fatal(answer.Status, text)
	}
	p := m.stored()[0]
	if p.Service != "shop" || p.Kind != "cpu" || p.Labels.String() != `{host="a",zone_id="b"}` ||
		!p.Start.Equal(now.Add(-2*time.Hour)) || p.Duration != 30*time.Second {
		t.Errorf("stored %+v", p)
	}
	same(t, p.Data, file)

	// What the profile itself says is the default.
	if answer, text = post(t, s.URL+"/api/v1/store/profiles?service=shop", nil,
		file); answer.StatusCode != http.StatusNoContent {
		t.Fatal(answer.Status, text)
	}
	p = m.stored()[1]
	if want := p.Data.Time; !want.IsZero() && !p.Start.Equal(want) || p.Duration != p.Data.Duration || p.Kind == "" {
		t.Errorf("stored %s at %v for %v, the profile is of %v", p.Kind, p.Start, p.Duration, want)
	}
}

func TestRecording(t *testing.T) {
	t.Parallel()
	p, err := profile.Parse(raw(t, 300), profile.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.whet")
	build := &recording.Build{Settings: []recording.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"}, {Key: "vcs.modified", Value: "true"},
	}}
	recordingtest.WriteBuild(t, path, build, nil, recordingtest.Profile{Name: "cpu", Profile: p},
		recordingtest.Profile{Name: "goroutine", Profile: p}, recordingtest.Profile{Name: "goroutine.start", Profile: p},
		recordingtest.Profile{Name: "example.com/a/cpu", Profile: p})
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m := &memory{}
	s := serve(t, New(Options{Writer: m}))
	if answer, text := post(t, s.URL+"/api/v1/store/profiles?service=shop&label.v=1", nil,
		data); answer.StatusCode != http.StatusNoContent {
		t.Fatal(answer.Status, text)
	}
	var kinds []string
	for _, p := range m.stored() {
		kinds = append(kinds, p.Kind)
		if p.Labels.Get("v") != "1" || p.Start.IsZero() ||
			p.Labels.Get("vcs_revision") != "0123456789abcdef0123456789abcdef01234567+dirty" {
			t.Errorf("stored %+v", p)
		}
	}
	if !slices.Equal(kinds, []string{"cpu", "goroutine"}) {
		t.Errorf("stored %v", kinds)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	file := raw(t, 200)
	for name, test := range map[string]struct {
		query  string
		body   []byte
		limits store.Limits
		err    error
		status int
		detail string
	}{
		"no service":    {query: "", body: file, status: 400, detail: "service is missing"},
		"parameter":     {query: "service=a&labels=b", body: file, status: 400, detail: `unknown parameter \"labels\"`},
		"start":         {query: "service=a&start=noon", body: file, status: 400, detail: "not a time"},
		"duration":      {query: "service=a&duration=-1s", body: file, status: 400, detail: "want a duration"},
		"kind":          {query: "service=a&kind=C%20PU", body: file, status: 400, detail: "kind"},
		"empty":         {query: "service=a", status: 400, detail: "empty"},
		"not a profile": {query: "service=a", body: []byte("\xff\xff\xff"), status: 400, detail: "read the profile"},
		"truncated":     {query: "service=a", body: file[:len(file)/2], status: 400, detail: "read the profile"},
		"body": {
			query: "service=a", body: file, limits: store.Limits{Body: 100}, status: 413,
			detail: "bytes in the request",
		},
		"samples": {
			query: "service=a", body: file, limits: store.Limits{Samples: 10}, status: 413,
			detail: "samples in a profile",
		},
		"labels": {
			query: "service=a&label.x=1&label.y=2", body: file, limits: store.Limits{Labels: 1}, status: 413,
			detail: "labels",
		},
		"label": {
			query: "service=a&label.x=" + strings.Repeat("x", 30), body: file,
			limits: store.Limits{LabelValue: 20}, status: 413, detail: "bytes in a label",
		},
		"series": {
			query: "service=a", body: file, err: &store.LimitError{What: "series", Limit: 5, RetryAfter: time.Minute},
			status: 429, detail: "series",
		},
		"store": {
			query: "service=a", body: file, err: errors.New("disk /secret is full"), status: 503,
			detail: "cannot take profiles",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &memory{err: test.err, limits: test.limits}
			var warned error
			s := serve(t, New(Options{Writer: m, Limits: test.limits, Warn: func(err error) { warned = err }}))
			answer, text := post(t, s.URL+"/api/v1/store/profiles?"+test.query, nil, test.body)
			if answer.StatusCode != test.status || !strings.Contains(text, test.detail) {
				t.Errorf("%s: %s, want %d %s", answer.Status, text, test.status, test.detail)
			}
			var p problem.Problem
			if err := json.Unmarshal([]byte(text), &p); err != nil || p.Status != test.status {
				t.Errorf("the answer is %q: %v", text, err)
			}
			if retry := answer.Header.Get("Retry-After"); (retry != "") != (test.status == 429 || test.status == 503) {
				t.Errorf("Retry-After is %q", retry)
			}
			if strings.Contains(text, "secret") || (warned != nil) != (test.status == 503) {
				t.Errorf("%s, warned %v", text, warned)
			}
			if len(m.stored()) != 0 {
				t.Error("something is stored")
			}
		})
	}
}

func TestRate(t *testing.T) {
	t.Parallel()
	bucket := store.NewBucket(store.Limits{ProfileRate: 0.1, Burst: 2})
	s := serve(t, New(Options{Writer: &memory{bucket: bucket, now: time.Now()}}))
	file := raw(t, 100)
	var codes []int
	for range 3 {
		answer, _ := post(t, s.URL+"/api/v1/store/profiles?service=a", nil, file)
		codes = append(codes, answer.StatusCode)
		if answer.StatusCode == http.StatusTooManyRequests && answer.Header.Get("Retry-After") != "10" {
			t.Errorf("Retry-After: %s", answer.Header.Get("Retry-After"))
		}
	}
	if !slices.Equal(codes, []int{204, 204, 429}) {
		t.Errorf("got %v", codes)
	}
}

// zeros returns a compressed profile with a string of n zeros.
func zeros(t testing.TB, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	head := protowire.AppendVarint(protowire.AppendTag(nil, 6, protowire.BytesType), uint64(n))
	_, err := z.Write(head)
	for block := make([]byte, 1<<20); n > 0 && err == nil; n -= len(block) {
		_, err = z.Write(block)
	}
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestInflated sends little that becomes much: a string in a profile, of zeros.
func TestInflated(t *testing.T) {
	t.Parallel()
	s := serve(t, New(Options{Writer: &memory{}}))
	answer, text := post(t, s.URL+"/api/v1/store/profiles?service=a", nil, zeros(t, 600<<20))
	if answer.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("%s: %s", answer.Status, text)
	}
}

func TestTenants(t *testing.T) {
	t.Parallel()
	m := &memory{}
	tenants := map[string]string{"token-a": "a", "token-b": "b"}
	s := serve(t, New(Options{Writer: m, Allow: func(r *http.Request) (string, error) {
		_, password, _ := r.BasicAuth()
		if tenant := tenants[password]; tenant != "" {
			return tenant, nil
		}
		return access.OneTenant("a long secret token").Tenant(r, access.Write)
	}}))
	file := raw(t, 100)
	for _, token := range []string{"token-a", "token-b", "wrong"} {
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		r.SetBasicAuth("user", token)
		for _, path := range []string{"/api/v1/store/profiles?service=s", "/ingest?name=s"} {
			answer, text := post(t, s.URL+path, r.Header, file)
			if ok := answer.StatusCode < 300; ok != (token != "wrong") {
				t.Errorf("%s with %s: %s", path, token, answer.Status)
			}
			if token == "wrong" && (answer.StatusCode != http.StatusUnauthorized || strings.Contains(text, "wrong") ||
				answer.Header.Get("WWW-Authenticate") == "") {
				t.Errorf("%s: %s %s", path, answer.Status, text)
			}
		}
	}
	if !slices.Equal(m.tenants, []string{"a", "a", "b", "b"}) {
		t.Errorf("stored for %q", m.tenants)
	}
}

// form returns a form with the given parts.
func form(t testing.TB, parts map[string][]byte) (http.Header, []byte) {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, data := range parts {
		part, err := w.CreateFormFile(name, name+".bin")
		if err == nil {
			_, err = part.Write(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return http.Header{"Content-Type": {w.FormDataContentType()}}, body.Bytes()
}

// counts builds a file with one value of each type for function f.
func counts(t testing.TB, values map[string]int64) []byte {
	t.Helper()
	f := &pprof.Function{ID: 1, Name: "f"}
	l := &pprof.Location{ID: 1, Line: []pprof.Line{{Function: f, Line: 1}}}
	p := &pprof.Profile{
		Function: []*pprof.Function{f}, Location: []*pprof.Location{l},
		Sample: []*pprof.Sample{{Location: []*pprof.Location{l}}},
	}
	for _, name := range sortedKeys(values) {
		p.SampleType = append(p.SampleType, &pprof.ValueType{Type: name, Unit: "count"})
		p.Sample[0].Value = append(p.Sample[0].Value, values[name])
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestLegacy(t *testing.T) {
	t.Parallel()
	m := &memory{}
	h := New(Options{Writer: m})
	s := serve(t, h)
	for name, test := range map[string]struct {
		query   string
		parts   map[string][]byte
		body    string
		service string
		kind    string
		labels  string
		typ     profile.ValueType
		sum     int64
	}{
		"folded": {
			query: "name=shop{host=a, zone =b}", body: "main;a 3\nmain;b 4\n", service: "shop", kind: "cpu",
			labels: `{host="a",zone="b"}`, typ: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, sum: 70_000_000,
		},
		"rate": {
			query: "name=shop.cpu&format=folded&sampleRate=10", body: "main;a 3\n", service: "shop", kind: "cpu",
			labels: `{}`, typ: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, sum: 300_000_000,
		},
		"lines": {
			query: "name=my.shop&format=lines", body: "main;a\nmain;a\n", service: "my.shop", kind: "cpu",
			labels: `{}`, typ: profile.ValueType{Type: "samples", Unit: "count"}, sum: 2,
		},
		"heap": {
			query: "name=shop.inuse_space{service_name=cart}&format=groups&units=bytes", body: "main;a 4096\n", service: "cart",
			kind:   "heap",
			labels: `{}`, typ: profile.ValueType{Type: "inuse_space", Unit: "bytes"}, sum: 4096,
		},
		"block": {
			query: "name=shop{__session_id__=1,span.name=x}&format=pprof", service: "shop", kind: "block",
			labels: `{span_name="x"}`,
			parts: map[string][]byte{
				"profile":            counts(t, map[string]int64{"contentions": 10, "delay": 20}),
				"sample_type_config": []byte(`{"delay":{"units":"lock_nanoseconds","display-name":"block_duration"}}`),
			},
			typ: profile.ValueType{Type: "delay", Unit: "count"}, sum: 20,
		},
		"previous": {
			query: "name=shop&format=pprof", service: "shop", kind: "heap", labels: `{}`,
			parts: map[string][]byte{
				"profile":      counts(t, map[string]int64{"alloc_space": 100, "inuse_space": 30}),
				"prev_profile": counts(t, map[string]int64{"alloc_space": 60, "inuse_space": 20}),
			},
			typ: profile.ValueType{Type: "alloc_space", Unit: "count"}, sum: 40,
		},
		"in use": {
			query: "name=shop&format=pprof", service: "shop", kind: "heap", labels: `{}`,
			parts: map[string][]byte{
				"profile":      counts(t, map[string]int64{"alloc_space": 100, "inuse_space": 30}),
				"prev_profile": counts(t, map[string]int64{"alloc_space": 60, "inuse_space": 20}),
			},
			typ: profile.ValueType{Type: "inuse_space", Unit: "count"}, sum: 30,
		},
	} {
		before := len(m.stored())
		var header http.Header
		body := []byte(test.body)
		if test.parts != nil {
			header, body = form(t, test.parts)
		}
		q, err := url.ParseQuery(test.query)
		if err != nil {
			t.Fatal(err)
		}
		q.Set("from", "1700000000")
		q.Set("until", "1700000010000")
		if answer, text := post(t, s.URL+"/ingest?"+q.Encode(), header, body); answer.StatusCode != http.StatusOK {
			t.Errorf("%s: %s %s", name, answer.Status, text)
			continue
		}
		p := m.stored()[before]
		if p.Service != test.service || p.Kind != test.kind || p.Labels.String() != test.labels ||
			p.Data.Sum(test.typ) != test.sum || p.Start.Unix() != 1_700_000_000 || p.Duration != 10*time.Second {
			t.Errorf("%s: stored %s %s%s with %v = %d, want %s %s%s with %d", name, p.Kind, p.Service, p.Labels, test.typ,
				p.Data.Sum(test.typ), test.kind, test.service, test.labels, test.sum)
		}
	}
}

func TestLegacyRefused(t *testing.T) {
	t.Parallel()
	m := &memory{}
	s := serve(t, New(Options{Writer: m}))
	file := counts(t, map[string]int64{"cpu": 1})
	header, body := form(t, map[string][]byte{"other": file})
	config, configBody := form(t, map[string][]byte{"profile": file, "sample_type_config": []byte("{")})
	previous, previousBody := form(t, map[string][]byte{"profile": file, "prev_profile": []byte("x")})
	for query, test := range map[string]struct {
		header http.Header
		body   []byte
		status int
		detail string
	}{
		"name=":                          {nil, []byte("a 1"), 400, "name is missing"},
		"name=a{b":                       {nil, []byte("a 1"), 400, "not closed"},
		"name=a{b}":                      {nil, []byte("a 1"), 400, "is not a label"},
		"name=a&from=x":                  {nil, []byte("a 1"), 400, "from"},
		"name=a&format=jfr":              {nil, []byte("a 1"), 415, "unsupported format"},
		"name=a&sampleRate=-1":           {nil, []byte("a 1"), 400, "sampleRate"},
		"name=a&format=folded":           {nil, []byte("a;b"), 400, "line 1"},
		"name=a&format=pprof":            {header, body, 400, "no part named profile"},
		"name=a&format=pprof&x=config":   {config, configBody, 400, "sample_type_config"},
		"name=a&format=pprof&x=previous": {previous, previousBody, 400, "prev_profile"},
		"name=a&format=pprof&x=notaform": {
			http.Header{"Content-Type": {"multipart/form-data; boundary=x"}},
			body, 400,
			"form",
		},
		"name=a&format=pprof&x=noboundary": {http.Header{"Content-Type": {"multipart/form-data"}}, body, 400, "form"},
	} {
		q, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		answer, text := post(t, s.URL+"/ingest?"+q.Encode(), test.header, test.body)
		if answer.StatusCode != test.status || !strings.Contains(text, test.detail) {
			t.Errorf("%s: %s %s, want %d %s", query, answer.Status, text, test.status, test.detail)
		}
	}
	if len(m.stored()) != 0 {
		t.Errorf("stored %v", m.stored())
	}
}

func TestKind(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		types []string
		name  string
		want  string
	}{
		{[]string{"samples", "cpu"}, "", "cpu"},
		{[]string{"samples", "cpu"}, "process_cpu", "cpu"},
		{[]string{"alloc_objects", "alloc_space", "inuse_objects", "inuse_space"}, "memory", "heap"},
		{[]string{"alloc_objects", "alloc_space"}, "memory", "allocs"},
		{[]string{"contentions", "delay"}, "mutex", "mutex"},
		{[]string{"contentions", "delay"}, "", "mutex"},
		{[]string{"contentions", "delay"}, "block", "block"},
		{[]string{"goroutine"}, "goroutines", "goroutine"},
		{[]string{"threadcreate"}, "", "threadcreate"},
		{[]string{"wall"}, "", "wall"},
		{[]string{"Off-CPU time"}, "", "off_cpu_time"},
		{[]string{"samples", "cpu"}, "wall", "wall"},
		{[]string{"!"}, "", "other"},
		{[]string{"9lives"}, "", "_9lives"},
	} {
		var types []profile.ValueType
		for _, name := range test.types {
			types = append(types, profile.ValueType{Type: name, Unit: "count"})
		}
		if got := Kind(profile.NewBuilder(types...).Profile(nil), test.name); got != test.want {
			t.Errorf("%v named %q: %q, want %q", test.types, test.name, got, test.want)
		}
	}
}

// TestBusy fills the memory for bodies: a request waits, and is then told when to come again.
func TestBusy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := New(Options{Writer: &memory{}})
		if err := h.memory.Acquire(t.Context(), maxBodies); err != nil {
			t.Fatal(err)
		}
		ask := func() *httptest.ResponseRecorder {
			w := httptest.NewRecorder()
			r := httptest.NewRequest(http.MethodPost, "/ingest?name=shop", strings.NewReader("main;a 1\n"))
			h.ServeHTTP(w, r)
			return w
		}
		start := time.Now()
		w := ask()
		if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "5" || time.Since(start) != maxWait {
			t.Errorf("%d %s after %v", w.Code, w.Body, time.Since(start))
		}
		go func() {
			time.Sleep(time.Second)
			h.memory.Release(maxBodies)
		}()
		if w := ask(); w.Code != http.StatusOK {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	})
}
