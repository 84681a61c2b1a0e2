package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"github.com/grafana/pyroscope-go"
	pushv1 "github.com/grafana/pyroscope/api/gen/proto/go/push/v1"
	"github.com/grafana/pyroscope/api/gen/proto/go/push/v1/pushv1connect"
	querierv1 "github.com/grafana/pyroscope/api/gen/proto/go/querier/v1"
	"github.com/grafana/pyroscope/api/gen/proto/go/querier/v1/querierv1connect"
	typesv1 "github.com/grafana/pyroscope/api/gen/proto/go/types/v1"

	"github.com/whet-go/whet/internal/cli"
)

// serving runs whet serve until the test ends, and returns its address.
func serving(t *testing.T, args ...string) string {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	out, w := io.Pipe()
	var stderr bytes.Buffer
	code := make(chan int, 1)
	go func() {
		code <- cli.Main(ctx, append([]string{"serve", "--http", "127.0.0.1:0"}, args...), strings.NewReader(""), w, &stderr)
		_ = w.Close() // ends reading
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("no address: %v, exit code %d\n%s", err, <-code, &stderr)
	}
	t.Cleanup(func() {
		stop()
		if got := <-code; got != 0 {
			t.Errorf("exit code %d\n%s", got, &stderr)
		}
	})
	return strings.TrimSuffix(strings.TrimSpace(line), "/")
}

// quiet drops what a client of Pyroscope logs, but errors.
type quiet struct{ t *testing.T }

func (quiet) Infof(string, ...any)                {}
func (quiet) Debugf(string, ...any)               {}
func (q quiet) Errorf(format string, args ...any) { q.t.Errorf(format, args...) }

// spent keeps what spend returns.
var spent int

//go:noinline
func spend(n int) (sum int) {
	for i := range n {
		sum += i * i % 7
	}
	return sum
}

// TestStoreClients profiles this program with Pyroscope's client, which sends to whet serve, and looks
// at the profile with whet query and through Pyroscope's query API.
func TestStoreClients(t *testing.T) {
	address := serving(t, "--store", filepath.Join(t.TempDir(), "profiles"), t.TempDir())
	client, err := pyroscope.Start(pyroscope.Config{
		ApplicationName: "shop", ServerAddress: address, Logger: quiet{t}, Tags: map[string]string{"region": "eu"},
		ProfileTypes: []pyroscope.ProfileType{pyroscope.ProfileCPU, pyroscope.ProfileGoroutines},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := client.Stop(); err != nil {
			t.Error(err)
		}
	}()
	querier := querierv1connect.NewQuerierServiceClient(http.DefaultClient, address)
	const cpu = "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
	graph := func() *querierv1.FlameGraph {
		res, err := querier.SelectMergeStacktraces(t.Context(), connect.NewRequest(&querierv1.SelectMergeStacktracesRequest{
			ProfileTypeID: cpu, LabelSelector: `{service_name="shop",region="eu"}`,
		}))
		if err != nil {
			t.Fatal(err)
		}
		return res.Msg.Flamegraph
	}
	const name = "github.com/whet-go/whet/internal/cli_test.spend"
	for { // a profile may have no sample if others have the CPU
		spent += spend(200_000_000)
		client.Flush(true)
		if strings.Contains(strings.Join(graph().Names, "\n"), name) {
			break
		}
	}
	code, out, stderr := runWhet(t, "query", `{service="shop",region="eu"}`, "--type", "cpu", "--all", "--store", address)
	if code != 0 || !strings.Contains(out, "spend") {
		t.Errorf("whet query: %d %s\n%s", code, stderr, out)
	}
	code, out, stderr = runWhet(t, "query", "series", "--json", "--store", address)
	var series struct {
		Series []struct{ Service, Kind string }
	}
	if err := json.Unmarshal([]byte(out), &series); err != nil || code != 0 {
		t.Fatalf("%d %s: %v", code, stderr, err)
	}
	kinds := map[string]bool{}
	for _, s := range series.Series {
		kinds[s.Service+" "+s.Kind] = true
	}
	if !kinds["shop cpu"] || !kinds["shop goroutine"] {
		t.Errorf("series %v", kinds)
	}
}

// TestStoreTenants sends with tokens of two tenants by gRPC over TLS: neither sees the other's
// profiles, in any way.
func TestStoreTenants(t *testing.T) {
	dir := t.TempDir()
	if err := writeProfiles(dir); err != nil {
		t.Fatal(err)
	}
	cert, key, roots := certificate(t)
	const operator, a, b = "the operator's token", "the token of tenant a", "the token of tenant b"
	hash := func(token string) string {
		h := sha256.Sum256([]byte(token))
		return hex.EncodeToString(h[:])
	}
	file := "tenants:\n  - name: a\n    tokens:\n      - {sha256: " + hash(a) + ", scopes: [read, write]}\n" +
		"  - name: b\n    tokens:\n      - {sha256: " + hash(b) + ", scopes: [write]}\n"
	for name, data := range map[string][]byte{
		"tenants.yaml": []byte(file), "token": []byte(operator), "cert.pem": cert, "key.pem": key,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	address := serving(t, "--store", at("profiles"), "--tenants", at("tenants.yaml"), "--token-file", at("token"),
		"--tls-cert", at("cert.pem"), "--tls-key", at("key.pem"), t.TempDir())
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	web := &http.Client{Transport: transport}
	cpu, err := os.ReadFile(at("cpu.pb.gz"))
	if err != nil {
		t.Fatal(err)
	}
	pusher := pushv1connect.NewPusherServiceClient(web, address, connect.WithGRPC())
	push := func(token, service string) error {
		r := connect.NewRequest(&pushv1.PushRequest{Series: []*pushv1.RawProfileSeries{{
			Labels:  []*typesv1.LabelPair{{Name: "service_name", Value: service}},
			Samples: []*pushv1.RawSample{{RawProfile: cpu}},
		}}})
		r.Header().Set("Authorization", "Bearer "+token)
		_, err := pusher.Push(t.Context(), r)
		return err
	}
	for token, service := range map[string]string{operator: "of-operator", a: "of-a", b: "of-b"} {
		if err := push(token, service); err != nil {
			t.Fatalf("%s: %v", service, err)
		}
	}
	if err := push("no such token at all", "none"); connect.CodeOf(err) != connect.CodeUnauthenticated {
		t.Errorf("unknown token: %v", err)
	}
	querier := querierv1connect.NewQuerierServiceClient(web, address, connect.WithGRPC())
	for _, test := range []struct {
		token, want string
		code        connect.Code
		status      int
	}{
		{operator, "of-operator", 0, http.StatusOK},
		{a, "of-a", 0, http.StatusOK},
		{b, "", connect.CodePermissionDenied, http.StatusUnauthorized},
		{"", "", connect.CodeUnauthenticated, http.StatusUnauthorized},
	} {
		r := connect.NewRequest(&typesv1.LabelValuesRequest{Name: "service_name"})
		r.Header().Set("Authorization", "Bearer "+test.token)
		res, err := querier.LabelValues(t.Context(), r)
		switch {
		case test.code != 0:
			if connect.CodeOf(err) != test.code {
				t.Errorf("%q: %v", test.token, err)
			}
		case err != nil || strings.Join(res.Msg.Names, " ") != test.want:
			t.Errorf("%q: %v, %v", test.token, res, err)
		}
		for path, other := range map[string]bool{"store/labels?name=service": false, "files": test.token == a} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/api/v1/"+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer "+test.token)
			answer, err := web.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(answer.Body)
			_ = answer.Body.Close()
			want := test.status
			if other { // a tenant's token is for profiles only
				want = http.StatusUnauthorized
			}
			if err != nil || answer.StatusCode != want || path != "files" && want == http.StatusOK &&
				!bytes.Contains(text, []byte(`"`+test.want+`"`)) ||
				path != "files" && bytes.Count(text, []byte("of-")) > 1 {
				t.Errorf("%q: %s: %s %s", test.token, path, answer.Status, text)
			}
		}
	}
}
