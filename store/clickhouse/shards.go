package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	native "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/whet-go/whet/internal/store/sql"
)

// A shard is one of those of a cluster: its tables are read and written without a Distributed table, whose
// queries take three times as long.
type shard struct {
	name   string // "shard 2 (db2:9000)"
	weight uint64
	conn   driver.Conn // to the first host of the address that is one of its replicas
}

// topology is what a cluster consists of. Shards are known if the address names a host of each.
type topology struct {
	mu      sync.Mutex
	servers []server // by host of the address
	shards  []*shard // nil: not known, or a host of the address does not answer
	known   string   // what shards was made of
	asked   time.Time
	places  map[scope]int // of services: index of shards
	homes   map[scope]*home
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
	settled    = time.Minute // how long a shard without profiles of a service is not searched for them
	retry      = 30 * time.Second
	askTimeout = 3 * time.Second
)

// source is where the queries of one answer go: to the tables of each shard, or without shards to those that have
// all rows.
type source struct {
	s      *Store
	shards []*shard
	idle   []*shard // the others of the cluster, which have nothing of what is read, but must answer
	few    bool     // a service is read, which had few samples the last time
}

// ofService returns where to read a service, and whether it would be good to know more of that: see findHome.
func (f source) ofService(k scope) (_ source, find bool) {
	f.few = f.s.known.few(k)
	if len(f.shards) < 2 {
		return f, false
	}
	t := &f.s.topology
	t.mu.Lock()
	defer t.mu.Unlock()
	h := t.homes[k]
	switch {
	case h == nil:
		if len(t.homes) > 100_000 {
			clear(t.homes)
		}
		t.homes[k] = &home{} // it may not be read again
		return f, false
	case time.Since(h.checked) > settled:
		return f, true
	}
	out := source{s: f.s, few: f.few}
	for i, x := range f.shards {
		if slices.Contains(h.shards, i) {
			out.shards = append(out.shards, x)
		} else {
			out.idle = append(out.idle, x)
		}
	}
	return out, false
}

// findHome finds out on which shards a service is.
func (f source) findHome(ctx context.Context, k scope) error {
	t := &f.s.topology
	begun := time.Now()
	places, err := t.place(ctx, f, []scope{k})
	if err != nil {
		return err
	}
	h := &home{checked: begun}
	var mu sync.Mutex
	has := func(i int) {
		mu.Lock()
		defer mu.Unlock()
		if !slices.Contains(h.shards, i) {
			h.shards = append(h.shards, i)
		}
	}
	err = f.each(ctx, func(ctx context.Context, i int) error {
		if i == places[k] {
			has(i)
			return nil
		}
		return f.s.queryOn(ctx, f.shards[i].conn, "SELECT 1 FROM profiles_shard PREWHERE "+k.where()+" LIMIT 1", nil,
			func(driver.Rows) error { has(i); return nil })
	})
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if slices.Equal(t.shards, f.shards) { // else the cluster was changed
		t.homes[k] = h
	}
	return nil
}

// alive returns an error unless the shards that are not read answer.
func (f source) alive(ctx context.Context) error {
	for _, x := range f.idle {
		err := x.conn.Ping(ctx)
		if err != nil && broken(err) && ctx.Err() == nil {
			err = x.conn.Ping(ctx) // the server has closed the connection
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// settings returns those of queries of profiles.
func (f source) settings() native.Settings {
	if f.few {
		return oneThread()
	}
	return nil
}

// oneThread returns the settings of queries of few rows: more threads would take more time to start than to read them.
func oneThread() native.Settings { return native.Settings{"max_threads": 1} }

// table returns the name of a table in a query.
func (f source) table(name string) string {
	if f.shards == nil {
		return name
	}
	return name + "_shard"
}

// query runs a query on each shard at once and calls scan for each row, but not at once.
func (f source) query(ctx context.Context, text string, more native.Settings, scan func(driver.Rows) error) error {
	if f.shards == nil {
		return f.s.query(ctx, text, more, scan)
	}
	var mu sync.Mutex
	return f.each(ctx, func(ctx context.Context, i int) error {
		return f.s.queryOn(ctx, f.shards[i].conn, text, more, func(r driver.Rows) error {
			mu.Lock()
			defer mu.Unlock()
			return scan(r)
		})
	})
}

// on returns the connection for the shard number i of each.
func (f source) on(i int) driver.Conn {
	if f.shards == nil {
		return f.s.conn
	}
	return f.shards[i].conn
}

// each calls work for each shard at once, or once if there are none, and returns the first error.
func (f source) each(ctx context.Context, work func(ctx context.Context, i int) error) error {
	n := max(1, len(f.shards))
	if n == 1 {
		return work(ctx, 0)
	}
	inner, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			if err := work(inner, i); err != nil {
				stop(err)
			}
		})
	}
	all.Wait()
	if err := context.Cause(inner); err != nil {
		return err
	}
	return nil
}

// source returns where to send queries now.
func (s *Store) source(ctx context.Context) source {
	if s.cluster == "" {
		return source{s: s}
	}
	return source{s: s, shards: s.topology.current(ctx, s)}
}

// current returns the shards, read from the servers again if that was some time ago; nil if they are not known.
func (t *topology) current(ctx context.Context, s *Store) []*shard {
	t.mu.Lock()
	defer t.mu.Unlock()
	age := fresh
	if t.shards == nil {
		age = retry
	}
	if t.asked.IsZero() || time.Since(t.asked) > age {
		t.learn(ctx, s)
	}
	if t.homes == nil {
		t.places, t.homes = map[scope]int{}, map[scope]*home{}
	}
	return t.shards
}

// forget has the servers asked again before the next query.
func (t *topology) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asked = time.Time{}
}

// learn asks all hosts of the address which shard they are. The caller has locked t.
func (t *topology) learn(ctx context.Context, s *Store) {
	within, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	type answer struct {
		weights []uint64 // by shard
		local   int      // which of them the server is; -1: none
		err     error
	}
	answers := make([]answer, len(t.servers))
	var all sync.WaitGroup
	for i, x := range t.servers {
		all.Go(func() {
			a := &answers[i]
			a.local = -1
			text := "SELECT toUInt64(any(shard_weight)), max(is_local) FROM system.clusters WHERE cluster=" +
				sql.Text(s.cluster) + " GROUP BY shard_num ORDER BY shard_num"
			a.err = s.queryOn(within, x.conn, text, nil, func(r driver.Rows) error {
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
	t.asked = time.Now()
	var weights []uint64
	var shards []*shard
	hosts := map[int][]string{}
	for i, a := range answers {
		if a.err != nil || a.local < 0 {
			continue // another host may be a replica of its shard
		}
		if shards == nil {
			weights = a.weights
			for _, w := range weights {
				shards = append(shards, &shard{weight: w})
			}
		}
		if !slices.Equal(weights, a.weights) {
			shards = nil // a server does not know of a change yet
			break
		}
		if shards[a.local].conn == nil {
			shards[a.local].name = fmt.Sprintf("shard %d (%s)", a.local+1, t.servers[i].host)
			shards[a.local].conn = t.servers[i].conn
		}
		hosts[a.local] = append(hosts[a.local], t.servers[i].host)
	}
	if slices.ContainsFunc(shards, func(x *shard) bool { return x.conn == nil }) {
		shards = nil
	}
	known := ""
	for i, x := range shards {
		known += fmt.Sprint(x.weight, hosts[i], ";")
	}
	if known == t.known {
		return
	}
	t.shards, t.known = shards, known
	t.places, t.homes = map[scope]int{}, map[scope]*home{}
}

// connectServers prepares a connection to each host of the address. Nothing is sent yet.
func (t *topology) connectServers(a *Address) error {
	for _, host := range a.Hosts {
		one := *a
		one.Hosts = []string{host}
		conn, err := connect(&one, a.Database)
		if err != nil {
			return err
		}
		t.servers = append(t.servers, server{host, conn})
	}
	return nil
}

func (t *topology) close() (err error) {
	for _, x := range t.servers {
		err = errors.Join(err, x.conn.Close())
	}
	return err
}

// place returns the index of the shard that a Distributed table would give each of the services to.
func (t *topology) place(ctx context.Context, f source, services []scope) (map[scope]int, error) {
	out := map[scope]int{}
	if f.shards == nil {
		return out, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	var unknown []scope
	for _, k := range services {
		if i, ok := t.places[k]; ok {
			out[k] = i
		} else {
			unknown = append(unknown, k)
		}
	}
	total := uint64(0)
	for _, x := range f.shards {
		total += x.weight
	}
	if total == 0 {
		return nil, errors.New("all shards of the cluster have weight 0")
	}
	for part := range slices.Chunk(unknown, 1000) {
		var tenants, names []string
		for _, k := range part {
			tenants, names = append(tenants, k.tenant), append(names, k.service)
		}
		n := 0
		text := fmt.Sprintf("SELECT toUInt64(sipHash64(x, y) %% %d) FROM system.one ARRAY JOIN [%s] AS x, [%s] AS y", total,
			sql.Texts(tenants), sql.Texts(names))
		err := f.s.queryOn(ctx, f.shards[0].conn, text, nil, func(r driver.Rows) error {
			var slot uint64
			if err := r.Scan(&slot); err != nil {
				return err
			}
			if n == len(part) {
				return errors.New("more rows than services")
			}
			i := 0
			for ; slot >= f.shards[i].weight; i++ {
				slot -= f.shards[i].weight
			}
			out[part[n]] = i
			n++
			return nil
		})
		if err == nil && n < len(part) {
			err = errors.New("fewer rows than services")
		}
		if err != nil {
			return nil, err
		}
	}
	if len(t.places) > 100_000 {
		clear(t.places)
	}
	for k, i := range out {
		t.places[k] = i
	}
	return out, nil
}
