package worker

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/whet-go/whet/internal/load/record"
	"github.com/whet-go/whet/internal/load/workload"
)

// Options describe a run to its workers. Only Engine has a default.
type Options struct {
	// Engine is the engine to use; empty means the best one here.
	Engine Engine
	// MaxLoops is the largest number of event loops; there are no more than connections to any host.
	MaxLoops int
	// Hosts are the requests, with the connections of each host.
	Hosts []*workload.Host
	// Connections is the number of connections to all hosts.
	Connections int
	// Streams is the number of requests in flight on each connection: 1 without HTTP2.
	Streams int
	// Arrivals are the sending times of the open model; nil means the closed model.
	Arrivals *workload.Arrivals
	// Seed is the seed of random arrivals.
	Seed uint64
	// HTTP2 selects HTTP/2 for every connection, instead of HTTP/1.1.
	HTTP2 bool
	// NoKeepAlive opens a connection for each request.
	NoKeepAlive bool
	// OneByOne reads every answer as it comes.
	OneByOne bool
	// Warmup is the time before the measured part.
	Warmup time.Duration
	// End is when no more requests are sent, counted from the start of the run, warm-up included;
	// workload.Never means no bound.
	End time.Duration
	// Requests is the number of measured requests to send; 0 means no bound.
	Requests int64
	// Timeout bounds one request.
	Timeout time.Duration
	// TLS configures https connections.
	TLS *tls.Config
	// Rows is the number of rows of the table of targets.
	Rows int
}

// Pauses after a failed attempt to connect, in the closed model.
const (
	firstPause = time.Millisecond
	lastPause  = 50 * time.Millisecond
)

// lateTimeouts is how long a run may continue after the last request's timeout, which a busy
// machine may notice late.
const lateTimeouts = 10 * time.Second

// A Group is the workers of one run, and what they share.
type Group struct {
	Options
	engine   Engine
	workers  []worker
	rec      *record.Recorder
	start    time.Time // start of the run; origin of all times in workers
	sent     atomic.Int64
	connects atomic.Int64

	begin    chan struct{} // closed when requests may be sent
	finished sync.WaitGroup
	cancel   context.CancelFunc // of the workers' context

	choosing bool   // io_uring and epoll are compared in the run
	chosen   Choice // written by the first worker, and read after it has ended
	decided  atomic.Pointer[Engine]
	onEpoll  atomic.Int32 // workers that ended the comparison on epoll

	refused atomic.Pointer[error] // why the first failed attempt to connect failed
}

// A worker sends its share of the requests.
type worker interface {
	// prepare opens connections, as far as possible.
	prepare(ctx context.Context)
	// run sends requests until there are none left, or ctx is canceled.
	run(ctx context.Context)
}

// New creates the workers of the engine that o names, or else of the first that works here. It
// opens no connections yet.
func New(o Options) (*Group, error) {
	g := &Group{Options: o, begin: make(chan struct{})}
	var failed error
	engines := []Engine{IOUring, Epoll, NetHTTP}
	unmeasured := g.unmeasured()
	g.choosing = unmeasured == ""
	if o.Engine != "" {
		engines = []Engine{o.Engine}
		g.choosing = false
	}
	for _, e := range engines {
		err := g.use(e)
		if err == nil {
			g.engine = e
			switch {
			case o.Engine != "":
				g.chosen = Choice{Why: Requested, Text: "asked for"}
			case failed != nil:
				g.chosen = Choice{Why: Only, Text: failed.Error()}
			case !g.choosing:
				g.chosen = Choice{Why: Default, Text: "not compared with epoll: " + unmeasured}
			}
			return g, nil
		}
		failed = cmp.Or(failed, err)
		g.choosing = false
	}
	return nil, failed
}

// use creates the workers of an engine, with their recorder.
func (g *Group) use(e Engine) (err error) {
	switch e {
	case IOUring, Epoll:
		g.rec = record.New(g.loops(), g.Rows, g.Arrivals != nil)
		g.workers, err = newLoops(g, e)
	case NetHTTP:
		g.rec = record.New(g.clientShards(), g.Rows, g.Arrivals != nil)
		g.workers = newClients(g)
	default:
		err = fmt.Errorf("unknown engine (want %s, %s or %s)", IOUring, Epoll, NetHTTP)
	}
	return err
}

// loops returns the number of event loops: each has at least one connection.
func (g *Group) loops() int {
	n := min(g.MaxLoops, g.Connections)
	for _, h := range g.Hosts {
		n = min(n, h.Connections)
	}
	return n
}

// Prepare opens the connections. If none could be opened, it ends the workers and returns why. The
// workers end early when ctx is canceled.
func (g *Group) Prepare(ctx context.Context) error {
	var inner context.Context
	inner, g.cancel = context.WithCancel(ctx)
	var prepared sync.WaitGroup
	for _, w := range g.workers {
		prepared.Add(1)
		g.finished.Go(func() {
			w.prepare(inner)
			prepared.Done()
			<-g.begin
			w.run(inner)
		})
	}
	prepared.Wait()
	if err := g.refused.Load(); err != nil && g.connects.Load() == 0 && ctx.Err() == nil {
		g.cancel()
		close(g.begin)
		g.finished.Wait()
		return *err
	}
	return nil
}

// Begin starts sending, after Prepare. It returns the start of the run and a channel that is closed
// when all workers have ended.
func (g *Group) Begin() (start time.Time, done <-chan struct{}) {
	g.start = time.Now()
	close(g.begin)
	ended := make(chan struct{})
	go func() {
		g.finished.Wait()
		g.cancel()
		close(ended)
	}()
	return g.start, ended
}

// Recorder returns what the workers record to.
func (g *Group) Recorder() *record.Recorder { return g.rec }

// Connects returns the number of connections opened so far.
func (g *Group) Connects() int64 { return g.connects.Load() }

// Loops returns the number of event loops; 0 with [NetHTTP].
func (g *Group) Loops() int {
	if g.engine == NetHTTP {
		return 0
	}
	return len(g.workers)
}

// seed returns the seed of the arrivals of host i.
func (g *Group) seed(i int) uint64 { return g.Seed + uint64(i) }

// now returns the time of the run.
func (g *Group) now() time.Duration { return time.Since(g.start) }

// admit reports whether a request may be sent now (closed model), or one that was due at now (open
// model), and whether it is measured.
func (g *Group) admit(now time.Duration) (measured, ok bool) {
	if now >= g.End {
		return false, false
	}
	measured = now >= g.Warmup
	if measured && g.Requests > 0 && g.sent.Add(1) > g.Requests {
		return false, false
	}
	return measured, true
}
