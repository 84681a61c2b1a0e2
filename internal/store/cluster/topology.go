package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/whet-go/whet/internal/store/address"
	"github.com/whet-go/whet/internal/store/sql"
	"github.com/whet-go/whet/internal/store/symbols"
)

// A Shard is one of those of a cluster.
type Shard struct {
	Name   string      // "shard 2 (db2:9000)"
	Conn   driver.Conn // to the first host of the address that is one of its replicas
	weight uint64
}

// A Topology is what a cluster consists of. Shards are known if the address names a host of each.
type Topology struct {
	cluster string // "": one server

	mu      sync.Mutex
	servers []server // by host of the address
	shards  []*Shard // nil: not known, or a host of the address does not answer
	known   string   // what shards was made of
	asked   time.Time
	learned bool                  // the servers have answered, or failed to, before
	changed time.Time             // when the shards became others; zero: never since New
	places  map[symbols.Scope]int // of services: index of shards
	homes   map[symbols.Scope]*home
}

// A home is what is known of where the profiles of a service are. A shard that is not the one of the service has some
// if they were stored before a shard was added.
type home struct {
	shards  []int // indices of those that have profiles of the service, or get new ones
	checked time.Time
}

// server is a host of the address.
type server struct {
	host string
	conn driver.Conn
}

// Limits of how old a topology may be. A shard that was added is read after fresh at the latest; one that does not
// answer is tried again after retry.
const (
	fresh      = 5 * time.Second
	settled    = time.Minute // how long a shard without profiles of a service is not searched; after a change, all are
	retry      = 30 * time.Second
	askTimeout = 3 * time.Second
	maxKnown   = 100_000 // services
)

// New prepares a connection to each host of an address. Nothing is sent yet. Without a cluster nothing is connected.
func New(a *address.Address, cluster string) (*Topology, error) {
	t := &Topology{cluster: cluster, places: map[symbols.Scope]int{}, homes: map[symbols.Scope]*home{}}
	if cluster == "" {
		return t, nil
	}
	for _, host := range a.Hosts {
		one := *a
		one.Hosts = []string{host}
		conn, err := Connect(&one, a.Database)
		if err != nil {
			return nil, errors.Join(err, t.Close())
		}
		t.servers = append(t.servers, server{host, conn})
	}
	return t, nil
}

// Close closes the connections.
func (t *Topology) Close() (err error) {
	for _, x := range t.servers {
		err = errors.Join(err, x.conn.Close())
	}
	return err
}

// Current returns where to send queries now: to the shards, after reading them from the servers again if that was some
// time ago, or to whole if they are not known.
func (t *Topology) Current(ctx context.Context, whole Whole) Source {
	if t.cluster == "" {
		return Source{whole: whole}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	age := fresh
	if t.shards == nil {
		age = retry
	}
	if t.asked.IsZero() || time.Since(t.asked) > age {
		t.learn(ctx)
	}
	return Source{t: t, whole: whole, shards: t.shards}
}

// Forget has the servers asked again before the next query.
func (t *Topology) Forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asked = time.Time{}
}

// An answer is what a server knows of its cluster.
type answer struct {
	weights []uint64 // by shard
	local   int      // which of them the server is; -1: none
	err     error
}

// learn asks all hosts of the address which shard they are. The caller has locked t.
func (t *Topology) learn(ctx context.Context) {
	within, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	answers := make([]answer, len(t.servers))
	var all sync.WaitGroup
	for i, x := range t.servers {
		all.Go(func() {
			a := &answers[i]
			a.local = -1
			text := "SELECT toUInt64(any(shard_weight)), max(is_local) FROM system.clusters WHERE cluster=" +
				sql.Text(t.cluster) + " GROUP BY shard_num ORDER BY shard_num"
			a.err = Query(within, x.conn, text, nil, func(r driver.Rows) error {
				var weight uint64
				var local uint8
				if err := r.Scan(&weight, &local); err != nil {
					return err
				}
				if local != 0 {
					a.local = len(a.weights)
				}
				a.weights = append(a.weights, weight)
				return nil
			})
		})
	}
	all.Wait()
	if ctx.Err() != nil {
		return
	}
	shards, known := t.shardsOf(answers)
	t.set(shards, known, time.Now())
}

// set takes what the servers answered. Other processes may learn of a change later, and store profiles where they were
// until then, so that no shard is left out for some time.
func (t *Topology) set(shards []*Shard, known string, now time.Time) {
	first := !t.learned
	t.asked, t.learned = now, true
	if known == t.known {
		return
	}
	if !first {
		t.changed = now
	}
	t.shards, t.known = shards, known
	t.places, t.homes = map[symbols.Scope]int{}, map[symbols.Scope]*home{}
}

// shardsOf returns the shards, nil if a host of each did not answer, and what they are made of.
func (t *Topology) shardsOf(answers []answer) (shards []*Shard, known string) {
	var weights []uint64
	hosts := map[int][]string{}
	for i, a := range answers {
		if a.err != nil || a.local < 0 {
			continue // another host may be a replica of its shard
		}
		if shards == nil {
			weights = a.weights
			for _, w := range weights {
				shards = append(shards, &Shard{weight: w})
			}
		}
		if !slices.Equal(weights, a.weights) {
			return nil, "" // a server does not know of a change yet
		}
		if x := shards[a.local]; x.Conn == nil {
			x.Name, x.Conn = fmt.Sprintf("shard %d (%s)", a.local+1, t.servers[i].host), t.servers[i].conn
		}
		hosts[a.local] = append(hosts[a.local], t.servers[i].host)
	}
	for i, x := range shards {
		if x.Conn == nil {
			return nil, ""
		}
		known += fmt.Sprint(x.weight, hosts[i], ";")
	}
	return shards, known
}

// Places returns the index of the shard that a Distributed table gives each of the services to.
func (t *Topology) Places(ctx context.Context, f Source, services []symbols.Scope) (map[symbols.Scope]int, error) {
	out := map[symbols.Scope]int{}
	if f.shards == nil {
		return out, nil
	}
	var unknown []symbols.Scope
	t.mu.Lock()
	for _, k := range services {
		if i, ok := t.places[k]; ok {
			out[k] = i
		} else {
			unknown = append(unknown, k)
		}
	}
	t.mu.Unlock()
	for part := range slices.Chunk(unknown, 1000) {
		if err := f.hash(ctx, part, out); err != nil {
			return nil, err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.Equal(t.shards, f.shards) {
		return out, nil // the cluster was changed
	}
	if len(t.places) > maxKnown {
		clear(t.places)
	}
	for _, k := range unknown {
		t.places[k] = out[k]
	}
	return out, nil
}

// hash adds the index of the shard of each service to out.
func (f Source) hash(ctx context.Context, services []symbols.Scope, out map[symbols.Scope]int) error {
	total := uint64(0)
	for _, x := range f.shards {
		total += x.weight
	}
	if total == 0 {
		return errors.New("all shards of the cluster have weight 0")
	}
	var tenants, names []string
	for _, k := range services {
		tenants, names = append(tenants, k.Tenant), append(names, k.Service)
	}
	n := 0
	text := fmt.Sprintf("SELECT toUInt64(sipHash64(x, y) %% %d) FROM system.one ARRAY JOIN [%s] AS x, [%s] AS y", total,
		sql.Texts(tenants), sql.Texts(names))
	with := settings()
	with["max_query_size"] = 64 << 20
	err := Query(ctx, f.shards[0].Conn, text, with, func(r driver.Rows) error {
		var slot uint64
		if err := r.Scan(&slot); err != nil {
			return err
		}
		if n == len(services) {
			return errors.New("more rows than services")
		}
		i := 0
		for ; slot >= f.shards[i].weight; i++ {
			slot -= f.shards[i].weight
		}
		out[services[n]] = i
		n++
		return nil
	})
	if err == nil && n < len(services) {
		err = errors.New("fewer rows than services")
	}
	return err
}
