package clickhouse_test

import (
	"bufio"
	"compress/gzip"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/clickhouse"
	"github.com/whet-go/whet/store/clickhouse/clickhousetest"
	"github.com/whet-go/whet/store/storetest"
)

// testFormat1 migrates a store with the tables and rows that a whet of format 1 wrote, which are in testdata: the
// profiles of old below, the first of them also of the tenant other, and a result.
func testFormat1(t *testing.T, servers *clickhousetest.Servers) {
	ctx := t.Context()
	exec(t, servers.Hosts[0], "CREATE DATABASE formatone")
	restore(t, servers.Hosts[0], "testdata/format1.txt.gz")
	var old []store.Profile
	for i := range 6 {
		service := []string{"shop", "mail"}[i%2]
		old = append(old, storetest.Generated(service, i, map[string]string{"env": fmt.Sprint("e", i/3)}))
	}
	a := address(t, servers, "formatone")
	if _, err := clickhouse.Open(ctx, a, clickhouse.Options{}); err == nil ||
		!strings.Contains(err.Error(), "it has format 1; this whet writes format 2") ||
		!strings.Contains(diag.Hint(err), "whet store migrate") {
		t.Errorf("before: %v, hint %q", err, diag.Hint(err))
	}
	m, err := clickhouse.Migrate(ctx, a, clickhouse.MigrateOptions{Version: "new"})
	if err != nil || m.From != 1 || m.To != clickhouse.Format {
		t.Fatalf("%+v, %v", m, err)
	}
	s, err := clickhouse.Open(ctx, a, clickhouse.Options{Warn: func(err error) { t.Error(err) }})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	same := func(when, tenant string, q store.Query, want ...store.Profile) {
		t.Helper()
		q.Tenant = tenant
		var all []*profile.Profile
		for i := range want {
			all = append(all, want[i].Data)
		}
		whole, err := profile.Merge(all...)
		if err != nil {
			t.Fatal(err)
		}
		got, stats, err := s.Merge(ctx, q)
		if err != nil || stats.Profiles != len(want) || storetest.ContentOf(got) != storetest.ContentOf(whole) {
			t.Errorf("%s: %+v, %v, want %d profiles", when, stats, err, len(want))
		}
	}
	cpu := store.Query{Kind: "cpu"} // number 3 is a heap profile
	shop := store.Query{Kind: "cpu", Matchers: storetest.Matchers(t, "service=shop,env=e0")}
	same("migrated", "", cpu, old[0], old[1], old[2], old[4], old[5])
	same("a selector", "", shop, old[0], old[2])
	same("heap", "", store.Query{Kind: "heap"}, old[3])
	same("another tenant", "other", cpu, old[0])
	results, err := s.Results(ctx, store.ResultQuery{})
	if err != nil || len(results) != 1 || string(results[0].Document) != `{"schema":"whet.prove/v1"}` {
		t.Errorf("%d results, %v", len(results), err)
	}

	added := storetest.Generated("shop", 6, map[string]string{"env": "e0"})
	storetest.Write(t, s, "", added)
	same("written", "", shop, old[0], old[2], added)
	// IDs were made in another way: an old profile that is sent again is stored twice, and Check lists the old ones.
	storetest.Write(t, s, "", old[2])
	same("sent again", "", shop, old[0], old[2], old[2], added)
	if report, err := s.Check(ctx, nil); err != nil || report.Profiles != 9 || len(report.Damage) != 7 {
		t.Errorf("check: %+v, %v", report, err)
	}
	if list, err := s.Recordings(ctx, store.Query{}, 10); err != nil || len(list) != 0 {
		t.Errorf("recordings %v, %v", list, err)
	}
}

// restore executes the statements of a file. Rows are in hexadecimal, since they may have any bytes.
func restore(t *testing.T, host, name string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // only read
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	lines := bufio.NewScanner(z)
	for lines.Buffer(nil, 1<<20); lines.Scan(); {
		rest, ok := strings.CutPrefix(lines.Text(), "INSERT ")
		if !ok {
			exec(t, host, lines.Text())
			continue
		}
		table, text, _ := strings.Cut(rest, " ")
		row, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		rows[table] = append(rows[table], string(row))
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	for table, all := range rows {
		exec(t, host, "INSERT INTO formatone."+table+" VALUES "+strings.Join(all, ","))
	}
}
