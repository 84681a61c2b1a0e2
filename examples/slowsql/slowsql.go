package slowsql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Tables are the contents of a database: rows by column, by the name of the table.
type Tables map[string]*Table

// A Table has rows with the same columns.
type Table struct {
	Columns []string
	Rows    [][]driver.Value
}

// Open returns a database with the given tables, which it owns from now on. Every statement takes
// at least the time of a round trip, and one in eight four times as long.
func Open(tables Tables, roundTrip time.Duration) *sql.DB {
	return sql.OpenDB(&database{tables: tables, roundTrip: roundTrip})
}

// A database is a driver.Connector.
type database struct {
	roundTrip  time.Duration
	statements atomic.Int64

	mu     sync.RWMutex
	tables Tables
	byKey  map[key][]int // numbers of rows, by the value of a column that was searched
}

type key struct {
	table, column string
	value         driver.Value
}

// wait takes the time of a statement.
func (d *database) wait() {
	took := d.roundTrip
	if d.statements.Add(1)%8 == 0 {
		took *= 4
	}
	time.Sleep(took)
}

func (d *database) Connect(context.Context) (driver.Conn, error) { return &conn{d}, nil }

func (d *database) Driver() driver.Driver { return slow{} }

type slow struct{}

func (slow) Open(string) (driver.Conn, error) {
	return nil, fmt.Errorf("slowsql: use slowsql.Open, which has the tables")
}

type conn struct{ d *database }

func (c *conn) Prepare(query string) (driver.Stmt, error) {
	s, err := parse(query)
	if err != nil {
		return nil, err
	}
	s.d = c.d
	return s, nil
}

func (c *conn) Close() error { return nil }

func (c *conn) Begin() (driver.Tx, error) { return nil, fmt.Errorf("slowsql: no transactions") }

// A stmt is a parsed statement.
type stmt struct {
	d       *database
	table   string
	columns []string // to select, insert or set
	where   string   // column; "" for all rows
	limit   int      // 0 for all
	kind    string
}

var (
	selects = regexp.MustCompile(`^SELECT ([\w, ]+) FROM (\w+)(?: WHERE (\w+) = \?)?(?: LIMIT (\d+))?$`)
	inserts = regexp.MustCompile(`^INSERT INTO (\w+) \(([\w, ]+)\) VALUES \([?, ]+\)$`)
	updates = regexp.MustCompile(`^UPDATE (\w+) SET (\w+) = \? WHERE (\w+) = \?$`)
	parsed  sync.Map // query: *stmt
)

func parse(query string) (*stmt, error) {
	if known, ok := parsed.Load(query); ok {
		s := *known.(*stmt)
		return &s, nil
	}
	s := &stmt{}
	if m := selects.FindStringSubmatch(query); m != nil {
		limit, _ := strconv.Atoi(m[4])
		s = &stmt{kind: "select", columns: names(m[1]), table: m[2], where: m[3], limit: limit}
	} else if m := inserts.FindStringSubmatch(query); m != nil {
		s = &stmt{kind: "insert", table: m[1], columns: names(m[2])}
	} else if m := updates.FindStringSubmatch(query); m != nil {
		s = &stmt{kind: "update", table: m[1], columns: []string{m[2]}, where: m[3]}
	} else {
		return nil, fmt.Errorf("slowsql: statement %q has an unknown form", query)
	}
	parsed.Store(query, s)
	own := *s
	return &own, nil
}

func names(list string) []string {
	all := strings.Split(list, ",")
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return all
}

func (s *stmt) Close() error { return nil }

func (s *stmt) NumInput() int {
	switch s.kind {
	case "insert":
		return len(s.columns)
	case "update":
		return 2
	}
	if s.where != "" {
		return 1
	}
	return 0
}

// positions returns the positions of columns in a table.
func (t *Table) positions(columns []string) ([]int, error) {
	at := make([]int, len(columns))
	for i, c := range columns {
		if at[i] = slices.Index(t.Columns, c); at[i] < 0 {
			return nil, fmt.Errorf("slowsql: no column %q", c)
		}
	}
	return at, nil
}

func (s *stmt) target() (*Table, []int, error) {
	t := s.d.tables[s.table]
	if t == nil {
		return nil, nil, fmt.Errorf("slowsql: no table %q", s.table)
	}
	at, err := t.positions(s.columns)
	return t, at, err
}

// matching returns the numbers of the rows in which a column has a value. The caller holds the
// lock for writing.
func (s *stmt) matching(t *Table, value driver.Value) ([]int, error) {
	k := key{s.table, s.where, value}
	if rows, ok := s.d.byKey[k]; ok {
		return rows, nil
	}
	at, err := t.positions([]string{s.where})
	if err != nil {
		return nil, err
	}
	if s.d.byKey == nil {
		s.d.byKey = map[key][]int{}
	}
	rows := []int{}
	for i, row := range t.Rows {
		if row[at[0]] == value {
			rows = append(rows, i)
		}
	}
	s.d.byKey[k] = rows
	return rows, nil
}

func (s *stmt) Exec(args []driver.Value) (driver.Result, error) {
	s.d.wait()
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	t, at, err := s.target()
	if err != nil {
		return nil, err
	}
	if s.kind == "insert" {
		row := make([]driver.Value, len(t.Columns))
		for i, column := range at {
			row[column] = args[i]
		}
		t.Rows = append(t.Rows, row)
		for column, value := range row {
			k := key{s.table, t.Columns[column], value}
			if rows, ok := s.d.byKey[k]; ok {
				s.d.byKey[k] = append(rows, len(t.Rows)-1)
			}
		}
		return driver.RowsAffected(1), nil
	}
	rows, err := s.matching(t, args[1])
	if err != nil {
		return nil, err
	}
	for _, i := range rows {
		t.Rows[i][at[0]] = args[0]
	}
	return driver.RowsAffected(len(rows)), nil
}

func (s *stmt) Query(args []driver.Value) (driver.Rows, error) {
	s.d.wait()
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	t, at, err := s.target()
	if err != nil {
		return nil, err
	}
	found := &rows{columns: s.columns}
	add := func(i int) {
		row := make([]driver.Value, len(at))
		for j, column := range at {
			row[j] = t.Rows[i][column]
		}
		found.list = append(found.list, row)
	}
	if s.where == "" {
		for i := range t.Rows {
			if s.limit > 0 && i == s.limit {
				break
			}
			add(i)
		}
		return found, nil
	}
	matching, err := s.matching(t, args[0])
	for i, number := range matching {
		if s.limit > 0 && i == s.limit {
			break
		}
		add(number)
	}
	return found, err
}

type rows struct {
	columns []string
	list    [][]driver.Value
}

func (r *rows) Columns() []string { return r.columns }

func (r *rows) Close() error { return nil }

func (r *rows) Next(into []driver.Value) error {
	if len(r.list) == 0 {
		return io.EOF
	}
	copy(into, r.list[0])
	r.list = r.list[1:]
	return nil
}
