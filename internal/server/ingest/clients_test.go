package ingest

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"connectrpc.com/connect"
	pprof "github.com/google/pprof/profile"
	"github.com/grafana/pyroscope-go"
	pushv1 "github.com/grafana/pyroscope/api/gen/proto/go/push/v1"
	"github.com/grafana/pyroscope/api/gen/proto/go/push/v1/pushv1connect"
	typesv1 "github.com/grafana/pyroscope/api/gen/proto/go/types/v1"
	"github.com/klauspost/compress/gzip"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pprofile"
	"go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	_ "google.golang.org/grpc/encoding/gzip" // a compressor of the client
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/whet-go/whet/internal/server/access"
	"github.com/whet-go/whet/store"
)

// sent keeps the profiles in the forms that pass.
type sent struct {
	next  http.Handler
	mu    sync.Mutex
	files [][]byte
}

func (s *sent) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	_, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if part, formErr := multipart.NewReader(bytes.NewReader(body), params["boundary"]).NextPart(); err == nil &&
		formErr == nil {
		file, _ := io.ReadAll(part)
		s.mu.Lock()
		s.files = append(s.files, file)
		s.mu.Unlock()
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.next.ServeHTTP(w, r)
}

// burned keeps what burn returns.
var burned int

//go:noinline
func burn(n int) (sum int) {
	for i := range n {
		sum += i * i % 7
	}
	return sum
}

//go:noinline
func allocate() [][]byte {
	var all [][]byte
	for range 1000 {
		all = append(all, make([]byte, 16<<10))
	}
	return all
}

type logger struct{ t testing.TB }

func (logger) Infof(string, ...any)  {}
func (logger) Debugf(string, ...any) {}
func (l logger) Errorf(format string, args ...any) {
	l.t.Errorf(format, args...)
}

// TestPyroscopeGo profiles this program with Pyroscope's client for Go, and compares what is stored
// with how google/pprof reads what was sent.
func TestPyroscopeGo(t *testing.T) {
	m := &memory{}
	const token = "a token of the tenant"
	allow := access.OneTenant(token)
	proxy := &sent{next: New(Options{
		Writer: m,
		Allow:  func(r *http.Request) (string, error) { return allow.Tenant(r, access.Write) },
	})}
	s := serve(t, proxy)
	client, err := pyroscope.Start(pyroscope.Config{
		ApplicationName: "shop.backend", ServerAddress: s.URL, Logger: logger{t},
		BasicAuthUser: "any", BasicAuthPassword: token,
		Tags: map[string]string{"region": "eu", "host.name": "a"},
		ProfileTypes: []pyroscope.ProfileType{
			pyroscope.ProfileCPU, pyroscope.ProfileAllocObjects, pyroscope.ProfileAllocSpace, pyroscope.ProfileInuseObjects,
			pyroscope.ProfileInuseSpace, pyroscope.ProfileGoroutines, pyroscope.ProfileMutexCount,
			pyroscope.ProfileMutexDuration,
			pyroscope.ProfileBlockCount, pyroscope.ProfileBlockDuration,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	rate := runtime.MemProfileRate
	runtime.MemProfileRate = 1 << 10
	defer func() { runtime.MemProfileRate = rate }()
	var kept [][]byte
	const pkg = "github.com/whet-go/whet/internal/server/ingest."
	seen := func(kind string, typ int, function string) bool {
		return slices.ContainsFunc(m.stored(), func(p store.Profile) bool {
			return p.Kind == kind && flat(p.Data, typ)[pkg+function] > 0
		})
	}
	// A CPU profile may have no sample if others have the CPU, and a heap profile is one collection old.
	for !seen("cpu", 0, "burn") || !seen("heap", 1, "allocate") {
		kept = append(kept[:0], allocate()...)
		burned += burn(200_000_000)
		client.Flush(true)
	}
	runtime.KeepAlive(kept)
	if err := client.Stop(); err != nil {
		t.Fatal(err)
	}
	s.Close() // what is stored is complete
	all := m.stored()
	kinds := map[string]int{}
	for _, p := range all {
		kinds[p.Kind]++
		if p.Service != "shop.backend" || p.Labels.Get("region") != "eu" || p.Labels.Get("host_name") != "a" ||
			p.Labels.Get("process_runtime_name") != "go" || p.Labels.Get("__session_id__") != "" || p.Start.IsZero() ||
			p.Kind == "cpu" && p.Duration <= 0 {
			t.Errorf("stored %s %s%s, %v at %v", p.Kind, p.Service, p.Labels, p.Duration, p.Start)
		}
	}
	for _, kind := range []string{"cpu", "heap", "goroutine", "mutex", "block"} {
		if kinds[kind] == 0 {
			t.Errorf("nothing of %s is stored: %v", kind, kinds)
		}
	}
	proxy.mu.Lock()
	defer proxy.mu.Unlock()
	if len(proxy.files) != len(all) {
		t.Fatalf("%d profiles sent, %d stored", len(proxy.files), len(all))
	}
	// Requests overlap: a profile is found by its types and its sum.
	for _, file := range proxy.files {
		found := slices.IndexFunc(all, func(p store.Profile) bool { return equal(p, file) })
		if found < 0 {
			t.Fatal("a profile that was sent is not stored")
		}
		same(t, all[found].Data, file)
		all = slices.Delete(all, found, found+1)
	}
}

// clients returns HTTP clients for HTTP/1.1 and for HTTP/2 without TLS.
func clients(t *testing.T) (one, two *http.Client) {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	h2 := &http.Transport{Protocols: protocols}
	h1 := &http.Transport{}
	t.Cleanup(h1.CloseIdleConnections)
	t.Cleanup(h2.CloseIdleConnections)
	return &http.Client{Transport: h1}, &http.Client{Transport: h2}
}

// TestPush sends with the clients of Pyroscope's API, in all protocols and encodings.
func TestPush(t *testing.T) {
	t.Parallel()
	file := raw(t, 300)
	one, two := clients(t)
	for name, test := range map[string]struct {
		client  *http.Client
		options []connect.ClientOption
	}{
		"connect":  {one, nil},
		"gzip":     {one, []connect.ClientOption{connect.WithSendGzip()}},
		"json":     {one, []connect.ClientOption{connect.WithProtoJSON()}},
		"grpc-web": {one, []connect.ClientOption{connect.WithGRPCWeb()}},
		"grpc":     {two, []connect.ClientOption{connect.WithGRPC()}},
		"grpc zip": {two, []connect.ClientOption{connect.WithGRPC(), connect.WithSendGzip()}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &memory{limits: store.Limits{Labels: 6, Samples: 1000}}
			s := serve(t, New(Options{Writer: m}))
			c := pushv1connect.NewPusherServiceClient(test.client, s.URL, test.options...)
			push := func(labels map[string]string, files ...[]byte) error {
				series := &pushv1.RawProfileSeries{}
				for _, name := range sortedKeys(labels) {
					series.Labels = append(series.Labels, &typesv1.LabelPair{Name: name, Value: labels[name]})
				}
				for _, f := range files {
					series.Samples = append(series.Samples, &pushv1.RawSample{RawProfile: f})
				}
				_, err := c.Push(t.Context(), connect.NewRequest(&pushv1.PushRequest{Series: []*pushv1.RawProfileSeries{series}}))
				return err
			}
			labels := map[string]string{
				"__name__": "process_cpu", "__delta__": "false", "service_name": "shop", "pod": "shop-1",
				"k8s.namespace": "default",
			}
			if err := push(labels, file, file); err != nil {
				t.Fatal(err)
			}
			all := m.stored()
			if len(all) != 2 || all[0].Kind != "cpu" || all[0].Service != "shop" ||
				all[0].Labels.String() != `{k8s_namespace="default",pod="shop-1"}` {
				t.Fatalf("stored %+v", all)
			}
			same(t, all[1].Data, file)
			// Refused as a whole, with a code after which clients do not try again.
			for want, err := range map[string]error{
				"series 1, profile 2: read the profile": push(labels, file, []byte("x")),
				"too many samples in a profile":         push(labels, raw(t, 2000)),
				"too many labels": push(map[string]string{
					"a": "1", "b": "2", "c": "3", "d": "4", "e": "5", "f": "6", "g": "7", "service_name": "shop",
				}, file),
			} {
				if connect.CodeOf(err) != connect.CodeInvalidArgument || !strings.Contains(err.Error(), want) {
					t.Errorf("%v, want %q", err, want)
				}
			}
			if len(m.stored()) != 2 {
				t.Error("something of a refused request is stored")
			}
			m.mu.Lock()
			m.err = &store.LimitError{What: "series", Limit: 1, RetryAfter: 1500e6}
			m.mu.Unlock()
			err := push(labels, file)
			var e *connect.Error
			if connect.CodeOf(err) != connect.CodeResourceExhausted || !errors.As(err, &e) ||
				e.Meta().Get("Retry-After") != "2" {
				t.Errorf("limit of the store: %v", err)
			}
			m.mu.Lock()
			m.err = io.ErrShortWrite
			m.mu.Unlock()
			if err := push(labels, file); connect.CodeOf(err) != connect.CodeUnavailable ||
				strings.Contains(err.Error(), "short write") {
				t.Errorf("failure of the store: %v", err)
			}
		})
	}
}

// TestPushDenied sends without a token, and too much.
func TestPushDenied(t *testing.T) {
	t.Parallel()
	allow := access.OneTenant("a token of the tenant")
	s := serve(t, New(Options{
		Writer: &memory{}, Limits: store.Limits{Body: 2000},
		Allow: func(r *http.Request) (string, error) { return allow.Tenant(r, access.Write) },
	}))
	one, two := clients(t)
	for _, c := range []pushv1connect.PusherServiceClient{
		pushv1connect.NewPusherServiceClient(one, s.URL),
		pushv1connect.NewPusherServiceClient(two, s.URL, connect.WithGRPC()),
		pushv1connect.NewPusherServiceClient(one, s.URL, connect.WithGRPCWeb()),
	} {
		request := connect.NewRequest(&pushv1.PushRequest{})
		if _, err := c.Push(t.Context(), request); connect.CodeOf(err) != connect.CodeUnauthenticated {
			t.Errorf("without a token: %v", err)
		}
		request = connect.NewRequest(&pushv1.PushRequest{Series: []*pushv1.RawProfileSeries{{
			Samples: []*pushv1.RawSample{{RawProfile: make([]byte, 10_000)}},
		}}})
		request.Header().Set("Authorization", "Bearer a token of the tenant")
		_, err := c.Push(t.Context(), request)
		if code := connect.CodeOf(err); code != connect.CodeInvalidArgument && code != connect.CodeResourceExhausted {
			t.Errorf("too much: %v", err)
		}
	}
}

// TestParca sends a request to WriteRaw by gRPC.
func TestParca(t *testing.T) {
	t.Parallel()
	m := &memory{}
	s := serve(t, New(Options{Writer: m}))
	_, two := clients(t)
	file := raw(t, 200)
	c := connect.NewClient[message, message](two, s.URL+"/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw",
		connect.WithGRPC(), connect.WithCodec(codec{"proto"}))
	request := &message{data: parcaRequest(map[string]string{"__name__": "process_cpu", "job": "shop", "instance": "a:1"},
		file)}
	if _, err := c.CallUnary(t.Context(), connect.NewRequest(request)); err != nil {
		t.Fatal(err)
	}
	p := m.stored()[0]
	if p.Service != "shop" || p.Kind != "cpu" || p.Labels.String() != `{instance="a:1"}` {
		t.Errorf("stored %+v", p)
	}
	same(t, p.Data, file)
	request = &message{data: []byte("\xff")}
	if _, err := c.CallUnary(t.Context(),
		connect.NewRequest(request)); connect.CodeOf(err) != connect.CodeInvalidArgument {
		t.Errorf("damaged: %v", err)
	}
}

// TestCollector exports with the OpenTelemetry collector's client by gRPC, and its message over HTTP.
func TestCollector(t *testing.T) {
	t.Parallel()
	file := raw(t, 200)
	request := exported(t, file)
	m := &memory{}
	s := serve(t, New(Options{Writer: m, Limits: store.Limits{Body: 1 << 20}}))
	cc, err := grpc.NewClient(s.Listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cc.Close() }()
	c := pprofileotlp.NewGRPCClient(cc)
	if _, err := c.Export(t.Context(), request, grpc.UseCompressor("gzip")); err != nil {
		t.Fatal(err)
	}
	body, err := request.MarshalProto()
	if err != nil {
		t.Fatal(err)
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write(body); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	send := func(kind, encoding string, body []byte) (int, string) {
		header := http.Header{"Content-Type": {kind}, "Content-Encoding": {encoding}}
		answer, text := post(t, s.URL+"/v1development/profiles", header, body)
		return answer.StatusCode, text
	}
	for encoding, body := range map[string][]byte{"": body, "gzip": zipped.Bytes()} {
		if code, text := send("application/x-protobuf", encoding, body); code != http.StatusOK || text != "" {
			t.Errorf("%q: %d %q", encoding, code, text)
		}
	}
	all := m.stored()
	if len(all) != 3 {
		t.Fatalf("%d profiles are stored", len(all))
	}
	for _, p := range all {
		if p.Service != "shop" || p.Kind != "cpu" || p.Labels.String() != `{host_name="a"}` ||
			p.Start.Unix() != 1_700_000_000 {
			t.Errorf("stored %+v", p)
		}
		same(t, p.Data, file)
	}
	for _, test := range []struct {
		kind, encoding string
		body           []byte
		status         int
		detail         string
	}{
		{"application/json", "", []byte("{}"), 415, "application/x-protobuf"},
		{"application/x-protobuf", "zstd", body, 415, "gzip"},
		{"application/x-protobuf", "gzip", body, 400, "inflate"},
		{"application/x-protobuf", "", body[:len(body)-2], 400, "ends within a field"},
		{"application/x-protobuf", "gzip", zeros(t, 8<<20), 413, "inflated request"},
	} {
		if code, text := send(test.kind, test.encoding, test.body); code != test.status ||
			!strings.Contains(text, test.detail) {
			t.Errorf("%s %s: %d %q, want %d %s", test.kind, test.encoding, code, text, test.status, test.detail)
		}
	}
}

// exported converts a pprof file as the collector's receiver does: a profile for each sample type.
func exported(t testing.TB, file []byte) pprofileotlp.ExportRequest {
	t.Helper()
	in, err := pprof.ParseData(file)
	if err != nil {
		t.Fatal(err)
	}
	out := pprofile.NewProfiles()
	d := out.Dictionary()
	texts := map[string]int32{}
	text := func(s string) int32 {
		i, ok := texts[s]
		if !ok {
			i = int32(len(texts))
			texts[s] = i
			d.StringTable().Append(s)
		}
		return i
	}
	text("")
	d.MappingTable().AppendEmpty()
	d.LocationTable().AppendEmpty()
	d.FunctionTable().AppendEmpty()
	d.LinkTable().AppendEmpty()
	d.AttributeTable().AppendEmpty()
	d.StackTable().AppendEmpty()
	functions := map[uint64]int32{}
	for _, f := range in.Function {
		to := d.FunctionTable().AppendEmpty()
		to.SetNameStrindex(text(f.Name))
		to.SetFilenameStrindex(text(f.Filename))
		functions[f.ID] = int32(d.FunctionTable().Len() - 1)
	}
	locations := map[uint64]int32{}
	for _, l := range in.Location {
		to := d.LocationTable().AppendEmpty()
		to.SetAddress(l.Address)
		for _, line := range l.Line {
			one := to.Lines().AppendEmpty()
			one.SetFunctionIndex(functions[line.Function.ID])
			one.SetLine(line.Line)
		}
		locations[l.ID] = int32(d.LocationTable().Len() - 1)
	}
	r := out.ResourceProfiles().AppendEmpty()
	r.Resource().Attributes().PutStr("service.name", "shop")
	r.Resource().Attributes().PutStr("host.name", "a")
	scope := r.ScopeProfiles().AppendEmpty()
	for i, typ := range in.SampleType {
		p := scope.Profiles().AppendEmpty()
		p.SampleType().SetTypeStrindex(text(typ.Type))
		p.SampleType().SetUnitStrindex(text(typ.Unit))
		p.SetTime(pcommon.Timestamp(1_700_000_000_000_000_000))
		p.SetDurationNano(uint64(in.DurationNanos))
		for _, s := range in.Sample {
			var stack []int32
			for _, l := range s.Location {
				stack = append(stack, locations[l.ID])
			}
			d.StackTable().AppendEmpty().LocationIndices().FromRaw(stack)
			to := p.Samples().AppendEmpty()
			to.SetStackIndex(int32(d.StackTable().Len() - 1))
			to.Values().Append(s.Value[i])
		}
	}
	return pprofileotlp.NewExportRequestFromProfiles(out)
}

// parcaRequest encodes a WriteRawRequest with one profile, by the numbers in Parca's definition.
func parcaRequest(labels map[string]string, file []byte) []byte {
	field := func(b []byte, num protowire.Number, value []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(b, num, protowire.BytesType), value)
	}
	var set []byte
	for _, name := range sortedKeys(labels) {
		set = field(set, 1, field(field(nil, 1, []byte(name)), 2, []byte(labels[name])))
	}
	return field(nil, 2, field(field(nil, 1, set), 2, field(nil, 1, file)))
}

// equal reports whether a stored profile is of a file.
func equal(p store.Profile, file []byte) bool {
	want, err := pprof.ParseData(file)
	if err != nil || len(want.SampleType) != len(p.Data.SampleTypes) {
		return false
	}
	for i, typ := range want.SampleType {
		if p.Data.SampleTypes[i].Type != typ.Type {
			return false
		}
		sum := int64(0)
		for _, s := range want.Sample {
			sum += s.Value[i]
		}
		if p.Data.Sum(p.Data.SampleTypes[i]) != sum {
			return false
		}
	}
	// Block and mutex profiles have the same types.
	return want.TimeNanos == 0 || p.Data.Time.UnixNano() == want.TimeNanos
}
