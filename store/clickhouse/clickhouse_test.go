package clickhouse_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	native "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/profile/profiletest"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/clickhouse"
	"github.com/whet-go/whet/store/clickhouse/clickhousetest"
	"github.com/whet-go/whet/store/storetest"
)

// on returns the stores on servers, each in a separate database.
func on(servers *clickhousetest.Servers) storetest.Store {
	return storetest.Store{Open: func(tb testing.TB, name string, o storetest.Options) storetest.Maintained {
		tb.Helper()
		return open(tb, servers, name, clickhouse.Options{
			Limits: o.Limits, Retention: o.Retention, Now: o.Now, Interval: -1,
		})
	}}
}

// open opens a store, whose tables it creates if needed.
func open(tb testing.TB, servers *clickhousetest.Servers, database string, o clickhouse.Options) *clickhouse.Store {
	tb.Helper()
	a, err := clickhouse.ParseAddress(servers.Address(database))
	if err != nil {
		tb.Fatal(err)
	}
	m := clickhouse.MigrateOptions{Version: "test", Unreplicated: !servers.HasKeeper()}
	if _, err := clickhouse.Migrate(tb.Context(), a, m); err != nil {
		tb.Fatal(err)
	}
	if o.Warn == nil {
		o.Warn = func(err error) { tb.Error(err) }
	}
	s, err := clickhouse.Open(tb.Context(), a, o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// TestServer runs the tests of all stores on one server.
func TestServer(t *testing.T) {
	servers := clickhousetest.ForTest(t, clickhousetest.Options{})
	t.Run("Store", func(t *testing.T) { storetest.Run(t, on(servers)) })
	t.Run("Deduplication", func(t *testing.T) { testDeduplication(t, servers) })
	t.Run("Migrate", func(t *testing.T) { testMigrate(t, servers) })
	t.Run("Format1", func(t *testing.T) { testFormat1(t, servers) })
	t.Run("Open", func(t *testing.T) { testOpen(t, servers) })
	t.Run("Expiry", func(t *testing.T) { testExpiry(t, servers) })
	t.Run("Size", func(t *testing.T) { testSize(t, servers) })
	t.Run("Damage", func(t *testing.T) { testDamage(t, servers) })
	t.Run("Grants", func(t *testing.T) { testGrants(t, servers) })
	t.Run("LostAnswer", func(t *testing.T) { testLostAnswer(t, servers) })
}

// TestShards runs them on two shards that are not replicated.
func TestShards(t *testing.T) {
	servers := clickhousetest.ForTest(t, clickhousetest.Options{Shards: 2})
	t.Run("Store", func(t *testing.T) { storetest.Run(t, on(servers)) })
	t.Run("Deduplication", func(t *testing.T) { testDeduplication(t, servers) })
	t.Run("Grants", func(t *testing.T) { testGrants(t, servers) })
	t.Run("Places", func(t *testing.T) { testPlaces(t, servers) })
	t.Run("Older", func(t *testing.T) { testOlder(t, servers) })
	t.Run("Size", func(t *testing.T) { testSize(t, servers) })
	for down := range 2 {
		t.Run(fmt.Sprint("ShardDown", down+1), func(t *testing.T) { testShardDown(t, servers, down) })
	}
}

// TestReplicated runs them on two shards with a Keeper.
func TestReplicated(t *testing.T) {
	servers := clickhousetest.ForTest(t, clickhousetest.Options{Shards: 2, Keeper: true})
	t.Run("Store", func(t *testing.T) { storetest.Run(t, on(servers)) })
	t.Run("Deduplication", func(t *testing.T) { testDeduplication(t, servers) })
	t.Run("Grants", func(t *testing.T) { testGrants(t, servers) })
	t.Run("ShardDown", func(t *testing.T) { testShardDown(t, servers, 1) })
}

// exec runs a statement on one server.
func exec(t *testing.T, host, text string) {
	t.Helper()
	conn, err := native.Open(&native.Options{Addr: []string{host}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if err := conn.Exec(t.Context(), text); err != nil {
		t.Fatal(err)
	}
}

func address(t *testing.T, servers *clickhousetest.Servers, database string) *clickhouse.Address {
	t.Helper()
	a, err := clickhouse.ParseAddress(servers.Address(database))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func testMigrate(t *testing.T, servers *clickhousetest.Servers) {
	ctx := t.Context()
	a := address(t, servers, "migrated")
	for _, state := range []string{"no database", "no tables"} {
		_, err := clickhouse.Open(ctx, a, clickhouse.Options{})
		if err == nil || !strings.Contains(diag.Hint(err), "migrate") {
			t.Errorf("%s: %v, hint %q", state, err, diag.Hint(err))
		}
		exec(t, servers.Hosts[0], "CREATE DATABASE IF NOT EXISTS migrated")
	}
	for _, from := range []int{0, clickhouse.Format, clickhouse.Format} {
		m, err := clickhouse.Migrate(ctx, a, clickhouse.MigrateOptions{Version: "v1"})
		if err != nil || m.From != from || m.To != clickhouse.Format || m.Cluster != "" {
			t.Errorf("%+v, %v, want from %d", m, err, from)
		}
	}
	if n := count(t, servers.Hosts[0], "SELECT count() FROM migrated.versions WHERE by='v1'"); n != clickhouse.Format {
		t.Errorf("%d versions", n)
	}
	// Without the record of the version, as after an interruption, all statements run again.
	exec(t, servers.Hosts[0], "TRUNCATE TABLE migrated.versions")
	if m, err := clickhouse.Migrate(ctx, a, clickhouse.MigrateOptions{}); err != nil || m.From != 0 {
		t.Errorf("%+v, %v", m, err)
	}
	other := *a
	other.Cluster = "others"
	if _, err := clickhouse.Migrate(ctx, &other, clickhouse.MigrateOptions{}); err == nil ||
		!strings.Contains(err.Error(), "on one server, not on others") {
		t.Errorf("another cluster: %v", err)
	}
	other.Database = "clustered"
	if _, err := clickhouse.Migrate(ctx, &other, clickhouse.MigrateOptions{Unreplicated: true}); err == nil ||
		!strings.Contains(err.Error(), "knows no cluster others") {
		t.Errorf("an unknown cluster: %v", err)
	}
	exec(t, servers.Hosts[0], "INSERT INTO migrated.versions (version) VALUES (99)")
	if _, err := clickhouse.Migrate(ctx, a, clickhouse.MigrateOptions{}); err == nil ||
		!strings.Contains(err.Error(), "format 99; this whet reads format") || diag.Hint(err) != "use a newer whet" {
		t.Errorf("a newer version: %v", err)
	}
	if _, err := clickhouse.Open(ctx, a, clickhouse.Options{}); err == nil || !strings.Contains(err.Error(), "format 99") {
		t.Errorf("a newer version: %v", err)
	}
}

func testOpen(t *testing.T, servers *clickhousetest.Servers) {
	ctx := t.Context()
	exec(t, servers.Hosts[0], "CREATE USER IF NOT EXISTS whet IDENTIFIED BY 'the-password'")
	t.Setenv(clickhouse.PasswordVariable, "a-wrong-one")
	a := address(t, servers, "opened")
	a.User = "whet"
	_, err := clickhouse.Open(ctx, a, clickhouse.Options{})
	if err == nil || !strings.Contains(err.Error(), `refuses user "whet"`) ||
		strings.Contains(fmt.Sprint(err, diag.Hint(err)), "a-wrong-one") {
		t.Errorf("a wrong password: %v", err)
	}
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte("the-password\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	exec(t, servers.Hosts[0], "GRANT CURRENT GRANTS ON *.* TO whet")
	text := strings.Replace(servers.Address("opened"), "://", "://whet@", 1) + "?password_file=" + file
	if a, err = clickhouse.ParseAddress(text); err != nil {
		t.Fatal(err)
	}
	if _, err := clickhouse.Migrate(ctx, a, clickhouse.MigrateOptions{}); err != nil {
		t.Fatal(err)
	}
	s, err := clickhouse.Open(ctx, a, clickhouse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	batch := []store.Profile{storetest.Generated("shop", 1, nil)}
	if err := s.Write(ctx, "", batch); !errors.Is(err, clickhouse.ErrClosed) {
		t.Errorf("writing to a closed store: %v", err)
	}
	unreachable, err := clickhouse.ParseAddress("clickhouse://127.0.0.1:1/opened")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := clickhouse.Open(ctx, unreachable, clickhouse.Options{}); err == nil || !strings.Contains(err.Error(),
		"clickhouse://127.0.0.1:1/opened") || !strings.Contains(diag.Hint(err), "native protocol") {
		t.Errorf("no server: %v, hint %q", err, diag.Hint(err))
	}
}

// testExpiry has the server delete by itself what is old.
func testExpiry(t *testing.T, servers *clickhousetest.Servers) {
	s := open(t, servers, "expiry", clickhouse.Options{})
	old, fresh := storetest.Generated("shop", 0, nil), storetest.Generated("mail", 1, nil)
	old.Start, fresh.Start = time.Now().Add(-100*24*time.Hour), time.Now().Add(-time.Hour)
	storetest.Write(t, s, "", old, fresh)
	set := func(age time.Duration) {
		t.Helper()
		_, err := clickhouse.Migrate(t.Context(), address(t, servers, "expiry"), clickhouse.MigrateOptions{Retention: &age})
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range []string{"profiles", "series", "stacks", "frames"} {
			exec(t, servers.Hosts[0], "OPTIMIZE TABLE expiry."+table+" FINAL")
		}
	}
	set(0) // there is none to end
	storetest.Clean(t, s, 2)
	set(30 * 24 * time.Hour)
	if list, err := s.Profiles(t.Context(), store.Query{}, 0); err != nil || len(list) != 1 || list[0].Service != "mail" {
		t.Errorf("%+v, %v", list, err)
	}
	storetest.Clean(t, s, 1)
	for _, table := range []string{"series", "stacks", "frames"} {
		if n := count(t, servers.Hosts[0], "SELECT count() FROM expiry."+table+" WHERE service='shop'"); n != 0 {
			t.Errorf("%d rows of a service without profiles in %s", n, table)
		}
	}
	set(0)
	storetest.Write(t, s, "", old)
	storetest.Clean(t, s, 2)
}

// testSize deletes the first hours of profiles and recordings, as many as are above a size.
func testSize(t *testing.T, servers *clickhousetest.Servers) {
	ctx := t.Context()
	s := open(t, servers, "size", clickhouse.Options{})
	const hours, each = 48, 4
	for hour := range hours {
		var batch []store.Profile
		for n := range each {
			p := storetest.Generated(fmt.Sprint("service", n), 0, map[string]string{"n": fmt.Sprint(hour)})
			seed := uint64(hour*each + n) //nolint:gosec // positive
			p.Data = profiletest.Generate(profiletest.Options{Seed: seed, Samples: 1500, MaxDepth: 8})
			p.Start = storetest.Epoch().Add(time.Duration(hour) * time.Hour)
			batch = append(batch, p)
		}
		storetest.Write(t, s, "", batch...)
		if hour%8 != 0 {
			continue
		}
		content := make([]byte, 300_000)
		r := rand.NewChaCha8([32]byte{byte(hour)})
		_, _ = r.Read(content) // never fails
		one := store.Recording{Service: "service1", Start: storetest.Epoch().Add(time.Duration(hour) * time.Hour)}
		if _, err := s.WriteRecording(ctx, "", one, content); err != nil {
			t.Fatal(err)
		}
	}
	before, err := s.Stats(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		size               int64
		profiles, records  int // at least
		mostProfiles, most int
	}{
		{before.Bytes, hours * each, 6, hours * each, 6},
		{before.Bytes * 7 / 10, hours * each / 3, 2, hours * each * 9 / 10, 5},
		{1, each, 0, each, 0}, // the last hour stays
	} {
		limited := open(t, servers, "size", clickhouse.Options{Retention: store.Retention{Size: test.size}})
		if err := limited.Compact(ctx); err != nil {
			t.Fatal(err)
		}
		list, err := limited.Profiles(ctx, store.Query{}, 1000)
		if err != nil || len(list) < test.profiles || len(list) > test.mostProfiles || len(list)%each != 0 {
			t.Errorf("size %d of %d: %d profiles, %v, want %d to %d", test.size, before.Bytes, len(list), err, test.profiles,
				test.mostProfiles)
		}
		records, err := limited.Recordings(ctx, store.Query{}, 100)
		if err != nil || len(records) < test.records || len(records) > test.most {
			t.Errorf("size %d: %d recordings, %v, want %d to %d", test.size, len(records), err, test.records, test.most)
		}
		if newest := storetest.Epoch().Add((hours - 1) * time.Hour); len(list) == 0 || !list[0].Start.Equal(newest) {
			t.Errorf("size %d: the newest is not there", test.size)
		}
		stats, err := limited.Stats(ctx)
		if err != nil || test.size > 1 && stats.Bytes > test.size+test.size/20 {
			t.Errorf("%d bytes, %v, want %d", stats.Bytes, err, test.size)
		}
		storetest.Clean(t, limited, len(list))
	}
}

func testDamage(t *testing.T, servers *clickhousetest.Servers) {
	s := open(t, servers, "damage", clickhouse.Options{})
	for n := range 12 {
		storetest.Write(t, s, "", storetest.Generated([]string{"shop", "mail", "auth"}[n%3], n, nil))
	}
	change := func(text string) { exec(t, servers.Hosts[0], text+" SETTINGS mutations_sync=2") }
	change("ALTER TABLE damage.stacks DELETE WHERE service='mail'")
	change("ALTER TABLE damage.profiles UPDATE duration=duration+1 WHERE service='shop' AND start=(SELECT min(start) " +
		"FROM damage.profiles WHERE service='shop')")
	change("ALTER TABLE damage.frames UPDATE address=address+1 WHERE service='auth'")
	s = open(t, servers, "damage", clickhouse.Options{}) // knows nothing yet
	r, err := s.Check(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprint(r.Damage)
	for _, want := range []string{"service shop", "service mail", "service auth", "missing", "not what was stored"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %s", want, text)
		}
	}
	if r.Profiles != 12 || len(r.Damage) != 9 { // all of mail and auth, and one of shop
		t.Errorf("%d profiles, %d damaged: %s", r.Profiles, len(r.Damage), text)
	}
}

// testGrants migrates, writes and queries with the privileges that docs/scale.md lists, and no others.
func testGrants(t *testing.T, servers *clickhousetest.Servers) {
	for _, host := range servers.Hosts {
		exec(t, host, "CREATE USER IF NOT EXISTS least")
		for _, privileges := range []string{
			"SELECT, INSERT", "ALTER UPDATE, ALTER DELETE", "CREATE DATABASE, CREATE TABLE, ALTER TTL",
		} {
			exec(t, host, "GRANT "+privileges+" ON least.* TO least")
		}
		exec(t, host, "GRANT SELECT ON system.parts TO least")
		if len(servers.Hosts) > 1 {
			exec(t, host, "GRANT REMOTE, CLUSTER ON *.* TO least")
			exec(t, host, "GRANT SELECT ON system.clusters TO least")
		}
	}
	a := address(t, servers, "least")
	a.User = "least"
	age := 10000 * 24 * time.Hour
	o := clickhouse.MigrateOptions{Unreplicated: !servers.HasKeeper(), Retention: &age}
	if _, err := clickhouse.Migrate(t.Context(), a, o); err != nil {
		t.Fatal(err)
	}
	s, err := clickhouse.Open(t.Context(), a, clickhouse.Options{
		AllowPartial: true, Retention: store.Retention{Age: age}, Warn: func(err error) { t.Error(err) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	storetest.Write(t, s, "", storetest.Generated("shop", 0, nil), storetest.Generated("mail", 1, nil))
	if _, stats, err := s.Merge(t.Context(), store.Query{}); err != nil || stats.Profiles != 2 {
		t.Errorf("%+v, %v", stats, err)
	}
	if err := s.Compact(t.Context()); err != nil {
		t.Error(err)
	}
	if all, err := s.Renew(t.Context(), "", "group", "member", time.Minute); err != nil || len(all) != 1 {
		t.Errorf("%d leases, %v", len(all), err)
	}
	if stats, err := s.Stats(t.Context()); err != nil || len(stats.Services) != 2 || stats.Bytes == 0 {
		t.Errorf("%+v, %v", stats, err)
	}
	storetest.Clean(t, s, 2)
}
