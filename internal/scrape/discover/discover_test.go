package discover

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/whet-go/whet/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// news is what a source reports.
type news struct {
	targets []map[string]string
	err     error
}

// addresses lists the addresses of targets.
func (n *news) addresses() string {
	var all []string
	for _, t := range n.targets {
		all = append(all, t[Address])
	}
	return strings.Join(all, " ")
}

func TestCheckAddress(t *testing.T) {
	t.Parallel()
	for address, good := range map[string]bool{
		"a": true, "a:80": true, "10.0.0.1:6060": true, "[::1]:80": true, "a.b-c": true,
		"": false, ":80": false, "a:": false, "a:http": false, "a:123456": false, "http://a": false, "a/b": false,
		"u:p@a": false, "u:p@a:1": false, "a b": false, "a?x": false, "::1": true, "a\n": false,
	} {
		err := CheckAddress(address)
		if (err == nil) != good {
			t.Errorf("%q: %v", address, err)
		}
		if err != nil && strings.Contains(address, "@") && strings.Contains(err.Error(), "u:p") {
			t.Errorf("%q: the error has the password: %v", address, err)
		}
	}
}

// TestFiles changes files while they are read: one that is broken keeps its targets, one that is gone
// loses them.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		var last news
		var mu sync.Mutex
		var wait sync.WaitGroup
		f := &Files{Patterns: []string{filepath.Join(dir, "*.json"), filepath.Join(dir, "x.yaml")}, Refresh: 10 * time.Second}
		write("a.json", `[{"targets": ["a:1", "a:2"], "labels": {"region": "eu"}}]`)
		wait.Go(func() {
			f.Run(ctx, func(targets []map[string]string, err error) {
				mu.Lock()
				defer mu.Unlock()
				last = news{targets, err}
			})
		})
		for _, step := range []struct {
			name    string
			change  func()
			want    string
			problem string
		}{
			{"one file", func() {}, "a:1 a:2", "x.yaml: no such file"},
			{"another", func() { write("x.yaml", "- targets: ['x:1']\n") }, "a:1 a:2 x:1", ""},
			{"changed", func() { write("a.json", `[{"targets": ["a:3"]}]`) }, "a:3 x:1", ""},
			{"broken", func() { write("a.json", `[{"targets": ["a:3"`) }, "a:3 x:1", "a.json: yaml"},
			{"unknown key", func() { write("a.json", `[{"target": ["a:3"]}]`) }, "a:3 x:1", "field target not found"},
			{"bad address", func() { write("a.json", `[{"targets": ["u:secret@a"]}]`) }, "a:3 x:1", "group 1: an address has"},
			{"bad label", func() { write("a.json", `[{"targets": ["a:1"], "labels": {"a-b": "c"}}]`) }, "a:3 x:1", `"a-b"`},
			{"gone", func() { _ = os.Remove(filepath.Join(dir, "a.json")) }, "x:1", "*.json: no such file"},
			{"empty", func() { write("a.json", "") }, "x:1", ""},
		} {
			step.change()
			time.Sleep(12 * time.Second)
			synctest.Wait()
			mu.Lock()
			text := fmt.Sprint(last.err)
			if got := last.addresses(); got != step.want || (step.problem == "") != (last.err == nil) ||
				!strings.Contains(text, step.problem) || strings.Contains(text, "secret") {
				t.Errorf("%s: %q, %v; want %q, %s", step.name, got, last.err, step.want, step.problem)
			}
			mu.Unlock()
		}
		stop()
		wait.Wait()
	})
	targets, err := parseFile("x", []byte(`[{"targets": ["a:1"], "labels": {"region": "eu"}}]`))
	want := map[string]string{Address: "a:1", "region": "eu", "__meta_filepath": "x"}
	if err != nil || len(targets) != 1 || !maps.Equal(targets[0], want) {
		t.Errorf("got %v, %v", targets, err)
	}
}

// FuzzFile reads any file of targets.
func FuzzFile(f *testing.F) {
	f.Add(`[{"targets": ["a:1"], "labels": {"region": "eu"}}]`)
	f.Add("- targets: [a:1, '[::1]:2']\n  labels: {a: b}\n")
	f.Fuzz(func(t *testing.T, text string) {
		targets, err := parseFile("x", []byte(text))
		if err != nil && !strings.HasPrefix(err.Error(), "x: ") {
			t.Errorf("error without a place: %v", err)
		}
		for _, target := range targets {
			if err := CheckAddress(target[Address]); err != nil {
				t.Error(err)
			}
		}
	})
}

// nameServer is a DNS server on loopback. It returns a resolver that queries it.
func nameServer(t *testing.T, answer func(name string) ([]dnsmessage.SRVResource, dnsmessage.RCode)) *net.Resolver {
	t.Helper()
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		buffer := make([]byte, 1500)
		for {
			n, from, err := c.ReadFrom(buffer)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buffer[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			q := m.Questions[0]
			records, code := answer(q.Name.String())
			m.Header.Response, m.Header.Authoritative, m.RCode, m.Additionals = true, true, code, nil
			for _, r := range records {
				m.Answers = append(m.Answers, dnsmessage.Resource{
					Header: dnsmessage.ResourceHeader{Name: q.Name, Type: dnsmessage.TypeSRV, Class: dnsmessage.ClassINET, TTL: 1},
					Body:   &r,
				})
			}
			if out, err := m.Pack(); err == nil {
				_, _ = c.WriteTo(out, from)
			}
		}
	}()
	t.Cleanup(func() {
		_ = c.Close()
		<-done
	})
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", c.LocalAddr().String())
	}}
}

// TestDNS looks up SRV records at a name server that works, then fails, and then has no records.
func TestDNS(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	state := 0
	d := &DNS{Names: []string{"_pprof._tcp.shop.test."}, Refresh: 10 * time.Millisecond}
	d.Resolver = nameServer(t, func(name string) ([]dnsmessage.SRVResource, dnsmessage.RCode) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case name != "_pprof._tcp.shop.test." || state == 2:
			return nil, dnsmessage.RCodeNameError
		case state == 1:
			return nil, dnsmessage.RCodeServerFailure
		}
		return []dnsmessage.SRVResource{
			{Priority: 1, Port: 6060, Target: dnsmessage.MustNewName("a.shop.test.")},
			{Priority: 2, Port: 6061, Target: dnsmessage.MustNewName("b.shop.test.")},
			{Priority: 3, Target: dnsmessage.MustNewName(".")},
		}, dnsmessage.RCodeSuccess
	})
	ctx, stop := context.WithCancel(t.Context())
	all := make(chan news)
	done := make(chan struct{})
	go func() {
		defer close(done)
		d.Run(ctx, func(targets []map[string]string, err error) {
			select {
			case all <- news{targets, err}:
			case <-ctx.Done():
			}
		})
	}()
	const both = "a.shop.test:6060 b.shop.test:6061"
	first := <-all
	if first.err != nil || first.addresses() != both {
		t.Errorf("%q, %v", first.addresses(), first.err)
	}
	want := map[string]string{
		Address: "a.shop.test:6060", "__meta_dns_name": "_pprof._tcp.shop.test.",
		"__meta_dns_srv_record_target": "a.shop.test.",
		"__meta_dns_srv_record_port":   "6060",
	}
	if len(first.targets) == 0 || !maps.Equal(first.targets[0], want) {
		t.Errorf("got %v, want %v", first.targets, want)
	}
	until := func(next int, reached func(news) bool) { // the news may be old at first
		mu.Lock()
		state = next
		mu.Unlock()
		for n := range all {
			if reached(n) {
				return
			}
		}
	}
	until(1, func(n news) bool { return n.err != nil && n.addresses() == both })
	until(0, func(n news) bool { return n.err == nil && n.addresses() == both })
	until(2, func(n news) bool { return n.err != nil && n.addresses() == "" })
	stop()
	<-done
}

// A cluster is an API server with pods.
type cluster struct {
	mu     sync.Mutex
	pods   map[string]map[string]any
	events chan string // lines for the watch
	status int         // of all answers, if not 0
	seen   []string    // requests
}

func podOf(namespace, name, ip, phase string) map[string]any {
	return map[string]any{
		"metadata": map[string]any{
			"name": name, "namespace": namespace, "uid": "uid-" + name, "resourceVersion": "7",
			"labels":          map[string]any{"app.kubernetes.io/name": "shop"},
			"annotations":     map[string]any{"whet/scrape": "true", "long": strings.Repeat("x", 5000)},
			"ownerReferences": []any{map[string]any{"kind": "ReplicaSet", "name": "shop-1", "controller": true}},
		},
		"spec": map[string]any{"nodeName": "n1", "containers": []any{
			map[string]any{"name": "shop", "image": "shop:1.4", "ports": []any{
				map[string]any{"name": "pprof", "containerPort": 6060, "protocol": "TCP"},
			}},
			map[string]any{"name": "proxy", "image": "proxy:2"},
		}},
		"status": map[string]any{
			"phase": phase, "podIP": ip, "hostIP": "10.1.1.1",
			"conditions": []any{map[string]any{"type": "Ready", "status": "True"}},
		},
	}
}

// ServeHTTP answers lists in pages of one pod, and watches with the lines that a test sends.
func (c *cluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	c.seen = append(c.seen, r.URL.Path+"?"+r.URL.RawQuery+" "+r.Header.Get("Authorization"))
	status, names, pods := c.status, slices.Sorted(maps.Keys(c.pods)), maps.Clone(c.pods)
	c.mu.Unlock()
	q := r.URL.Query()
	switch {
	case status != 0:
		w.WriteHeader(status)
		_, _ = w.Write([]byte(`{"kind": "Status", "message": "pods is forbidden"}`))
		return
	case q.Get("watch") != "":
		_ = http.NewResponseController(w).Flush()
		for {
			select {
			case line, ok := <-c.events:
				if !ok || line == "" {
					return
				}
				_, _ = w.Write([]byte(line + "\n"))
				_ = http.NewResponseController(w).Flush()
			case <-r.Context().Done():
				return
			}
		}
	}
	at := 0
	if q.Get("continue") != "" {
		at = slices.Index(names, q.Get("continue"))
	}
	page := map[string]any{"metadata": map[string]any{"resourceVersion": "5"}, "items": []any{}}
	if at < len(names) {
		page["items"] = []any{pods[names[at]]}
		if at+1 < len(names) {
			page["metadata"] = map[string]any{"resourceVersion": "5", "continue": names[at+1]}
		}
	}
	_ = json.NewEncoder(w).Encode(page)
}

// TestKubernetes lists pods in pages, follows events, lists again when the version is too old, and
// reports an error with the targets that it has.
func TestKubernetes(t *testing.T) {
	t.Parallel()
	c := &cluster{events: make(chan string), pods: map[string]map[string]any{
		"a": podOf("shop", "a", "10.0.0.1", "Running"), "b": podOf("shop", "b", "", "Pending"),
		"c": podOf("shop", "c", "fd00::3", "Running"), "d": podOf("shop", "d", "10.0.0.4", "Succeeded"),
	}}
	server := httptest.NewServer(c)
	defer server.Close()
	dir := t.TempDir()
	token := filepath.Join(dir, "token")
	if err := os.WriteFile(token, []byte("the-token\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprintf(`{current-context: x, contexts: [{name: x, context: {cluster: k, user: u, namespace: shop}}],
		clusters: [{name: k, cluster: {server: %q}}], users: [{name: u, user: {tokenFile: token}}]}`, server.URL)
	if err := os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := Kubeconfig(filepath.Join(dir, "config"))
	if err != nil || found.Namespace != "shop" {
		t.Fatal(found, err)
	}
	client := found.Client()
	defer client.CloseIdleConnections()
	k := &Kubernetes{
		Server: found.Server, Token: found.Token, HTTP: client, Namespaces: []string{"shop"}, Labels: "app=shop",
	}
	ctx, stop := context.WithCancel(t.Context())
	all := make(chan news)
	done := make(chan struct{})
	go func() {
		defer close(done)
		k.Run(ctx, func(targets []map[string]string, err error) {
			select {
			case all <- news{targets, err}:
			case <-ctx.Done():
			}
		})
	}()
	event := func(kind string, object any) {
		data, err := json.Marshal(map[string]any{"type": kind, "object": object})
		if err != nil {
			t.Fatal(err)
		}
		c.events <- string(data)
	}
	expect := func(what, want string, failed bool) news {
		t.Helper()
		n := <-all
		if n.addresses() != want || (n.err != nil) != failed {
			t.Errorf("%s: %q, %v; want %q", what, n.addresses(), n.err, want)
		}
		return n
	}
	first := expect("the list", "10.0.0.1:6060 10.0.0.1 [fd00::3]:6060 [fd00::3]", false)
	const meta = "__meta_kubernetes_"
	want := map[string]string{
		Address: "10.0.0.1:6060", meta + "namespace": "shop", meta + "pod_name": "a", meta + "pod_uid": "uid-a",
		meta + "pod_ip": "10.0.0.1", meta + "pod_host_ip": "10.1.1.1", meta + "pod_node_name": "n1",
		meta + "pod_phase": "Running", meta + "pod_ready": "true",
		meta + "pod_label_app_kubernetes_io_name": "shop", meta + "pod_labelpresent_app_kubernetes_io_name": "true",
		meta + "pod_annotation_whet_scrape": "true", meta + "pod_annotationpresent_whet_scrape": "true",
		meta + "pod_controller_kind": "ReplicaSet", meta + "pod_controller_name": "shop-1",
		meta + "pod_container_name": "shop", meta + "pod_container_image": "shop:1.4",
		meta + "pod_container_port_number": "6060", meta + "pod_container_port_name": "pprof",
		meta + "pod_container_port_protocol": "TCP",
	}
	if len(first.targets) == 0 || !maps.Equal(first.targets[0], want) {
		t.Errorf("labels %v, want %v", first.targets, want)
	}
	event("ADDED", podOf("shop", "e", "10.0.0.5", "Running"))
	event("BOOKMARK", map[string]any{"metadata": map[string]any{"resourceVersion": "9"}})
	event("DELETED", podOf("shop", "c", "fd00::3", "Running"))
	expect("events", "10.0.0.1:6060 10.0.0.1 10.0.0.5:6060 10.0.0.5", false)
	c.mu.Lock()
	delete(c.pods, "a")
	c.mu.Unlock()
	event("ERROR", map[string]any{"code": 410, "message": "too old"})
	expect("listed again", "[fd00::3]:6060 [fd00::3]", false)
	c.mu.Lock()
	c.status = http.StatusForbidden
	c.mu.Unlock()
	c.events <- "" // ends the watch
	n := expect("forbidden", "[fd00::3]:6060 [fd00::3]", true)
	if text := fmt.Sprint(n.err); !strings.Contains(text, "403 Forbidden: pods is forbidden") ||
		strings.Contains(text, "the-token") {
		t.Errorf("error %s", text)
	}
	stop()
	<-done
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.seen {
		if !strings.HasPrefix(r, "/api/v1/namespaces/shop/pods?") || !strings.HasSuffix(r, " Bearer the-token") ||
			!strings.Contains(r, "labelSelector=app%3Dshop") {
			t.Errorf("request %s", r)
		}
	}
	if !slices.ContainsFunc(c.seen, func(r string) bool { return strings.Contains(r, "resourceVersion=5") }) {
		t.Errorf("no watch from the version of the list in %q", c.seen)
	}
}

func TestKubeconfigErrors(t *testing.T) {
	t.Parallel()
	const head = "{current-context: x, contexts: [{name: x, context: {cluster: k, user: u}}], "
	for text, want := range map[string]string{
		"token: [secret":       "not a kubeconfig file",
		"{}":                   `no context ""`,
		head + "clusters: []}": `cluster "k" has no server`,
		head + "clusters: [{name: k, cluster: {server: 'https://a', certificate-authority-data: '?'}}]}": "not base64",
		head + "clusters: [{name: k, cluster: {server: 'https://a'}}], users: [{name: u, user: " +
			"{exec: {command: aws}}}]}": "logs in with a program",
	} {
		_, err := parseKubeconfig("", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
	if _, err := InCluster(); os.Getenv("KUBERNETES_SERVICE_HOST") == "" &&
		(err == nil || !strings.Contains(err.Error(), "kubeconfig_file")) {
		t.Errorf("outside of a cluster: %v", err)
	}
	if _, err := ReadToken(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no token: %v", err)
	}
}
