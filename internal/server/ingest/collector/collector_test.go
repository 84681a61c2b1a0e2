package collector

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/otlpexporter"
	"go.opentelemetry.io/collector/exporter/otlphttpexporter"
	"go.opentelemetry.io/collector/featuregate"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pprofile"
	"go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/service/telemetry/otelconftelemetry"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// TestCollector sends profiles to a collector, which sends each to whet serve by gRPC and by HTTP, with the
// configuration of docs/store-clients.md: it is stored once.
func TestCollector(t *testing.T) {
	whet := filepath.Join(t.TempDir(), "whet")
	build := exec.Command("go", "build", "-o", whet, "./cmd/whet")
	build.Dir = "../../../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	address := serve(t, whet)
	port := freePort(t)
	run(t, fmt.Sprintf(`yaml:
receivers:
  otlp:
    protocols:
      grpc: {endpoint: "127.0.0.1:%d"}
exporters:
  %s/whet:
    endpoint: %q
    tls: {insecure: true}
    headers: {authorization: "Bearer any"}
    sending_queue: {enabled: false}
    retry_on_failure: {enabled: false}
  %s/whet:
    profiles_endpoint: %q
    encoding: proto
    headers: {authorization: "Bearer any"}
    sending_queue: {enabled: false}
    retry_on_failure: {enabled: false}
service:
  telemetry:
    logs: {level: error}
    metrics: {level: none}
  pipelines:
    profiles:
      receivers: [otlp]
      exporters: [%[2]s/whet, %[4]s/whet]
`, port, otlpexporter.NewFactory().Type(), strings.TrimPrefix(address, "http://"), otlphttpexporter.NewFactory().Type(),
		address+"/v1development/profiles"))

	conn, err := grpc.NewClient(fmt.Sprintf("127.0.0.1:%d", port),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	client := pprofileotlp.NewGRPCClient(conn)
	const profiles = 3
	for n := range profiles {
		// Without a queue, an error of one of the exporters is the answer.
		if _, err := client.Export(t.Context(), profileOf(n), grpc.WaitForReady(true)); err != nil {
			t.Fatal(err)
		}
	}
	query := exec.Command(whet, "query", `{service="shop",host_name="a"}`, "--type", "cpu", "--all", "--store", address)
	out, err := query.CombinedOutput()
	if err != nil || !strings.Contains(string(out), fmt.Sprintf("%d profiles of 1 series", profiles)) ||
		!strings.Contains(string(out), "main.handle") {
		t.Errorf("%v\n%s", err, out)
	}
}

// serve runs whet serve until the test ends, and returns its address.
func serve(t *testing.T, whet string) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command(whet, "serve", "--http", "127.0.0.1:0", "--store", filepath.Join(dir, "profiles"), dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // nothing of it is needed
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(strings.TrimSpace(line), "/")
}

// run runs a collector with a configuration until the test ends.
func run(t *testing.T, config string) {
	t.Helper()
	if err := featuregate.GlobalRegistry().Set("service.profilesSupport", true); err != nil {
		t.Fatal(err)
	}
	c, err := otelcol.NewCollector(otelcol.CollectorSettings{
		BuildInfo:               component.BuildInfo{Command: "collector", Version: "test"},
		DisableGracefulShutdown: true,
		Factories: func() (f otelcol.Factories, err error) {
			f.Telemetry = otelconftelemetry.NewFactory()
			if f.Receivers, err = otelcol.MakeFactoryMap[receiver.Factory](otlpreceiver.NewFactory()); err != nil {
				return f, err
			}
			f.Exporters, err = otelcol.MakeFactoryMap[exporter.Factory](otlpexporter.NewFactory(),
				otlphttpexporter.NewFactory())
			return f, err
		},
		ConfigProviderSettings: otelcol.ConfigProviderSettings{ResolverSettings: confmap.ResolverSettings{
			URIs: []string{config}, ProviderFactories: []confmap.ProviderFactory{yamlprovider.NewFactory()},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx) }()
	for c.GetState() != otelcol.StateRunning {
		select {
		case err := <-ended:
			stop()
			t.Fatalf("the collector ended: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}

// profileOf returns a CPU profile with one stack, of the minute n.
func profileOf(n int) pprofileotlp.ExportRequest {
	out := pprofile.NewProfiles()
	d := out.Dictionary()
	for _, s := range []string{"", "cpu", "nanoseconds", "main.handle", "main.go"} {
		d.StringTable().Append(s)
	}
	d.MappingTable().AppendEmpty()
	d.LinkTable().AppendEmpty()
	d.AttributeTable().AppendEmpty()
	d.FunctionTable().AppendEmpty()
	f := d.FunctionTable().AppendEmpty()
	f.SetNameStrindex(3)
	f.SetFilenameStrindex(4)
	d.LocationTable().AppendEmpty()
	l := d.LocationTable().AppendEmpty().Lines().AppendEmpty()
	l.SetFunctionIndex(1)
	l.SetLine(7)
	d.StackTable().AppendEmpty()
	d.StackTable().AppendEmpty().LocationIndices().FromRaw([]int32{1})
	r := out.ResourceProfiles().AppendEmpty()
	r.Resource().Attributes().PutStr("service.name", "shop")
	r.Resource().Attributes().PutStr("host.name", "a")
	p := r.ScopeProfiles().AppendEmpty().Profiles().AppendEmpty()
	p.SampleType().SetTypeStrindex(1)
	p.SampleType().SetUnitStrindex(2)
	p.SetTime(pcommon.NewTimestampFromTime(time.Unix(1_700_000_000+60*int64(n), 0)))
	p.SetDurationNano(uint64(10 * time.Second))
	s := p.Samples().AppendEmpty()
	s.SetStackIndex(1)
	s.Values().Append(1_000_000_000)
	return pprofileotlp.NewExportRequestFromProfiles(out)
}
