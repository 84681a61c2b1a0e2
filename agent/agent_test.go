package agent_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/exp/trace"

	"github.com/whet-go/whet/agent"
	"github.com/whet-go/whet/internal/leaktest"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
)

func TestMain(m *testing.M) {
	if path := os.Getenv("WHET_AGENT_TEST_EXIT"); path != "" {
		agent.Record(path)
		os.Exit(3)
	}
	leaktest.Main(m)
}

func start(t *testing.T, o agent.Options) *agent.Agent {
	t.Helper()
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	o.ErrorLog = log.New(io.Discard, "", 0)
	a, err := agent.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	return a
}

// get requests a path below the agent's prefix.
func get(
	t *testing.T, a *agent.Agent, path string, edit func(*http.Request),
) (status int, header http.Header, body []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, a.URL()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if edit != nil {
		edit(req)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err = io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, body
}

func ok(t *testing.T, a *agent.Agent, path string) []byte {
	t.Helper()
	status, _, body := get(t, a, path, nil)
	if status != http.StatusOK {
		t.Fatalf("%s: status %d: %s", path, status, body)
	}
	return body
}

func readProfile(t *testing.T, data []byte) *profile.Profile {
	t.Helper()
	p, err := profile.Read(bytes.NewReader(data), profile.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// cost returns what a profile charges to functions whose names hold the given text.
func cost(t *testing.T, p *profile.Profile, sampleType, function string) int64 {
	t.Helper()
	i, err := p.TypeIndex(sampleType)
	if err != nil {
		t.Fatal(err)
	}
	v, err := p.View(profile.Query{Type: i})
	if err != nil {
		t.Fatal(err)
	}
	var most int64
	for _, n := range v.Nodes(true) {
		if strings.Contains(n.Name, function) {
			most = max(most, n.Cum)
		}
	}
	return most
}

func TestWhoMayAsk(t *testing.T) {
	const token = "0123456789abcdef"
	withToken := func(value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Authorization", value) }
	}
	host := func(value string) func(*http.Request) { return func(r *http.Request) { r.Host = value } }
	site := func(value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", value) }
	}
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name    string
		options agent.Options
		edit    func(*http.Request)
		want    int
	}{
		{"this machine", agent.Options{}, nil, 200},
		{"localhost", agent.Options{}, host("localhost:6060"), 200},
		{"IPv6 loopback", agent.Options{}, host("[::1]:6060"), 200},
		{"name that resolves to loopback", agent.Options{}, host("rebound.example:6060"), 403},
		{"other site", agent.Options{}, site("cross-site"), 403},
		{"typed in a browser", agent.Options{}, site("none"), 200},
		{"no token", agent.Options{Token: token}, nil, 401},
		{"wrong token", agent.Options{Token: token}, withToken("Bearer 0123456789abcdeF"), 401},
		{"prefix of the token", agent.Options{Token: token}, withToken("Bearer 0123456789abcde"), 401},
		{"token as password", agent.Options{Token: token}, withToken("Basic " + token), 401},
		{"token", agent.Options{Token: token}, withToken("Bearer " + token), 200},
		{"token from file", agent.Options{TokenFile: file}, withToken("bearer " + token), 200},
		{"token, other host", agent.Options{Token: token}, func(r *http.Request) {
			withToken("Bearer " + token)(r)
			r.Host = "service.example"
		}, 200},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := start(t, test.options)
			for _, path := range []string{"", "heap", "profile?seconds=0.01", "whet", "nothing/here"} {
				want := test.want
				if want == 200 && path == "nothing/here" {
					want = 404
				}
				if status, _, body := get(t, a, path, test.edit); status != want {
					t.Errorf("%q: status %d, want %d: %s", path, status, want, body)
				}
			}
		})
	}
}

func TestExposedIsRefused(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, []byte(" \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]agent.Options{
		"all interfaces":      {Addr: ":0"},
		"unspecified address": {Addr: "0.0.0.0:0"},
		"TLS without clients": {Addr: ":0", TLS: &tls.Config{}},
		"any certificate": {
			Addr: ":0", TLS: &tls.Config{ClientAuth: tls.RequireAnyClientCert, ClientCAs: x509.NewCertPool()},
		},
		"system authorities": {Addr: ":0", TLS: &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert}},
	} {
		a, err := agent.Start(o)
		if a != nil || !errors.Is(err, agent.ErrExposed) {
			t.Errorf("%s: agent %v, error %v; want ErrExposed", name, a, err)
		}
	}
	for name, o := range map[string]agent.Options{
		"short token":      {Token: "secret"},
		"empty token file": {TokenFile: empty},
		"no token file":    {TokenFile: empty + ".missing"},
		"both":             {Token: "0123456789abcdef", TokenFile: empty},
		"prefix":           {Prefix: "debug"},
		"address":          {Addr: "127.0.0.1"},
	} {
		if o.Addr == "" {
			o.Addr = "127.0.0.1:0"
		}
		if a, err := agent.Start(o); a != nil || err == nil {
			t.Errorf("%s: agent %v, error %v", name, a, err)
		}
	}
}

func TestNothingOnDefaultServeMux(t *testing.T) {
	start(t, agent.Options{})
	for _, path := range []string{"/debug/pprof/", "/debug/pprof/heap", "/debug/pprof/whet"} {
		if _, pattern := http.DefaultServeMux.Handler(httptest.NewRequest(http.MethodGet, path, nil)); pattern != "" {
			t.Errorf("http.DefaultServeMux serves %s as %s", path, pattern)
		}
	}
}

func TestEndpoints(t *testing.T) {
	a := start(t, agent.Options{Prefix: "/private/pprof/"})
	if !strings.HasSuffix(a.URL(), "/private/pprof/") || !strings.Contains(a.URL(), a.Addr().String()) {
		t.Fatalf("URL %s, address %s", a.URL(), a.Addr())
	}

	index := string(ok(t, a, ""))
	for _, name := range []string{"allocs", "block", "goroutine", "heap", "mutex", "threadcreate"} {
		if !strings.Contains(index, "<a href='"+name+"?debug=1'>"+name+"</a>") {
			t.Errorf("index lacks %s", name)
		}
		readProfile(t, ok(t, a, name))
		if text := ok(t, a, name+"?debug=1"); len(text) == 0 || text[0] == 0x1f {
			t.Errorf("%s?debug=1 is not text", name)
		}
	}
	if got, want := string(ok(t, a, "cmdline")), strings.Join(os.Args, "\x00"); got != want {
		t.Errorf("cmdline %q, want %q", got, want)
	}

	for path, want := range map[string]int{
		"no-such-profile":       404,
		"heap?seconds=1":        400,
		"profile?seconds=x":     400,
		"profile?seconds=NaN":   400,
		"profile?seconds=1e300": 400,
		"trace?seconds=-1":      400,
	} {
		status, header, body := get(t, a, path, nil)
		if status != want || header.Get("X-Go-Pprof") == "" || len(body) == 0 {
			t.Errorf("%s: status %d, want %d with a text for go tool pprof: %q", path, status, want, body)
		}
	}

	pc := reflect.ValueOf(TestEndpoints).Pointer()
	resp, err := http.Post(a.URL()+"symbol", "", strings.NewReader(fmt.Sprintf("%#x+0x1", pc)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("num_symbols: 1\n%#x github.com/whet-go/whet/agent_test.TestEndpoints\n", pc)
	if string(body) != want {
		t.Errorf("symbol: %q, want %q", body, want)
	}
	if got := ok(t, a, fmt.Sprintf("symbol?%#x", pc)); string(got) != want {
		t.Errorf("symbol by GET: %q, want %q", got, want)
	}
}

// burn keeps a core busy until ctx ends.
func burn(ctx context.Context) (n int) {
	for ctx.Err() == nil {
		n++
	}
	return n
}

// compute takes some tenths of a second of CPU time, however long that is on a busy machine.
//
//go:noinline
func compute() (sum uint64) {
	for i := range uint64(1 << 28) {
		sum += sum<<1 ^ i
	}
	return sum
}

func TestProfileAndTrace(t *testing.T) {
	a := start(t, agent.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	burnt := make(chan struct{})
	go func() {
		defer close(burnt)
		burn(ctx)
	}()
	cpu := make(chan []byte)
	go func() { cpu <- ok(t, a, "profile?seconds=0.5") }()
	events := readTrace(t, bytes.NewReader(ok(t, a, "trace?seconds=0.1")))
	got := time.Duration(cost(t, readProfile(t, <-cpu), "cpu", "agent_test.burn"))
	// On a busy machine burn may get no CPU for a second or more.
	for range 60 {
		if got >= 10*time.Millisecond {
			break
		}
		got += time.Duration(cost(t, readProfile(t, ok(t, a, "profile?seconds=0.5")), "cpu", "agent_test.burn"))
	}
	cancel()
	<-burnt
	if events == 0 {
		t.Error("trace holds no events")
	}
	if got < 10*time.Millisecond {
		t.Errorf("profiles charge %v to burn, which runs all the time", got)
	}
}

func readTrace(t *testing.T, r io.Reader) (events int) {
	t.Helper()
	tr, err := trace.NewReader(r)
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := tr.ReadEvent(); errors.Is(err, io.EOF) {
			return events
		} else if err != nil {
			t.Fatal(err)
		}
		events++
	}
}

// A profile that is running when the agent closes ends early and is sent.
func TestCloseEndsProfilesEarly(t *testing.T) {
	a := start(t, agent.Options{})
	got := make(chan []byte)
	go func() {
		status, body := http.StatusInternalServerError, []byte(nil)
		for status == http.StatusInternalServerError { // the loop below holds the tracer
			status, _, body = get(t, a, "trace?seconds=3600", nil)
		}
		got <- body
	}()
	// The trace has started once the tracer is in use.
	for {
		if status, _, _ := get(t, a, "trace?seconds=0.001", nil); status == http.StatusInternalServerError {
			break
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if readTrace(t, bytes.NewReader(<-got)) == 0 {
		t.Error("trace holds no events")
	}
	if err := a.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
}

// A caller that disconnects must not keep the profiler for the rest of its window.
func TestCallerGoesAway(t *testing.T) {
	a := start(t, agent.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.URL()+"profile?seconds=3600", nil)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		for {
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				ended <- err
				return
			}
			_ = resp.Body.Close() // the loop below holds the profiler
		}
	}()
	for {
		if status, _, _ := get(t, a, "profile?seconds=0.001", nil); status == http.StatusInternalServerError {
			break
		}
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	for {
		if status, _, _ := get(t, a, "profile?seconds=0.001", nil); status == http.StatusOK {
			return
		}
	}
}

// A connection that never sends a request must not delay Close.
func TestCloseDoesNotWaitForSilence(t *testing.T) {
	a := start(t, agent.Options{})
	conn, err := net.Dial("tcp", a.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	ok(t, a, "cmdline") // accepted after the silent one
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}

func TestRates(t *testing.T) {
	before := runtime.SetMutexProfileFraction(7)
	defer runtime.SetMutexProfileFraction(before)

	a := start(t, agent.Options{BlockRate: -1, MutexFraction: -1})
	if info := getInfo(t, a); info.MutexFraction != 7 || info.BlockRate != -1 {
		t.Errorf("untouched rates: %+v", info)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	a = start(t, agent.Options{})
	if info := getInfo(t, a); info.MutexFraction != 100 || info.BlockRate != 10_000 {
		t.Errorf("default rates: mutex %d, block %d", info.MutexFraction, info.BlockRate)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if got := runtime.SetMutexProfileFraction(-1); got != 7 {
		t.Errorf("mutex fraction is %d after Close, want 7 as before", got)
	}
}

func getInfo(t *testing.T, a *agent.Agent) agent.Info {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(ok(t, a, "whet")))
	dec.DisallowUnknownFields()
	var info agent.Info
	if err := dec.Decode(&info); err != nil {
		t.Fatal(err)
	}
	return info
}

func TestInfo(t *testing.T) {
	a := start(t, agent.Options{})
	runtime.GC()
	info := getInfo(t, a)
	if info.Schema != agent.InfoSchema || info.GoVersion != runtime.Version() || info.PID != os.Getpid() ||
		info.NumCPU != runtime.NumCPU() || info.GOMAXPROCS != runtime.GOMAXPROCS(0) || !slices.Equal(info.Cmdline, os.Args) {
		t.Errorf("info %+v", info)
	}
	if runtime.GOOS != "windows" && info.CPU <= 0 {
		t.Errorf("CPU time %v", info.CPU)
	}
	for _, name := range []string{
		"/memory/classes/total:bytes", "/gc/heap/live:bytes", "/sched/goroutines:goroutines",
		"/cpu/classes/total:cpu-seconds",
	} {
		if info.Memory[name] <= 0 {
			t.Errorf("%s is %v", name, info.Memory[name])
		}
	}
	pauses := info.Pauses["/sched/pauses/total/gc:seconds"]
	if len(pauses) == 0 || pauses[0].N == 0 || *pauses[0].High <= 0 {
		t.Errorf("GC pauses: %v", pauses)
	}

	// Readers decode the build with the standard library's type.
	var other struct{ Build debug.BuildInfo }
	if err := json.Unmarshal(ok(t, a, "whet"), &other); err != nil {
		t.Fatal(err)
	}
	bi, _ := debug.ReadBuildInfo()
	if got, want := recording.BuildOf(&other.Build), recording.BuildOf(bi); !reflect.DeepEqual(got, want) {
		t.Errorf("build %+v, want %+v", got, want)
	}
}

// certificate makes a certificate for a loopback server and its client, which
// is its own authority.
func certificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		NotAfter:              time.Now().Add(time.Hour),
		DNSNames:              []string{"localhost"},
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(cert)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}

func TestClientCertificate(t *testing.T) {
	cert, pool := certificate(t)
	a := start(t, agent.Options{TLS: &tls.Config{
		Certificates: []tls.Certificate{cert}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool,
	}})
	if !strings.HasPrefix(a.URL(), "https://") {
		t.Errorf("URL %s", a.URL())
	}
	for _, certs := range [][]tls.Certificate{{cert}, nil} {
		transport := &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: pool, Certificates: certs, ServerName: "localhost"},
		}
		resp, err := (&http.Client{Transport: transport}).Get(a.URL())
		if err == nil {
			_ = resp.Body.Close()
		}
		transport.CloseIdleConnections()
		if (err == nil) != (certs != nil) {
			t.Errorf("with %d certificates: error %v", len(certs), err)
		}
	}
}

// go tool pprof must be able to read from the agent.
func TestGoToolPprof(t *testing.T) {
	goTool, err := exec.LookPath("go")
	if err != nil || testing.Short() {
		t.Skip("needs the go command and time")
	}
	a := start(t, agent.Options{})
	for _, name := range []string{"heap", "profile?seconds=1", "mutex"} {
		cmd := exec.CommandContext(t.Context(), goTool, "tool", "pprof", "-timeout=300", "-top", a.URL()+name)
		cmd.Env = append(os.Environ(), "PPROF_TMPDIR="+t.TempDir())
		out, err := cmd.CombinedOutput()
		if err != nil || !bytes.Contains(out, []byte("flat%")) {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}
