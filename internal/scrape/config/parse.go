package config

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/scrape/discover"
	"github.com/whet-go/whet/internal/scrape/relabel"
	"github.com/whet-go/whet/unit"
)

// maxNodes bounds the nodes that are read: aliases in YAML can repeat a list again and again.
const maxNodes = 1_000_000

// A parser reads nodes of one file.
type parser struct {
	file, dir string
	nodes     int
}

// fail returns an error at a node.
func (p *parser) fail(n *yaml.Node, text, hint string) error {
	return &diag.Error{Op: fmt.Sprintf("%s:%d", p.file, n.Line), Err: errors.New(text), Hint: hint, Kind: diag.Usage}
}

// at returns a file's name, which the configuration may give relative to itself.
func (p *parser) at(name string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.dir, name)
}

// resolve returns the node that an alias stands for, and counts it.
func (p *parser) resolve(n *yaml.Node) (*yaml.Node, error) {
	if p.nodes++; p.nodes > maxNodes {
		return nil, p.fail(n, "the configuration repeats too much", "use fewer aliases, or file_sd_configs")
	}
	for range 10 {
		if n.Kind != yaml.AliasNode || n.Alias == nil {
			return n, nil
		}
		n = n.Alias
	}
	return nil, p.fail(n, "an alias refers to aliases", "")
}

// A field is a key of a mapping, and what reads its value.
type field struct {
	key  string
	read func(*yaml.Node) error
}

// object reads a mapping with only these keys.
func (p *parser) object(n *yaml.Node, fields []field) error {
	n, err := p.resolve(n)
	if err != nil {
		return err
	}
	if n.Kind != yaml.MappingNode {
		return p.fail(n, "want a mapping with "+keys(fields), "docs/scrape.md has an example")
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		at := slices.IndexFunc(fields, func(f field) bool { return f.key == key.Value })
		if at < 0 {
			return p.fail(key, fmt.Sprintf("unknown key %.60q (want %s)", key.Value, keys(fields)), hintFor(key.Value))
		}
		if seen[key.Value] {
			return p.fail(key, fmt.Sprintf("the key %q is there twice", key.Value), "")
		}
		seen[key.Value] = true
		if err := fields[at].read(n.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// hintFor returns a hint for keys of Prometheus that whet has another way for.
func hintFor(key string) string {
	switch key {
	case "credentials", "bearer_token", "password":
		return "put the secret in a file: authorization: {credentials_file: FILE}"
	case "metrics_path":
		return "path is that of the pprof handlers"
	case "ca", "cert", "key":
		return "name a PEM file: ca_file, cert_file, key_file"
	}
	return ""
}

func keys(fields []field) string {
	var names []string
	for _, f := range fields {
		names = append(names, f.key)
	}
	return strings.Join(names, ", ")
}

// list reads a sequence.
func (p *parser) list(n *yaml.Node, read func(*yaml.Node) error) error {
	n, err := p.resolve(n)
	if err != nil {
		return err
	}
	if n.Kind != yaml.SequenceNode {
		return p.fail(n, "want a list", "begin each entry with a dash, or write [a, b]")
	}
	for _, entry := range n.Content {
		if err := read(entry); err != nil {
			return err
		}
	}
	return nil
}

// scalar reads one value that is not a list or a mapping.
func (p *parser) scalar(n *yaml.Node) (string, error) {
	n, err := p.resolve(n)
	if err != nil {
		return "", err
	}
	if n.Kind != yaml.ScalarNode {
		return "", p.fail(n, "want a single value", "")
	}
	if n.Tag == "!!null" {
		return "", nil
	}
	return n.Value, nil
}

func (p *parser) text(into *string) func(*yaml.Node) error {
	return func(n *yaml.Node) (err error) {
		*into, err = p.scalar(n)
		return err
	}
}

func (p *parser) texts(into *[]string) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		return p.list(n, func(n *yaml.Node) error {
			s, err := p.scalar(n)
			*into = append(*into, s)
			return err
		})
	}
}

// textPointer reads a value for which "" is not the default.
func (p *parser) textPointer(into **string) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		s, err := p.scalar(n)
		*into = &s
		return err
	}
}

func (p *parser) word(into *string, valid ...string) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		s, err := p.scalar(n)
		if err != nil {
			return err
		}
		if !slices.Contains(valid, s) {
			return p.fail(n, fmt.Sprintf("unknown value %.60q (want %s)", s, strings.Join(valid, " or ")), "")
		}
		*into = s
		return nil
	}
}

func (p *parser) boolean(into *bool) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		var s string
		if err := p.word(&s, "true", "false")(n); err != nil {
			return err
		}
		*into = s == "true"
		return nil
	}
}

// maxDuration is the longest duration that is accepted: a longer one is a mistake.
const maxDuration = 7 * 24 * time.Hour

func (p *parser) duration(into *time.Duration, least time.Duration) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		s, err := p.scalar(n)
		if err != nil {
			return err
		}
		d, err := time.ParseDuration(s)
		if err != nil {
			return p.fail(n, fmt.Sprintf("%.60q is not a duration", s), "write 10s, 1m or 1h30m")
		}
		if d < least || d > maxDuration {
			return p.fail(n, fmt.Sprintf("%v is not between %v and %v", d, least, maxDuration), "")
		}
		*into = d
		return nil
	}
}

// wholeSeconds reads a duration that net/http/pprof can measure.
func (p *parser) wholeSeconds(into *time.Duration) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		if err := p.duration(into, time.Second)(n); err != nil {
			return err
		}
		if *into%time.Second != 0 || *into > 5*time.Minute {
			return p.fail(n, fmt.Sprintf("%v is not a number of whole seconds up to 5m", *into), "write 10s")
		}
		return nil
	}
}

// share reads 20% or 0.2.
func (p *parser) part(into *float64) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		s, err := p.scalar(n)
		if err != nil {
			return err
		}
		number, percent := strings.CutSuffix(s, "%")
		v, err := strconv.ParseFloat(number, 64)
		if percent {
			v /= 100
		}
		if err != nil || math.IsNaN(v) || v <= 0 || v > 1 {
			return p.fail(n, fmt.Sprintf("%.60q is not a share of time", s), "write 20% or 0.2")
		}
		*into = max(v, 1e-4)
		return nil
	}
}

func (p *parser) kinds(n *yaml.Node, into *[]string) error {
	var given []string
	err := p.list(n, func(n *yaml.Node) error {
		var kind string
		if err := p.word(&kind, Kinds()...)(n); err != nil {
			return err
		}
		if slices.Contains(given, kind) {
			return p.fail(n, fmt.Sprintf("the profile %s is there twice", kind), "")
		}
		given = append(given, kind)
		return nil
	})
	if err != nil {
		return err
	}
	if len(given) == 0 {
		return p.fail(n, "there are no profiles", "want some of "+strings.Join(Kinds(), ", "))
	}
	*into = slices.DeleteFunc(Kinds(), func(kind string) bool { return !slices.Contains(given, kind) })
	return nil
}

func (p *parser) authorization(n *yaml.Node, token *string) error {
	scheme := "Bearer"
	err := p.object(n, []field{
		{"type", p.word(&scheme, "Bearer")},
		{"credentials_file", p.text(token)},
	})
	if err != nil {
		return err
	}
	*token = p.at(*token)
	if *token == "" {
		return p.fail(n, "authorization has no credentials_file", "")
	}
	if _, err := discover.ReadToken(*token); err != nil {
		return p.fail(n, "credentials_file: "+err.Error(), "")
	}
	return nil
}

func (p *parser) tlsConfig(n *yaml.Node, t *tlsFiles) error {
	err := p.object(n, []field{
		{"ca_file", p.text(&t.ca)},
		{"cert_file", p.text(&t.cert)},
		{"key_file", p.text(&t.key)},
		{"server_name", p.text(&t.named)},
		{"insecure_skip_verify", p.boolean(&t.insecure)},
	})
	if err != nil {
		return err
	}
	if (t.cert == "") != (t.key == "") {
		return p.fail(n, "a client certificate needs both cert_file and key_file", "they may be the same file")
	}
	t.set, t.ca, t.cert, t.key = true, p.at(t.ca), p.at(t.cert), p.at(t.key)
	if _, err := t.load(); err != nil {
		return p.fail(n, err.Error(), "want PEM files")
	}
	return nil
}

// static reads a list of addresses with labels.
func (p *parser) static(n *yaml.Node, into *[]map[string]string) error {
	var addresses []string
	labels := map[string]string{}
	err := p.object(n, []field{
		{"targets", func(n *yaml.Node) error {
			return p.list(n, func(n *yaml.Node) error {
				s, err := p.scalar(n)
				if err != nil {
					return err
				}
				if err := discover.CheckAddress(s); err != nil {
					return p.fail(n, err.Error(), "scheme and path are keys of the job")
				}
				if len(*into)+len(addresses) == discover.MaxTargets {
					return p.fail(n, fmt.Sprintf("more than %d targets", discover.MaxTargets), "")
				}
				addresses = append(addresses, s)
				return nil
			})
		}},
		{"labels", func(n *yaml.Node) error { return p.labels(n, labels) }},
	})
	if err != nil {
		return err
	}
	if len(addresses) == 0 {
		return p.fail(n, "there are no targets", "write targets: [localhost:6060]")
	}
	for _, a := range addresses {
		one := map[string]string{discover.Address: a}
		for k, v := range labels {
			one[k] = v
		}
		*into = append(*into, one)
	}
	return nil
}

func (p *parser) labels(n *yaml.Node, into map[string]string) error {
	n, err := p.resolve(n)
	if err != nil {
		return err
	}
	if n.Kind != yaml.MappingNode {
		return p.fail(n, "want a mapping of names to values", "write labels: {region: eu}")
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], ""
		if !relabel.ValidName(name.Value) || len(n.Content)/2 > 64 {
			return p.fail(name, fmt.Sprintf("%.60q is not the name of a label", name.Value),
				"want at most 64 names of letters, digits and underscores")
		}
		if err := p.text(&value)(n.Content[i+1]); err != nil {
			return err
		}
		if len(value) > 1024 {
			return p.fail(name, "the value of the label "+name.Value+" has more than 1024 bytes", "")
		}
		into[name.Value] = value
	}
	return nil
}

func (p *parser) files(n *yaml.Node, j *Job) error {
	f := &discover.Files{Refresh: discover.DefaultFileRefresh}
	err := p.object(n, []field{
		{"files", p.texts(&f.Patterns)},
		{"refresh_interval", p.duration(&f.Refresh, time.Second)},
	})
	if err != nil {
		return err
	}
	if len(f.Patterns) == 0 {
		return p.fail(n, "there are no files", "write files: [targets/*.json]")
	}
	for i, name := range f.Patterns {
		if _, err := filepath.Match(name, ""); err != nil || name == "" {
			return p.fail(n, fmt.Sprintf("%.60q is not a pattern of files", name), "write targets/*.json")
		}
		f.Patterns[i] = p.at(name)
	}
	j.sources = append(j.sources, f)
	return nil
}

func (p *parser) dns(n *yaml.Node, j *Job) error {
	d, kind := &discover.DNS{Refresh: discover.DefaultDNSRefresh}, "SRV"
	err := p.object(n, []field{
		{"names", p.texts(&d.Names)},
		{"type", p.word(&kind, "SRV")},
		{"refresh_interval", p.duration(&d.Refresh, time.Second)},
	})
	if err != nil {
		return err
	}
	if len(d.Names) == 0 || slices.Contains(d.Names, "") {
		return p.fail(n, "there are no names", "write names: [_pprof._tcp.example.com]")
	}
	j.sources = append(j.sources, d)
	return nil
}

func (p *parser) kubernetes(n *yaml.Node, j *Job) error {
	k := &discover.Kubernetes{}
	role, server, file, token, own := "", "", "", "", false
	var certs tlsFiles
	err := p.object(n, []field{
		{"role", p.word(&role, "pod")},
		{"api_server", p.text(&server)},
		{"kubeconfig_file", p.text(&file)},
		{"authorization", func(n *yaml.Node) error { return p.authorization(n, &token) }},
		{"tls_config", func(n *yaml.Node) error { return p.tlsConfig(n, &certs) }},
		{"namespaces", func(n *yaml.Node) error {
			return p.object(n, []field{{"names", p.texts(&k.Namespaces)}, {"own_namespace", p.boolean(&own)}})
		}},
		{"selectors", func(n *yaml.Node) error {
			return p.list(n, func(n *yaml.Node) error {
				var role string
				return p.object(n, []field{
					{"role", p.word(&role, "pod")}, {"label", p.text(&k.Labels)}, {"field", p.text(&k.Fields)},
				})
			})
		}},
	})
	if err != nil {
		return err
	}
	if role == "" {
		return p.fail(n, "the role is missing (want pod)", "")
	}
	for _, ns := range k.Namespaces {
		if ns == "" || len(ns) > 63 || strings.ContainsFunc(ns, func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-'
		}) {
			return p.fail(n, fmt.Sprintf("%.70q is not the name of a namespace", ns), "")
		}
	}
	var cluster *discover.Cluster
	switch {
	case server != "" && file != "":
		return p.fail(n, "there is both an api_server and a kubeconfig_file", "leave one out")
	case server != "":
		if u, err := url.Parse(server); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" ||
			u.User != nil || u.RawQuery != "" {
			return p.fail(n, "api_server is not an address", "write https://HOST:PORT")
		}
		cluster = &discover.Cluster{Server: server}
		if token != "" {
			cluster.Token = discover.FileToken(token)
		}
		cluster.TLS, err = certs.load()
	case token != "" || certs.set:
		return p.fail(n, "authorization and tls_config have no effect without an api_server", "leave them out")
	case file != "":
		cluster, err = discover.Kubeconfig(p.at(file))
	default:
		cluster, err = discover.InCluster()
	}
	if err != nil {
		return p.fail(n, err.Error(), "")
	}
	if own {
		if cluster.Namespace == "" {
			return p.fail(n, "own_namespace: the namespace of this program is not known", "list it in names")
		}
		k.Namespaces = append(k.Namespaces, cluster.Namespace)
	}
	slices.Sort(k.Namespaces)
	k.Namespaces = slices.Compact(k.Namespaces)
	k.Server, k.Token, k.HTTP = cluster.Server, cluster.Token, cluster.Client()
	j.sources = append(j.sources, k)
	return nil
}

func (p *parser) relabel(n *yaml.Node, into *[]relabel.Rule) error {
	var c relabel.Config
	at := map[string]*yaml.Node{}
	mark := func(key string, read func(*yaml.Node) error) field {
		return field{key, func(n *yaml.Node) error { at[key] = n; return read(n) }}
	}
	err := p.object(n, []field{
		mark("source_labels", p.texts(&c.SourceLabels)),
		mark("separator", p.textPointer(&c.Separator)),
		mark("target_label", p.text(&c.TargetLabel)),
		mark("regex", p.textPointer(&c.Regex)),
		mark("modulus", func(n *yaml.Node) error {
			s, err := p.scalar(n)
			if err == nil {
				if c.Modulus, err = strconv.ParseUint(s, 10, 64); err != nil {
					err = p.fail(n, fmt.Sprintf("%.60q is not a number", s), "")
				}
			}
			return err
		}),
		mark("replacement", p.textPointer(&c.Replacement)),
		mark("action", p.text(&c.Action)),
	})
	if err != nil {
		return err
	}
	rule, err := relabel.New(c)
	if err != nil {
		var f *relabel.FieldError
		if errors.As(err, &f) && at[f.Key] != nil {
			return p.fail(at[f.Key], f.Error(), "")
		}
		return p.fail(n, err.Error(), "")
	}
	*into = append(*into, rule)
	return nil
}

func (p *parser) triggers(n *yaml.Node, t *Triggers) error {
	number := func(into *float64) func(*yaml.Node) error {
		return func(n *yaml.Node) error {
			s, err := p.scalar(n)
			if err != nil {
				return err
			}
			v, err := strconv.ParseFloat(s, 64)
			if err != nil || math.IsNaN(v) || v <= 0 || v > 1e12 {
				return p.fail(n, fmt.Sprintf("%.60q is not a number above zero", s), "")
			}
			*into = v
			return nil
		}
	}
	var goroutines float64
	t.Every = 10 * time.Minute
	err := p.object(n, []field{
		{"slower", p.duration(&t.Slower, time.Millisecond)},
		{"goroutines", number(&goroutines)},
		{"heap", func(n *yaml.Node) error {
			s, err := p.scalar(n)
			if err != nil {
				return err
			}
			size, err := unit.ParseBytes(s)
			if err != nil || size <= 0 {
				return p.fail(n, fmt.Sprintf("%.60q is not a number of bytes above zero", s), "write 500MB or 2GB")
			}
			t.Heap = int64(size)
			return nil
		}},
		{"cpu", number(&t.CPU)},
		{"every", p.duration(&t.Every, time.Second)},
	})
	if err != nil {
		return err
	}
	t.Goroutines = int64(math.Ceil(goroutines))
	if !t.Any() {
		return p.fail(n, "there are no triggers", "want some of slower, goroutines, heap, cpu")
	}
	return nil
}
