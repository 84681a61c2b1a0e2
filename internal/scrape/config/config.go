package config

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/scrape/discover"
	"github.com/whet-go/whet/internal/scrape/relabel"
	"github.com/whet-go/whet/internal/scrape/share"
	"github.com/whet-go/whet/store"
)

// Defaults of a job.
const (
	DefaultInterval = time.Minute
	DefaultTimeout  = 10 * time.Second
	DefaultCPU      = 10 * time.Second
	DefaultDelta    = 5 * time.Second
	DefaultBudget   = 0.5
	DefaultPath     = "/debug/pprof"
)

// The kinds of profiles that can be scraped.
const (
	CPU       = "cpu"
	Heap      = "heap"
	Allocs    = "allocs"
	Mutex     = "mutex"
	Block     = "block"
	Goroutine = "goroutine"
)

// Kinds lists them, in the order in which they are scraped. CPU is first because the connection is
// new then: a request on one that was used before may be sent twice.
func Kinds() []string { return []string{CPU, Heap, Allocs, Mutex, Block, Goroutine} }

// Counts reports whether a profile of this kind counts from the start of the program.
func Counts(kind string) bool { return kind == Allocs || kind == Mutex || kind == Block }

// maxConfig is the size of the largest configuration, in bytes.
const maxConfig = 4 << 20

// A Config is a configuration.
type Config struct {
	File  string
	Jobs  []Job // at least one
	Share Share

	content []byte // of the file
}

// Share says which processes divide the targets among themselves: those with the same name and store.
type Share struct {
	Name  string        // "": this process has all targets
	Lease time.Duration // how long a process counts as alive after it was heard of
}

// A Job is a group of targets that are scraped alike.
type Job struct {
	Name     string
	Service  string // of targets without a label service; "" means Name
	Interval time.Duration
	Timeout  time.Duration // of a request, after the time that the target measures
	Kinds    []string      // in the order of Kinds
	// CPU is how long a CPU profile takes, and Budget the share of time in which the target may measure: CPU
	// profiles, windows of kinds that count, and what triggers record.
	CPU    time.Duration
	Budget float64
	// Delta is how long the target measures kinds that count; 0 means that the previous scrape is
	// subtracted from each.
	Delta    time.Duration
	Scheme   string // http or https
	Path     string // of the handlers, without a slash at the end
	Token    string // name of a file; "" means none
	Relabel  []relabel.Rule
	Static   []map[string]string // targets
	Triggers Triggers

	tls     tlsFiles
	sources []discover.Source
	written string // what the file has of the job, without comments and format; "" is unknown
}

// Same reports whether two jobs are written alike, in files in the same directory.
func (j *Job) Same(other *Job) bool { return j.written != "" && j.written == other.written }

// Triggers are the limits at which a target's agent is recorded; zero ones never fire.
type Triggers struct {
	Slower     time.Duration
	Goroutines int64
	Heap       int64 // bytes
	CPU        float64
	Every      time.Duration // minimum time between recordings of a target
}

// Any reports whether there is one.
func (t *Triggers) Any() bool { return t.Slower > 0 || t.Goroutines > 0 || t.Heap > 0 || t.CPU > 0 }

// Sources returns where the job's targets come from, other than Static.
func (j *Job) Sources() []discover.Source { return j.sources }

// Cycle returns how long the target measures in one scrape.
func (j *Job) Cycle() time.Duration {
	var all time.Duration
	for _, kind := range j.Kinds {
		all += j.Window(kind)
	}
	return all
}

// Window returns how long the target measures one kind; 0 for a snapshot.
func (j *Job) Window(kind string) time.Duration {
	switch {
	case kind == CPU:
		return j.CPU
	case Counts(kind):
		return j.Delta
	}
	return 0
}

// tlsFiles are the files of a TLS configuration.
type tlsFiles struct {
	set                  bool
	ca, cert, key, named string
	insecure             bool
}

// TLS reads the files of the job's TLS configuration; nil means the system's roots.
func (j *Job) TLS() (*tls.Config, error) { return j.tls.load() }

func (t *tlsFiles) load() (*tls.Config, error) {
	if !t.set {
		return nil, nil
	}
	c := &tls.Config{
		MinVersion: tls.VersionTLS12, ServerName: t.named,
		InsecureSkipVerify: t.insecure, //nolint:gosec // the user's choice
	}
	if t.ca != "" {
		pool, err := discover.ReadRoots(t.ca)
		if err != nil {
			return nil, fmt.Errorf("ca_file: %w", err)
		}
		c.RootCAs = pool
	}
	if t.cert != "" {
		pair, err := tls.LoadX509KeyPair(t.cert, t.key)
		if err != nil {
			return nil, fmt.Errorf("cert_file: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// Read reads a configuration file. Errors are *diag.Error and begin with the file and the line.
func Read(file string) (*Config, error) {
	data, err := readLimited(file)
	if err != nil {
		return nil, &diag.Error{Op: "read configuration", Err: err, Hint: "docs/scrape.md has an example"}
	}
	return Parse(file, data)
}

func readLimited(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	data, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err == nil && len(data) > maxConfig {
		err = fmt.Errorf("%s has more than %d bytes", name, maxConfig)
	}
	return data, err
}

// Parse is like Read for the content of file, whose directory is that of relative names.
func Parse(file string, data []byte) (*Config, error) {
	p := &parser{file: file, dir: filepath.Dir(file)}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		place, text := file, strings.TrimPrefix(err.Error(), "yaml: ")
		if line, rest, ok := strings.Cut(strings.TrimPrefix(text, "line "), ": "); ok && strings.HasPrefix(text, "line ") {
			place, text = file+":"+line, rest
		}
		return nil, &diag.Error{Op: place, Err: errors.New(text), Kind: diag.Usage, Hint: "docs/scrape.md has an example"}
	}
	if len(doc.Content) == 0 {
		return nil, &diag.Error{
			Op: file, Err: errors.New("the configuration is empty"), Kind: diag.Usage, Hint: "docs/scrape.md has an example",
		}
	}
	c := &Config{File: file, content: data}
	if err := p.config(doc.Content[0], c); err != nil {
		return nil, err
	}
	return c, nil
}

// config reads the whole document.
func (p *parser) config(n *yaml.Node, c *Config) error {
	defaults := Job{
		Interval: DefaultInterval, Timeout: DefaultTimeout, CPU: DefaultCPU, Delta: DefaultDelta, Budget: DefaultBudget,
		Scheme: "http", Path: DefaultPath, Kinds: Kinds(),
	}
	global := &jobFields{Job: defaults}
	var all *yaml.Node
	var jobs []*yaml.Node
	err := p.object(n, []field{
		{"global", func(n *yaml.Node) error { all = n; return p.object(n, p.scrapeFields(global)) }},
		{"share", func(n *yaml.Node) error { return p.share(n, &c.Share) }},
		{"scrape_configs", func(n *yaml.Node) error {
			return p.list(n, func(n *yaml.Node) error {
				jobs = append(jobs, n)
				return nil
			})
		}},
	})
	if err != nil {
		return err
	}
	if len(jobs) == 0 {
		return p.fail(n, "there are no scrape_configs", "docs/scrape.md has an example")
	}
	names := map[string]bool{}
	for _, n := range jobs {
		j := &jobFields{Job: global.Job, deltas: global.deltas}
		j.Kinds = slices.Clone(global.Kinds)
		if err := p.job(n, j); err != nil {
			return err
		}
		if names[j.Name] {
			return p.fail(n, fmt.Sprintf("another job is named %q", j.Name), "give each job its own job_name")
		}
		names[j.Name] = true
		j.written = written(all, n)
		c.Jobs = append(c.Jobs, j.Job)
	}
	return nil
}

// share reads the group of processes that divide the targets.
func (p *parser) share(n *yaml.Node, into *Share) error {
	into.Lease = share.DefaultTime
	err := p.object(n, []field{
		{"name", p.text(&into.Name)},
		{"lease", p.duration(&into.Lease, share.MinTime)},
	})
	if err != nil {
		return err
	}
	if into.Name == "" {
		return p.fail(n, "share has no name", "write share: {name: shop}: processes with the same name divide the targets")
	}
	if err := store.CheckLease("", into.Name, "member"); err != nil {
		return p.fail(n, "share: "+err.Error(), "")
	}
	return nil
}

// written returns what nodes, of which some may be nil, say, independently of how; "" if it cannot be
// told.
func written(nodes ...*yaml.Node) string {
	values := make([]any, len(nodes))
	for i, n := range nodes {
		if n != nil && n.Decode(&values[i]) != nil {
			return ""
		}
	}
	data, err := json.Marshal(values)
	if err != nil {
		return ""
	}
	return string(data)
}

// jobFields are a job while it is read.
type jobFields struct {
	Job
	deltas string // subtract, window or ""
}

// scrapeFields are the keys that global and jobs have.
func (p *parser) scrapeFields(j *jobFields) []field {
	return []field{
		{"scrape_interval", p.duration(&j.Interval, time.Second)},
		{"scrape_timeout", p.duration(&j.Timeout, time.Millisecond)},
		{"profiles", func(n *yaml.Node) error { return p.kinds(n, &j.Kinds) }},
		{"cpu_duration", p.wholeSeconds(&j.CPU)},
		{"budget", p.part(&j.Budget)},
		{"deltas", p.word(&j.deltas, "window", "subtract")},
		{"delta_duration", p.wholeSeconds(&j.Delta)},
	}
}

// job reads one of scrape_configs.
func (p *parser) job(n *yaml.Node, j *jobFields) error {
	var service, prefix *yaml.Node
	fields := append([]field{
		{"job_name", p.text(&j.Name)},
		{"service", func(n *yaml.Node) error { service = n; return p.text(&j.Service)(n) }},
		{"scheme", p.word(&j.Scheme, "http", "https")},
		{"path", func(n *yaml.Node) error { prefix = n; return p.text(&j.Path)(n) }},
		{"authorization", func(n *yaml.Node) error { return p.authorization(n, &j.Token) }},
		{"tls_config", func(n *yaml.Node) error { return p.tlsConfig(n, &j.tls) }},
		{"static_configs", func(n *yaml.Node) error {
			return p.list(n, func(n *yaml.Node) error { return p.static(n, &j.Static) })
		}},
		{"file_sd_configs", func(n *yaml.Node) error {
			return p.list(n, func(n *yaml.Node) error { return p.files(n, &j.Job) })
		}},
		{"dns_sd_configs", func(n *yaml.Node) error {
			return p.list(n, func(n *yaml.Node) error { return p.dns(n, &j.Job) })
		}},
		{"kubernetes_sd_configs", func(n *yaml.Node) error {
			return p.list(n, func(n *yaml.Node) error { return p.kubernetes(n, &j.Job) })
		}},
		{"relabel_configs", func(n *yaml.Node) error {
			return p.list(n, func(n *yaml.Node) error { return p.relabel(n, &j.Relabel) })
		}},
		{"triggers", func(n *yaml.Node) error { return p.triggers(n, &j.Triggers) }},
	}, p.scrapeFields(j)...)
	if err := p.object(n, fields); err != nil {
		return err
	}
	j.Path = strings.TrimRight(j.Path, "/")
	switch {
	case j.Name == "":
		return p.fail(n, "the job has no job_name", "")
	case len(j.Name) > 200:
		return p.fail(n, "job_name has more than 200 bytes", "")
	case service != nil && j.Service == "":
		return p.fail(service, "service is empty", "leave it out to use the job_name")
	case j.Path != "" && !strings.HasPrefix(j.Path, "/"), strings.ContainsAny(j.Path, "?#"):
		return p.fail(prefix, fmt.Sprintf("path %q is not the path of pprof handlers", j.Path), "write /debug/pprof")
	case len(j.Static) == 0 && len(j.sources) == 0:
		return p.fail(n, fmt.Sprintf("job %q has no targets", j.Name),
			"add static_configs, file_sd_configs, dns_sd_configs or kubernetes_sd_configs")
	}
	if j.deltas == "subtract" {
		j.Delta = 0
	}
	if cycle := j.Cycle(); cycle >= j.Interval {
		return p.fail(n, fmt.Sprintf("job %q measures for %v in each interval of %v", j.Name, cycle, j.Interval),
			"lower cpu_duration or delta_duration, set deltas: subtract, or raise scrape_interval")
	}
	return nil
}
