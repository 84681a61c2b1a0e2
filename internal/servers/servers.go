package main

import (
	"fmt"
	"slices"
	"strings"
)

// A server is a command of another author's module, and how it is run.
type server struct {
	name         string
	module       string
	version      string
	command      string            // directory of the main package, relative to the module
	what         string            // what it is, and what the load asks for
	files        map[string]string // its configuration, by name; {dir} is replaced in the text
	args         []string          // of the command; {dir} is a directory with the files
	pprof        string            // the address of its pprof handlers
	load         []string          // URLs
	method, body string            // of the load; "" for GET without a body
	prepareURL   string            // that gets a body once, before the load; "" for none
	prepareBody  string
}

// choose returns the servers with some names, or all.
func choose(names []string) ([]server, error) {
	all := servers()
	if len(names) == 0 {
		return all, nil
	}
	var chosen []server
	for _, name := range names {
		i := slices.IndexFunc(all, func(s server) bool { return s.name == name })
		if i < 0 {
			var known []string
			for _, s := range all {
				known = append(known, s.name)
			}
			return nil, fmt.Errorf("no server %q (want %s)", name, strings.Join(known, ", "))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// templatePage is a small page with a template, which Caddy executes for each request.
const templatePage = `<!doctype html>
<title>{{.Req.URL.Path}}</title>
<ul>
{{range $i := list 1 2 3 4 5 6 7 8}}<li>{{$i}}: {{$.Host | upper | trunc 20}}</li>
{{end}}</ul>
<p>{{now | date "2006-01-02"}}</p>
`

// servers returns the servers in the order of the page. All addresses are on loopback.
func servers() []server {
	return []server{
		{
			name: "Caddy", module: "github.com/caddyserver/caddy/v2", version: "v2.10.0", command: "cmd/caddy",
			what: "a web server; a page of its `templates` directive",
			files: map[string]string{
				"Caddyfile": "{\n\tadmin 127.0.0.1:12019\n\tauto_https off\n}\nhttp://127.0.0.1:12080 {\n\troot * {dir}\n" +
					"\ttemplates\n\tfile_server\n}\n",
				"index.html": templatePage,
			},
			args:  []string{"run", "--config", "{dir}/Caddyfile", "--adapter", "caddyfile"},
			pprof: "127.0.0.1:12019", load: []string{"http://127.0.0.1:12080/"},
		},
		{
			name: "node_exporter", module: "github.com/prometheus/node_exporter", version: "v1.9.1", command: ".",
			what:  "metrics of a machine for Prometheus; a scrape",
			args:  []string{"--web.listen-address=127.0.0.1:12100"},
			pprof: "127.0.0.1:12100", load: []string{"http://127.0.0.1:12100/metrics"},
		},
		{
			name: "nats-server", module: "github.com/nats-io/nats-server/v2", version: "v2.10.29", command: ".",
			what: "a message broker; its monitoring pages",
			args: []string{"-a", "127.0.0.1", "-p", "12222", "-m", "12223", "--profile", "12224"}, pprof: "127.0.0.1:12224",
			load: []string{"http://127.0.0.1:12223/varz", "http://127.0.0.1:12223/connz"},
		},
		{
			name: "Pushgateway", module: "github.com/prometheus/pushgateway", version: "v1.11.1", command: ".",
			what:  "metrics of batch jobs for Prometheus; a scrape after one job was pushed",
			args:  []string{"--web.listen-address=127.0.0.1:12091"},
			pprof: "127.0.0.1:12091", load: []string{"http://127.0.0.1:12091/metrics"},
			prepareURL: "http://127.0.0.1:12091/metrics/job/batch", prepareBody: "duration_seconds 12.5\nrows_total 40\n",
		},
		{
			name: "Alertmanager", module: "github.com/prometheus/alertmanager", version: "v0.28.1",
			command: "cmd/alertmanager", what: "alerts of Prometheus; the list of alerts, of which it has one",
			files: map[string]string{"alertmanager.yml": "route:\n  receiver: none\nreceivers:\n  - name: none\n"},
			args: []string{
				"--config.file={dir}/alertmanager.yml", "--storage.path={dir}/data", "--cluster.listen-address=",
				"--web.listen-address=127.0.0.1:12093",
			},
			pprof: "127.0.0.1:12093", load: []string{"http://127.0.0.1:12093/api/v2/alerts"},
			prepareURL:  "http://127.0.0.1:12093/api/v2/alerts",
			prepareBody: `[{"labels":{"alertname":"full","disk":"sda","host":"one"}}]`,
		},
		{
			name: "nsqd", module: "github.com/nsqio/nsq", version: "v1.3.0", command: "apps/nsqd",
			what: "a queue of messages; its statistics as JSON after one message",
			args: []string{
				"--data-path", "{dir}", "--http-address", "127.0.0.1:12151", "--tcp-address", "127.0.0.1:12150",
			},
			pprof: "127.0.0.1:12151", load: []string{"http://127.0.0.1:12151/stats?format=json"},
			prepareURL: "http://127.0.0.1:12151/pub?topic=one", prepareBody: "hello",
		},
		{
			name: "OPA", module: "github.com/open-policy-agent/opa", version: "v1.6.0", command: ".",
			what: "decides policies; one with a list of roles, for a request",
			files: map[string]string{
				"policy.rego": "package app\n\ndefault allow := false\n\nallow if {\n\tsome role in input.roles\n" +
					"\tdata.app.grants[role][_] == {\"action\": input.action, \"object\": input.object}\n}\n\n" +
					"grants := {\"reader\": [{\"action\": \"read\", \"object\": \"page\"}], \"writer\": " +
					"[{\"action\": \"write\", \"object\": \"page\"}]}\n",
			},
			args: []string{
				"run", "--server", "--pprof", "--addr", "127.0.0.1:12181", "--log-level", "error", "--disable-telemetry",
				"{dir}/policy.rego",
			},
			pprof: "127.0.0.1:12181", load: []string{"http://127.0.0.1:12181/v1/data/app/allow"},
			method: "POST", body: `{"input":{"roles":["guest","writer"],"action":"write","object":"page"}}`,
			prepareURL:  "http://127.0.0.1:12181/v1/data/app/allow",
			prepareBody: `{"input":{"roles":["writer"],"action":"write","object":"page"}}`,
		},
	}
}
