package clickhouse

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	native "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/whet-go/whet/internal/store/sql"
	"github.com/whet-go/whet/internal/store/tables"
)

// Compact deletes what is older than Options.Retention allows, or was stored first above its size, and the symbols and
// series that only that had. Without a limit it does nothing: the server merges what is stored by itself.
func (s *Store) Compact(ctx context.Context) error {
	if age := s.o.Retention.Age; age > 0 {
		if err := s.deleteOld(ctx, age); err != nil {
			return s.explain(ctx, "compact store", err)
		}
	}
	if size := s.o.Retention.Size; size > 0 {
		return s.explain(ctx, "compact store", s.deleteAbove(ctx, size))
	}
	return nil
}

// all has the settings of queries which all shards have to answer.
func all() native.Settings { return native.Settings{"skip_unavailable_shards": 0} }

// deleteOld deletes what is older than the newest profile, or now if that is later, by more than an age.
func (s *Store) deleteOld(ctx context.Context, age time.Duration) error {
	var n uint64
	var newest time.Time
	err := s.query(ctx, "SELECT sum(n), max(last) FROM (SELECT count() AS n, max(start) AS last FROM profiles "+
		"UNION ALL SELECT count(), max(start) FROM recordings)", all(),
		func(r driver.Rows) error { return r.Scan(&n, &newest) })
	if err != nil || n == 0 {
		return err
	}
	if now := s.o.Now(); now.Before(newest) {
		newest = now
	}
	return s.deleteBefore(ctx, newest.Add(-age), false)
}

// span is the unit of time in which a store above its size deletes.
const span = time.Hour

// deleteAbove deletes the first hours, as many as the store has more than a size, but not the last one.
func (s *Store) deleteAbove(ctx context.Context, size int64) error {
	sizes, err := s.sizes(ctx)
	if err != nil {
		return err
	}
	total := int64(0)
	for _, n := range sizes {
		total += n
	}
	if total <= size {
		return nil
	}
	// What an hour takes is its share of a table.
	bytes := map[int64]float64{}
	for _, x := range []struct{ table, measure, from string }{
		{"profiles", "samples", "profiles"}, {"parts", "size", "recordings"},
	} {
		hours, sum := map[int64]uint64{}, uint64(0)
		text := fmt.Sprintf("SELECT toInt64(intDiv(toUnixTimestamp64Nano(start), %d)) AS hour, toUInt64(sum(%s)+1) FROM %s "+
			"GROUP BY hour", span.Nanoseconds(), x.measure, x.from)
		err := s.query(ctx, text, all(), func(r driver.Rows) error {
			var hour int64
			var n uint64
			if err := r.Scan(&hour, &n); err != nil {
				return err
			}
			hours[hour] = n
			sum += n
			return nil
		})
		if err != nil {
			return err
		}
		for hour, n := range hours {
			bytes[hour] += float64(sizes[x.table]) * float64(n) / float64(sum)
		}
	}
	hours := slices.Sorted(maps.Keys(bytes))
	above, freed, end := float64(total-size), 0.0, 0
	for ; end < len(hours)-1 && freed < above; end++ {
		freed += bytes[hours[end]]
	}
	if end == 0 {
		return nil
	}
	return s.deleteBefore(ctx, time.Unix(0, (hours[end-1]+1)*span.Nanoseconds()), true)
}

// sizes returns the bytes that each table has on the disks, of all copies.
func (s *Store) sizes(ctx context.Context) (map[string]int64, error) {
	sizes := map[string]int64{}
	prefix := len(s.a.Database) + 1
	names := map[string]string{}
	for _, table := range append(tables.Names(), "versions", "leases") {
		names[s.schema.Stored(table)[prefix:]] = table
	}
	err := s.query(ctx, "SELECT table, toInt64(sum(bytes_on_disk)) FROM "+s.system("parts")+" WHERE active AND database="+
		sql.Text(s.a.Database)+" GROUP BY table", nil, func(r driver.Rows) error {
		var table string
		var n int64
		if err := r.Scan(&table, &n); err != nil {
			return err
		}
		sizes[cmp.Or(names[table], table)] += n
		return nil
	})
	return sizes, err
}

// deleteBefore deletes what started before a time. Whole partitions are dropped, which frees their space at once; of
// others, rows are masked until the server merges them, or if rewrite is set the parts are written again now.
func (s *Store) deleteBefore(ctx context.Context, before time.Time, rewrite bool) error {
	var weeks []string
	err := s.query(ctx, "SELECT DISTINCT partition_id FROM "+s.system("parts")+" WHERE database="+sql.Text(s.a.Database)+
		" AND concat(database, '.', table)="+sql.Text(s.schema.Stored("profiles"))+
		fmt.Sprintf(" AND active AND toInt64OrZero(partition)<%d", before.UnixNano()/tables.Week.Nanoseconds()), nil,
		func(r driver.Rows) error {
			var id string
			if err := r.Scan(&id); err != nil {
				return err
			}
			weeks = append(weeks, id)
			return nil
		})
	if err != nil {
		return err
	}
	for _, id := range weeks {
		text := "ALTER TABLE " + s.schema.Stored("profiles") + s.schema.On() + " DROP PARTITION ID " + sql.Text(id)
		if err := s.change(ctx, text); err != nil {
			return err
		}
	}
	remove := func(table, where string) error {
		if rewrite {
			return s.change(ctx, "ALTER TABLE "+s.schema.Stored(table)+s.schema.On()+" DELETE WHERE "+where)
		}
		return s.change(ctx, "DELETE FROM "+s.schema.Stored(table)+s.schema.On()+" WHERE "+where)
	}
	for _, table := range []string{"profiles", "recordings", "parts"} {
		if err := remove(table, "start<"+sql.Time(before)); err != nil {
			return err
		}
	}
	for _, table := range []string{"series", "stacks", "frames"} {
		if err := remove(table, fmt.Sprintf("seen<=%d", before.Unix()/86400)); err != nil {
			return err
		}
	}
	return nil
}
