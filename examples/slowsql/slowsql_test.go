package slowsql

import (
	"database/sql/driver"
	"strings"
	"testing"
	"time"
)

func TestStatements(t *testing.T) {
	db := Open(Tables{"fruit": {
		Columns: []string{"id", "name", "stock"},
		Rows:    [][]driver.Value{{int64(1), "apple", int64(7)}, {int64(2), "pear", int64(5)}},
	}}, time.Nanosecond)
	defer func() { _ = db.Close() }()
	stock := func(name string) (n int) {
		t.Helper()
		if err := db.QueryRow("SELECT stock FROM fruit WHERE name = ?", name).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := stock("pear"); n != 5 {
		t.Errorf("%d pears, want 5", n)
	}
	if _, err := db.Exec("UPDATE fruit SET stock = ? WHERE id = ?", 4, 2); err != nil {
		t.Fatal(err)
	}
	if n := stock("pear"); n != 4 {
		t.Errorf("%d pears after one was sold, want 4", n)
	}
	if _, err := db.Exec("INSERT INTO fruit (id, name, stock) VALUES (?, ?, ?)", 3, "plum", 9); err != nil {
		t.Fatal(err)
	}
	if n := stock("plum"); n != 9 {
		t.Errorf("%d plums, want 9", n)
	}
	rows, err := db.Query("SELECT name FROM fruit LIMIT 2")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	if got := strings.Join(names, " "); got != "apple pear" || rows.Err() != nil {
		t.Errorf("names %q, error %v, want apple pear", got, rows.Err())
	}
}

func TestErrors(t *testing.T) {
	db := Open(Tables{"fruit": {Columns: []string{"id"}}}, 0)
	defer func() { _ = db.Close() }()
	for query, want := range map[string]string{
		"DROP TABLE fruit":        "unknown form",
		"SELECT id FROM nuts":     `no table "nuts"`,
		"SELECT color FROM fruit": `no column "color"`,
	} {
		rows, err := db.Query(query)
		if err == nil {
			_ = rows.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", query, err, want)
		}
	}
}
