package clickhouse_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	native "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/clickhouse"
	"github.com/whet-go/whet/store/clickhouse/clickhousetest"
	"github.com/whet-go/whet/store/storetest"
)

// count returns the result of a query that counts, on one server.
func count(t *testing.T, host, query string) uint64 {
	t.Helper()
	conn, err := native.Open(&native.Options{Addr: []string{host}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	var n uint64
	if err := conn.QueryRow(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// fleet returns profiles of services that no shard has alone.
func fleet() []store.Profile {
	var all []store.Profile
	for n := range 24 {
		all = append(all, storetest.Generated(fmt.Sprint("service", n%8), n-n%4, nil))
	}
	return all
}

// testDeduplication sends a batch again, by the same process and by another: the server has each row
// once, before it merges anything.
func testDeduplication(t *testing.T, servers *clickhousetest.Servers) {
	all := fleet()
	for range 2 {
		s := open(t, servers, "again", clickhouse.Options{})
		for range 2 {
			storetest.Write(t, s, "", all...)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	ids := map[store.ID]bool{}
	for i := range all {
		ids[store.NewID(&all[i])] = true
	}
	if n := count(t, servers.Hosts[0], "SELECT count() FROM again.profiles"); n != uint64(len(ids)) {
		t.Errorf("%d rows, want %d", n, len(ids))
	}
	for _, table := range []string{"stacks", "frames", "series"} {
		rows := count(t, servers.Hosts[0], "SELECT count() FROM again."+table)
		once := count(t, servers.Hosts[0], "SELECT count() FROM again."+table+" FINAL")
		if rows != once || rows == 0 {
			t.Errorf("%s: %d rows, of which %d differ", table, rows, once)
		}
	}
}

// testShardDown kills a shard and starts it again, while stores are open.
func testShardDown(t *testing.T, servers *clickhousetest.Servers, down int) {
	ctx := t.Context()
	database := fmt.Sprint("down", down)
	var warned []error
	warn := func(err error) { warned = append(warned, err) }
	strict := open(t, servers, database, clickhouse.Options{})
	partial := open(t, servers, database, clickhouse.Options{AllowPartial: true, Warn: warn})
	all := fleet()
	storetest.Write(t, strict, "", all...)
	query := store.Query{Kind: "cpu"}
	whole, stats, err := strict.Merge(ctx, query)
	if err != nil {
		t.Fatal(err)
	}
	if _, same, err := partial.Merge(ctx, query); err != nil || same != stats || len(warned) > 0 {
		t.Errorf("all shards are up: %+v, %v, warned of %v", same, err, warned)
	}
	servers.Kill(down)
	name := fmt.Sprintf("shard %d (%s)", down+1, servers.Hosts[down])
	for what, ask := range map[string]func(store.Reader) (int, error){
		"merge": func(r store.Reader) (int, error) {
			_, stats, err := r.Merge(ctx, query)
			return stats.Profiles, err
		},
		"series":   func(r store.Reader) (int, error) { l, err := r.Series(ctx, query); return len(l), err },
		"labels":   func(r store.Reader) (int, error) { l, err := r.LabelValues(ctx, query, "service"); return len(l), err },
		"types":    func(r store.Reader) (int, error) { l, err := r.Types(ctx, query); return len(l), err },
		"profiles": func(r store.Reader) (int, error) { l, err := r.Profiles(ctx, query, 0); return len(l), err },
		// One service, which may be on the other shard: whether it was there before is not known.
		"one": func(r store.Reader) (int, error) {
			l, err := r.Series(ctx, store.Query{Matchers: storetest.Matchers(t, "service=service1")})
			return len(l) + 1, err
		},
	} {
		if n, err := ask(strict); err == nil || !strings.Contains(err.Error(), name) || diag.Hint(err) == "" {
			t.Errorf("%s: %d, %v, want an error that names %s", what, n, err, name)
		}
		warned = nil
		n, err := ask(partial)
		var missing *store.PartialError
		if err != nil || n == 0 || len(warned) != 1 || !errors.As(warned[0], &missing) ||
			!slices.Equal(missing.Missing, []string{name}) {
			t.Errorf("%s of the rest: %d, %v, warned of %v", what, n, err, warned)
		}
	}
	if _, some, err := partial.Merge(ctx, query); err != nil || some.Profiles >= stats.Profiles {
		t.Errorf("the rest has %+v of %+v, %v", some, stats, err)
	}
	var reported []string
	allowed := store.AllowPartial(ctx, func(e *store.PartialError) { reported = append(reported, e.Missing...) })
	if n, err := strict.Series(allowed, query); err != nil || len(n) == 0 || !slices.Equal(reported, []string{name}) {
		t.Errorf("where partial answers are allowed: %d, %v, without %q", len(n), err, reported)
	}
	taken := 0
	for i := range 8 {
		err := strict.Takes(ctx, "", fmt.Sprint("service", i))
		if err == nil {
			taken++
		} else if !strings.Contains(err.Error(), name) {
			t.Errorf("service%d: %v, want an error that names %s", i, err, name)
		}
		p := storetest.Generated(fmt.Sprint("service", i), 200+i, nil)
		if stored := strict.Write(ctx, "", []store.Profile{p}); (stored == nil) != (err == nil) {
			t.Errorf("service%d: written: %v, but it says %v", i, stored, err)
		}
	}
	if taken == 0 || taken == 8 {
		t.Errorf("%d of 8 services are taken", taken)
	}
	// A group is on one shard: its leases are down with it, or not at all.
	lost := 0
	for i := range 12 {
		group := fmt.Sprint("group", i)
		all, err := strict.Renew(ctx, "", group, "a", time.Hour)
		switch {
		case err == nil && len(all) == 1:
		case errors.Is(err, store.ErrDown) && strings.Contains(err.Error(), name):
			lost++
		default:
			t.Errorf("%s: %d leases, %v", group, len(all), err)
		}
	}
	if lost == 0 || lost == 12 {
		t.Errorf("%d of 12 groups are down", lost)
	}
	more := storetest.Generated("service1", 100, nil)
	batch := append([]store.Profile{more}, all...)
	if err := strict.Write(ctx, "", batch); err == nil || !strings.Contains(err.Error(), name) {
		t.Errorf("writing: %v, want an error that names %s", err, name)
	}
	if err := servers.Run(ctx, down); err != nil {
		t.Fatal(err)
	}
	storetest.Write(t, strict, "", batch...)
	q := query
	q.To = more.Start
	again, same, err := strict.Merge(ctx, q)
	if err != nil || same != stats || storetest.ContentOf(again) != storetest.ContentOf(whole) {
		t.Errorf("after it is back: %+v, %v, want %+v", same, err, stats)
	}
	storetest.Clean(t, strict, stats.Profiles+1+taken)
}

// testPlaces compares where a store puts services with where a Distributed table looks for them, and finds the profiles
// of one that is elsewhere, as after a shard was added.
func testPlaces(t *testing.T, servers *clickhousetest.Servers) {
	ctx := t.Context()
	s := open(t, servers, "places", clickhouse.Options{})
	storetest.Write(t, s, "", fleet()...)
	storetest.Write(t, s, "tenant", fleet()...)
	used := map[string]bool{}
	for i := range 8 {
		service := fmt.Sprint("service", i)
		where := " WHERE tenant='' AND service='" + service + "'"
		if n := count(t, servers.Hosts[0], "SELECT count() FROM places.profiles"+where+
			" SETTINGS optimize_skip_unused_shards=1, force_optimize_skip_unused_shards=1"); n == 0 {
			t.Errorf("a Distributed table does not find %s", service)
		}
		for _, host := range servers.Hosts {
			if count(t, host, "SELECT count() FROM places.profiles_shard"+where) > 0 {
				used[host] = true
			}
		}
	}
	if len(used) != 2 {
		t.Errorf("services are on %v", used)
	}
	query := store.Query{Kind: "cpu", Matchers: storetest.Matchers(t, "service=service1")}
	whole, stats, err := s.Merge(ctx, query)
	if err != nil {
		t.Fatal(err)
	}
	from, to := servers.Hosts[0], servers.Hosts[1]
	if count(t, from, "SELECT count() FROM places.profiles_shard WHERE service='service1'") == 0 {
		from, to = to, from
	}
	for _, table := range []string{"profiles", "stacks", "frames"} {
		exec(t, to, fmt.Sprintf("INSERT INTO places.%s_shard SELECT * FROM remote('%s', places.%[1]s_shard) "+
			"WHERE service='service1'", table, from))
		exec(t, from, "ALTER TABLE places."+table+"_shard DELETE WHERE service='service1' SETTINGS mutations_sync=2")
	}
	// Frames alone are on the first one again, as of a writer that did not know yet.
	exec(t, from, fmt.Sprintf("INSERT INTO places.frames_shard SELECT * FROM remote('%s', places.frames_shard) "+
		"WHERE service='service1'", to))
	exec(t, to, "ALTER TABLE places.frames_shard DELETE WHERE service='service1' SETTINGS mutations_sync=2")
	s = open(t, servers, "places", clickhouse.Options{})
	for range 4 { // the first ones learn where the service is
		moved, same, err := s.Merge(ctx, query)
		if err != nil || same != stats || storetest.ContentOf(moved) != storetest.ContentOf(whole) {
			t.Errorf("moved: %+v, %v, want %+v", same, err, stats)
		}
	}
}
