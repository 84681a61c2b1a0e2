package config

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/scrape/discover"
)

// write writes a file into a directory.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "shop.token", "secret-of-the-shop\n")
	c, err := Read(write(t, dir, "targets.yaml", `
share: {name: shop-eu, lease: 1m}
global:
  scrape_interval: 30s
  deltas: subtract
scrape_configs:
  - job_name: shop
    service: checkout
    scheme: https
    path: /internal/pprof/
    profiles: [heap, cpu]
    cpu_duration: 5s
    budget: 15%
    authorization: {credentials_file: shop.token}
    tls_config: {server_name: shop.internal, insecure_skip_verify: true}
    static_configs:
      - targets: [a:1, "b:2"]
        labels: &labels {region: eu}
      - targets: [c]
        labels: *labels
    file_sd_configs: [{files: ["more/*.json"], refresh_interval: 5s}]
    dns_sd_configs: [{names: [_pprof._tcp.example.com], type: SRV}]
    kubernetes_sd_configs:
      - role: pod
        api_server: https://127.0.0.1:6443
        authorization: {credentials_file: shop.token}
        namespaces: {names: [shop, pay]}
        selectors: [{role: pod, label: app=shop}]
    relabel_configs:
      - {source_labels: [__meta_kubernetes_pod_label_app], target_label: service}
    triggers: {slower: 500ms, heap: 1GB, goroutines: 1000, cpu: 3.5}
  - job_name: other
    scrape_interval: 2m
    deltas: window
    static_configs: [{targets: [localhost:6060]}]
`))
	if err != nil {
		t.Fatal(err)
	}
	j := c.Jobs[0]
	if j.Name != "shop" || j.Service != "checkout" || j.Interval != 30*time.Second || j.Scheme != "https" ||
		j.Path != "/internal/pprof" || !slices.Equal(j.Kinds, []string{CPU, Heap}) || j.CPU != 5*time.Second ||
		j.Budget != 0.15 || j.Delta != 0 || j.Token != filepath.Join(dir, "shop.token") || len(j.Relabel) != 1 ||
		j.Triggers != (Triggers{500 * time.Millisecond, 1000, 1 << 30, 3.5, 10 * time.Minute}) {
		t.Errorf("job %s: %v of %v at %s, budget %v, triggers %+v", j.Name, j.Kinds, j.Interval, j.Path, j.Budget, j.Triggers)
	}
	if len(j.Static) != 3 || j.Static[2][discover.Address] != "c" || j.Static[2]["region"] != "eu" {
		t.Errorf("static targets %v", j.Static)
	}
	if tls, err := j.TLS(); err != nil || tls.ServerName != "shop.internal" || !tls.InsecureSkipVerify {
		t.Errorf("TLS of %v, %v", j.Name, err)
	}
	var sources []string
	for _, s := range j.Sources() {
		sources = append(sources, s.String())
	}
	want := []string{
		"files " + filepath.Join(dir, "more/*.json"), "DNS names _pprof._tcp.example.com",
		"Kubernetes https://127.0.0.1:6443",
	}
	if !slices.Equal(sources, want) {
		t.Errorf("sources %q, want %q", sources, want)
	}
	k, ok := j.Sources()[2].(*discover.Kubernetes)
	if !ok || k.Labels != "app=shop" || !slices.Equal(k.Namespaces, []string{"pay", "shop"}) {
		t.Errorf("Kubernetes %v", k)
	}
	if token, err := k.Token(); err != nil || token != "secret-of-the-shop" {
		t.Errorf("token %q, %v", token, err)
	}
	if c.Share != (Share{"shop-eu", time.Minute}) {
		t.Errorf("share %+v", c.Share)
	}
	if o := c.Jobs[1]; o.Interval != 2*time.Minute || o.Delta != DefaultDelta || o.Cycle() != DefaultCPU+3*DefaultDelta {
		t.Errorf("job %s: %v, %v", o.Name, o.Interval, o.Delta)
	}
}

// TestErrors has one mistake in each configuration; line is where it must be found.
func TestErrors(t *testing.T) {
	t.Parallel()
	const rest = "\n    static_configs: [{targets: [a:1]}]"
	job := func(text string) string { return "scrape_configs:\n  - job_name: a\n    " + text }
	for _, test := range []struct{ text, line, want, hint string }{
		{"", "", "the configuration is empty", "docs/scrape.md"},
		{"a: [", "1", "did not find expected node content", ""},
		{"a: b\n\tc: d", "2", "violates indentation", ""},
		{"jobs: []", "1", `unknown key "jobs" (want global, share, scrape_configs)`, ""},
		{"share: {}\n" + job("scheme: http"+rest), "1", "share has no name", "write share: {name: shop}"},
		{"share: {name: a b}\n" + job("scheme: http"+rest), "1", `group "a b" (want 1 to 200 printable`, ""},
		{"share: {name: a, lease: 1s}\n" + job("scheme: http"+rest), "1", "1s is not between 10s and", ""},
		{"scrape_configs: []", "1", "there are no scrape_configs", "docs/scrape.md"},
		{"scrape_configs: {a: 1}", "1", "want a list", ""},
		{"scrape_configs:\n  - 5", "2", "want a mapping with job_name", ""},
		{"scrape_configs:\n  - static_configs: [{targets: [a:1]}]", "2", "no job_name", ""},
		{job("scheme: http"), "2", `job "a" has no targets`, "add static_configs"},
		{job("scheme: ftp" + rest), "3", `unknown value "ftp" (want http or https)`, ""},
		{job("profiles: [cpu, memory]" + rest), "3", `unknown value "memory" (want cpu or heap or allocs or mutex`, ""},
		{job("scrape_interval: 1 minute" + rest), "3", `"1 minute" is not a duration`, "write 10s"},
		{job("scrape_interval: 10ms" + rest), "3", "10ms is not between 1s and", ""},
		{job("scrape_interval: 20s" + rest), "2", `job "a" measures for 25s in each interval of 20s`, "subtract"},
		{job("cpu_duration: 1500ms" + rest), "3", "not a number of whole seconds", ""},
		{job("budget: 120%" + rest), "3", `"120%" is not a share of time`, "write 20%"},
		{job("budget: NaN" + rest), "3", "not a share", ""},
		{job("deltas: never" + rest), "3", "want window or subtract", ""},
		{job("path: debug" + rest), "3", `path "debug" is not the path`, ""},
		{job("metrics_path: /x" + rest), "3", `unknown key "metrics_path"`, "path is that of the pprof handlers"},
		{job("job_name: b" + rest), "3", `the key "job_name" is there twice`, ""},
		{job("authorization: {credentials: abc}" + rest), "3", `unknown key "credentials"`, "credentials_file: FILE"},
		{job("authorization: {credentials_file: none}" + rest), "3", "no such file", ""},
		{job("tls_config: {cert_file: x}" + rest), "3", "both cert_file and key_file", ""},
		{job("tls_config: {ca_file: x}" + rest), "3", "ca_file: open", "PEM"},
		{job("static_configs: [{targets: [http://a:1]}]"), "3", `"http://a:1" is not an address`, "keys of the job"},
		{job("static_configs: [{targets: [u:secret@a]}]"), "3", "a user or a password", ""},
		{job("static_configs: [{labels: {a: b}}]"), "3", "there are no targets", ""},
		{job("static_configs: [{targets: [a], labels: {a-b: c}}]"), "3", `"a-b" is not the name of a label`, ""},
		{job("file_sd_configs: [{files: ['[']}]"), "3", "not a pattern", ""},
		{job("dns_sd_configs: [{names: [a], type: A}]"), "3", `unknown value "A" (want SRV)`, ""},
		{job("kubernetes_sd_configs: [{role: node}]"), "3", `unknown value "node" (want pod)`, ""},
		{job("kubernetes_sd_configs: [{}]"), "3", "the role is missing (want pod)", ""},
		{job("kubernetes_sd_configs: [{role: pod, kubeconfig_file: none}]"), "3", "no such file", ""},
		{
			job("relabel_configs:\n      - regex: a\n        action: kep" + rest), "5",
			`action: unknown action "kep" (want replace, keep, drop`, "",
		},
		{job("relabel_configs:\n      - action: keep\n        regex: a(" + rest), "5", "missing closing )", ""},
		{job("relabel_configs: [{target_label: a, replacment: b}]" + rest), "3", `unknown key "replacment"`, ""},
		{job("triggers: {}" + rest), "3", "there are no triggers", ""},
		{job("triggers: {heap: much}" + rest), "3", `"much" is not a number of bytes`, ""},
		{job("scheme: http"+rest) + "\n  - job_name: a" + rest, "5", `another job is named "a"`, ""},
	} {
		_, err := Parse("dir/targets.yaml", []byte(test.text))
		var e *diag.Error
		if !errors.As(err, &e) || e.Kind != diag.Usage {
			t.Errorf("%s\ngot %v, want a usage error", test.text, err)
			continue
		}
		begin := "dir/targets.yaml: "
		if test.line != "" {
			begin = "dir/targets.yaml:" + test.line + ": "
		}
		if got := err.Error(); !strings.HasPrefix(got, begin) || !strings.Contains(got, test.want) ||
			!strings.Contains(diag.Hint(err), test.hint) || strings.Contains(got, "secret") {
			t.Errorf("%s\ngot %q (hint %q), want %s… %s (hint %s)", test.text, got, diag.Hint(err), begin, test.want, test.hint)
		}
	}
	if _, err := Read("none.yaml"); err == nil || !strings.Contains(err.Error(), "none.yaml") {
		t.Errorf("a file that is missing: %v", err)
	}
}

// TestAliases has a list that aliases repeat: the number of nodes is limited.
func TestAliases(t *testing.T) {
	t.Parallel()
	text := "scrape_configs:\n- &j {job_name: a, static_configs: [&s {targets: &t [" + strings.Repeat("a:1,", 15_000) +
		"]}," + strings.Repeat("*s,", 15_000) + "]}\n"
	if _, err := Parse("x", []byte(text)); err == nil || !strings.Contains(err.Error(), "more than 20000 targets") {
		t.Errorf("got %v", err)
	}
	text = "scrape_configs:\n- {job_name: a, file_sd_configs: [&s {files: [" + strings.Repeat("a,", 15_000) +
		"]}," + strings.Repeat("*s,", 15_000) + "]}\n"
	if _, err := Parse("x", []byte(text)); err == nil || !strings.Contains(err.Error(), "repeats too much") {
		t.Errorf("got %v", err)
	}
}

// FuzzParse reads any configuration: errors name the file, and what is accepted can be run.
func FuzzParse(f *testing.F) {
	f.Add("scrape_configs:\n- job_name: a\n  static_configs: [{targets: ['a:1'], labels: {x: y}}]\n" +
		"  relabel_configs: [{source_labels: [x], regex: '(.*)', target_label: z, replacement: '$1', action: replace}]\n")
	f.Add("global: &g {scrape_interval: 1m, profiles: [cpu]}\n" +
		"scrape_configs: [{job_name: a, dns_sd_configs: [{names: [b]}]}]")
	f.Add("scrape_configs: [{job_name: a, kubernetes_sd_configs: [{role: pod, api_server: 'https://x'}], " +
		"triggers: {slower: 1s}, tls_config: {server_name: x}}]")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "_file") {
			return // files of this machine are not the input
		}
		c, err := Parse("targets.yaml", []byte(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "targets.yaml:") {
				t.Errorf("error without a place: %v", err)
			}
			return
		}
		for _, j := range c.Jobs {
			if j.Name == "" || j.Interval < time.Second || j.Cycle() >= j.Interval || len(j.Kinds) == 0 || j.Budget <= 0 ||
				j.Timeout <= 0 || len(j.Static)+len(j.Sources()) == 0 {
				t.Errorf("accepted job %q: %v of %v", j.Name, j.Kinds, j.Interval)
			}
			for _, target := range j.Static {
				if err := discover.CheckAddress(target[discover.Address]); err != nil {
					t.Error(err)
				}
			}
		}
	})
}
