package scrape

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/whet-go/whet/internal/scrape/buffer"
	"github.com/whet-go/whet/internal/scrape/config"
	"github.com/whet-go/whet/internal/scrape/discover"
	"github.com/whet-go/whet/internal/scrape/relabel"
	"github.com/whet-go/whet/internal/scrape/share"
	"github.com/whet-go/whet/internal/terminal"
	"github.com/whet-go/whet/store"
)

// Defaults of Options.
const (
	DefaultConnections = 256
	DefaultMemory      = 256 << 20
)

const (
	// maxTargets is the number of targets of all jobs.
	maxTargets = 20_000
	// maxDecoders is the number of answers that are decoded at once, at most one for each CPU.
	maxDecoders = 4
	// flushTime is how long the store may take for the last profiles when Run ends.
	flushTime = 5 * time.Second
	// certificatesFor is how long files of certificates are used before they are read again.
	certificatesFor = time.Minute
)

// Options configure an Engine. Config and Writer are required.
type Options struct {
	Config *config.Config
	Writer store.Writer
	Tenant string // "" is that of a store with only one
	// Recordings takes the whole recordings of triggers; nil stores only their profiles.
	Recordings store.RecordingWriter
	// Connections is the number of targets that are scraped at once; 0 means DefaultConnections.
	Connections int
	// Memory is for answers, for the profiles that later ones are subtracted from, and for profiles
	// that wait for the store, in bytes; 0 means DefaultMemory. Decoding takes up to 128 MiB more for
	// each CPU, at most four.
	Memory int64
	// Buffer keeps what Writer and Recordings do not take; nil means that profiles wait in memory. The
	// caller closes it, after Run.
	Buffer *buffer.Buffer
	// Leases are where processes that share a name divide their targets; Config.Share has no effect
	// without.
	Leases store.LeaseWriter
	// Version is that of whet, for recordings.
	Version string

	// Event, if set, is called after each scrape, and Warn with what concerns no single target.
	Event func(Event)
	Warn  func(error)
	// Dial connects to targets; nil means a net.Dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// An Engine scrapes the targets of a configuration.
type Engine struct {
	o        Options
	queue    *queue
	answers  *room // memory for bodies
	bases    *room // memory for profiles that are subtracted from later ones
	decoders slots
	slots    slots
	suspects slots          // for targets that failed
	sending  slots          // for recordings in memory
	jobs     []*job         // guarded by mu
	work     sync.WaitGroup // of targets
	share    *share.Share   // nil: this process has all targets
	reloads  chan reload
	ended    chan struct{} // closed when Run no longer takes reloads

	mu    sync.Mutex // guards the rest, the states of targets and callbacks of events
	hosts map[string]*host
	count int // of targets

	calls sync.Mutex // one callback at a time
}

// A job has the targets of one part of the configuration.
type job struct {
	*config.Job
	e *Engine

	rebuild sync.Mutex // one at a time
	ctx     context.Context
	stop    context.CancelFunc
	running sync.WaitGroup // sources

	// Guarded by e.mu:
	sets    [][]map[string]string // targets of each source, those of Static first
	trouble []error               // of each source
	invalid error                 // of targets that relabeling made invalid
	targets map[string]*target
	away    map[string]*target // those that other processes have

	certs struct { // the last TLS configuration
		sync.Mutex
		at     time.Time
		config *tls.Config
	}
}

// New returns an engine that does nothing until Run.
func New(o Options) *Engine {
	o.Connections, o.Memory = cmp.Or(o.Connections, DefaultConnections), cmp.Or(o.Memory, DefaultMemory)
	if o.Event == nil {
		o.Event = func(Event) {}
	}
	if o.Warn == nil {
		o.Warn = func(error) {}
	}
	if o.Dial == nil {
		o.Dial = (&net.Dialer{}).DialContext
	}
	e := &Engine{
		o: o, answers: newRoom(o.Memory / 4), bases: newRoom(o.Memory / 4), hosts: map[string]*host{},
		decoders: make(slots, min(maxDecoders, runtime.GOMAXPROCS(0))),
		slots:    make(slots, o.Connections), suspects: make(slots, max(1, o.Connections/4)),
		sending: make(slots, 1),
		reloads: make(chan reload), ended: make(chan struct{}),
	}
	e.queue = newQueue(&e.o, newRoom(o.Memory/2), e.warn)
	for i := range o.Config.Jobs {
		e.jobs = append(e.jobs, e.newJob(&o.Config.Jobs[i]))
	}
	if c := o.Config.Share; c.Name != "" && o.Leases != nil {
		e.share = share.New(share.Options{
			Store: o.Leases, Tenant: o.Tenant, Group: c.Name, Time: c.Lease, Changed: e.divide, Warn: e.warn,
		})
	}
	return e
}

func (e *Engine) newJob(c *config.Job) *job {
	j := &job{Job: c, e: e, targets: map[string]*target{}}
	j.sets, j.trouble = make([][]map[string]string, 1+len(c.Sources())), make([]error, 1+len(c.Sources()))
	j.sets[0] = c.Static
	return j
}

// warn reports what concerns no single target.
func (e *Engine) warn(err error) {
	e.calls.Lock()
	defer e.calls.Unlock()
	e.o.Warn(err)
}

func (e *Engine) event(v Event) {
	e.calls.Lock()
	defer e.calls.Unlock()
	e.o.Event(v)
}

// Run scrapes until ctx ends. Profiles that wait for the store then have a few seconds. It must be
// called once.
func (e *Engine) Run(ctx context.Context) {
	queued := make(chan struct{})
	store, stop := context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(queued)
		e.queue.run(store)
	}()
	for _, j := range e.jobs {
		j.start(ctx)
	}
	holding, release := context.WithCancel(context.WithoutCancel(ctx))
	var sharing sync.WaitGroup
	if e.share != nil {
		sharing.Go(func() { e.share.Run(holding) })
		sharing.Go(func() { e.publish(ctx) })
	}
	for ctx.Err() == nil {
		select {
		case r := <-e.reloads:
			r.done <- e.reload(ctx, r.config)
		case <-ctx.Done():
		}
	}
	close(e.ended)
	for _, j := range e.jobs {
		j.end()
	}
	e.work.Wait()
	release() // others may scrape now
	sharing.Wait()
	e.queue.close()
	select {
	case <-queued:
	case <-time.After(flushTime):
	}
	stop()
	<-queued
}

// start begins to scrape a job's targets.
func (j *job) start(ctx context.Context) {
	j.rebuild.Lock()
	j.ctx, j.stop = context.WithCancel(ctx)
	j.rebuild.Unlock()
	j.update()
	for i, s := range j.Sources() {
		j.running.Go(func() {
			s.Run(j.ctx, func(targets []map[string]string, err error) {
				j.e.mu.Lock()
				before := j.trouble[1+i]
				j.sets[1+i], j.trouble[1+i] = targets, err
				j.e.mu.Unlock()
				if err != nil && (before == nil || before.Error() != err.Error()) {
					j.e.warn(fmt.Errorf("job %s: %w", j.Name, err))
				}
				j.update()
			})
		})
	}
}

// end stops the sources of a job, and tells its targets to end.
func (j *job) end() {
	j.stop()
	j.running.Wait()
	j.rebuild.Lock()
	defer j.rebuild.Unlock()
	_ = j.replace(nil, nil, nil) // nothing is invalid
}

// reload is a configuration that Run is to take.
type reload struct {
	config *config.Config
	done   chan int
}

// Reload replaces the configuration while Run runs, and returns how many jobs are new or changed. Jobs
// that are written as before go on undisturbed; those that are not in the new configuration, or changed,
// end, and scrapes that they have begun are canceled. After Run has ended it does nothing.
func (e *Engine) Reload(c *config.Config) int {
	if c.Share != e.o.Config.Share {
		e.warn(errors.New("share in the configuration has changed, which takes effect when whet is started again"))
	}
	r := reload{c, make(chan int, 1)}
	select {
	case e.reloads <- r:
		return <-r.done
	case <-e.ended:
		return 0
	}
}

func (e *Engine) reload(ctx context.Context, c *config.Config) (changed int) {
	jobs := make([]*job, 0, len(c.Jobs))
	kept := map[*job]bool{}
	for i := range c.Jobs {
		at := slices.IndexFunc(e.jobs, func(j *job) bool { return j.Same(&c.Jobs[i]) })
		if at < 0 {
			jobs = append(jobs, e.newJob(&c.Jobs[i]))
			continue
		}
		kept[e.jobs[at]] = true
		jobs = append(jobs, e.jobs[at])
	}
	for _, j := range e.jobs {
		if !kept[j] {
			j.end()
		}
	}
	e.mu.Lock()
	e.jobs = jobs
	e.mu.Unlock()
	for _, j := range jobs {
		if !kept[j] {
			j.start(ctx)
			changed++
		}
	}
	return changed
}

// update starts and stops targets by what the sources of a job have now.
func (j *job) update() {
	j.rebuild.Lock()
	defer j.rebuild.Unlock()
	if j.ctx == nil {
		return // start has not been called
	}
	j.e.mu.Lock()
	sets := slices.Clone(j.sets)
	j.e.mu.Unlock()

	found, away := map[string]*target{}, map[string]*target{}
	var invalid error
	for _, set := range sets {
		for _, labels := range set {
			t, err := j.target(labels)
			switch {
			case err != nil:
				invalid = err
			case t != nil && t.mine():
				found[t.key] = t
			case t != nil:
				away[t.key] = t
			}
		}
	}

	if err := j.replace(found, away, invalid); err != nil {
		j.e.warn(fmt.Errorf("job %s: %w", j.Name, err))
	}
}

// replace makes found the targets of a job, and away those of other processes. It returns what is wrong
// with others if that is news.
func (j *job) replace(found, away map[string]*target, invalid error) (news error) {
	e := j.e
	e.mu.Lock()
	defer e.mu.Unlock()
	before := j.invalid
	j.away = away
	for key, t := range j.targets {
		if found[key] == nil {
			t.stop()
			delete(j.targets, key)
			e.count--
		}
	}
	for _, key := range slices.Sorted(maps.Keys(found)) {
		if j.targets[key] != nil || j.ctx.Err() != nil {
			continue
		}
		if e.count == maxTargets {
			invalid = fmt.Errorf("more than %d targets", maxTargets)
			break
		}
		t := found[key]
		t.host = e.hosts[t.url]
		if t.host == nil {
			t.host = &host{busy: make(slots, 1)}
			e.hosts[t.url] = t.host
		}
		t.host.users++
		j.targets[key] = t
		e.count++
		ctx, stop := context.WithCancel(j.ctx)
		t.stop = stop
		e.work.Go(func() {
			t.run(ctx)
			stop()
			t.forget()
		})
		if j.Triggers.Any() {
			e.work.Go(func() { t.watch(ctx) })
		}
	}
	if j.invalid = invalid; invalid != nil && (before == nil || before.Error() != invalid.Error()) {
		return invalid
	}
	return nil
}

// Labels that choose the address of a target.
const (
	schemeLabel = "__scheme__"
	pathLabel   = "__pprof_path__"
)

// target returns the target that labels describe; nil if rules drop it.
func (j *job) target(given map[string]string) (*target, error) {
	labels := maps.Clone(given)
	for name, value := range map[string]string{schemeLabel: j.Scheme, pathLabel: j.Path, "job": j.Name} {
		if labels[name] == "" {
			labels[name] = value
		}
	}
	labels, err := relabel.Apply(labels, j.Relabel)
	if labels == nil || err != nil {
		return nil, err
	}
	address, scheme, path := labels[discover.Address], labels[schemeLabel], strings.TrimRight(labels[pathLabel], "/")
	if err := discover.CheckAddress(address); err != nil {
		return nil, err
	}
	if scheme != "http" && scheme != "https" {
		return nil, fmt.Errorf("%s: %s is %.40q (want http or https)", address, schemeLabel, scheme)
	}
	if path != "" && !strings.HasPrefix(path, "/") || strings.ContainsFunc(path, func(r rune) bool {
		return r <= ' ' || r > '~' || r == '?' || r == '#' || r == '\\'
	}) {
		return nil, fmt.Errorf("%s: %s %.100q is not a path", address, pathLabel, path)
	}
	if labels["instance"] == "" {
		labels["instance"] = address
	}
	service := cmp.Or(labels[store.ServiceLabel], j.Service, j.Name)
	for name := range labels {
		if strings.HasPrefix(name, "__") || name == store.ServiceLabel {
			delete(labels, name)
		}
	}
	t := &target{
		job: j, url: scheme + "://" + address + path, service: service, labels: store.NewLabels(labels),
		bases: map[string]base{},
	}
	t.key = t.url + " " + service + t.labels.String()
	check := store.Profile{Service: service, Kind: config.CPU, Labels: t.labels}
	if l := (store.Limits{}).WithDefaults(); len(check.Labels) > l.Labels || len(service) > l.LabelValue {
		return nil, fmt.Errorf("%s: more than %d labels, or a service longer than %d bytes", address, l.Labels, l.LabelValue)
	}
	return t, nil
}

// tlsConfig returns the TLS configuration of a job; nil means the system's roots.
func (j *job) tlsConfig(now time.Time) (*tls.Config, error) {
	c := &j.certs
	c.Lock()
	defer c.Unlock()
	if c.at.IsZero() || now.Sub(c.at) > certificatesFor {
		fresh, err := j.TLS()
		if err != nil {
			return nil, err
		}
		c.at, c.config = now, fresh
	}
	return c.config, nil
}

// clean returns an error's text, for one line of a terminal, a log or a document.
func clean(err error) string { return cleanText(err.Error()) }

// cleanText returns one line of text, bounded.
func cleanText(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > 500 {
		text = text[:500] + "…"
	}
	return terminal.Clean(strings.ToValidUTF8(text, "\uFFFD"))
}

// errRoom is the error of scrapes for which there was no memory.
var errRoom = errors.New("the memory for answers is used up; there are too many large ones at once")
