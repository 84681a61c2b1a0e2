package cluster

import (
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	native "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/whet-go/whet/internal/store/symbols"
)

// A place is a connection that a test recognizes. Nothing is sent.
type place struct {
	driver.Conn
	host string
}

// TestShardsOf makes shards of what servers say. They are known if a host of each answers and all say the same.
func TestShardsOf(t *testing.T) {
	two := []uint64{1, 1}
	down := answer{local: -1, err: errors.New("down")}
	for name, test := range map[string]struct {
		answers []answer
		want    string // the host of each shard
	}{
		"a host of each":         {[]answer{{two, 1, nil}, {two, 0, nil}}, "b a"},
		"replicas":               {[]answer{{two, 0, nil}, {two, 0, nil}, {two, 1, nil}}, "a c"},
		"one replica is down":    {[]answer{down, {two, 0, nil}, {two, 1, nil}}, "b c"},
		"a shard is down":        {[]answer{{two, 0, nil}, down}, ""},
		"a shard is not named":   {[]answer{{two, 0, nil}}, ""},
		"none answers":           {[]answer{down, down}, ""},
		"not of the cluster":     {[]answer{{nil, -1, nil}, {two, 0, nil}, {two, 1, nil}}, "b c"},
		"a shard is being added": {[]answer{{two, 0, nil}, {[]uint64{1, 1, 1}, 1, nil}}, ""},
		"another weight":         {[]answer{{two, 0, nil}, {[]uint64{1, 2}, 1, nil}}, ""},
	} {
		top := &Topology{}
		for i := range test.answers {
			host := string(rune('a' + i))
			top.servers = append(top.servers, server{host, place{host: host}})
		}
		shards, known := top.shardsOf(test.answers)
		got := ""
		for i, x := range shards {
			host := x.Conn.(place).host //nolint:forcetypeassert // the test made it
			if x.Name != fmt.Sprintf("shard %d (%s)", i+1, host) {
				t.Errorf("%s: the name %q", name, x.Name)
			}
			if i > 0 {
				got += " "
			}
			got += host
		}
		if got != test.want || (known == "") != (test.want == "") {
			t.Errorf("%s: shards on %q (%q), want %q", name, got, known, test.want)
		}
	}
}

// TestChanged reads all shards for some time after a change of the cluster: a process that did not know of it may have
// stored profiles where they do not belong any more, after it was found out which shards have some.
func TestChanged(t *testing.T) {
	k := symbols.Scope{Service: "shop"}
	two := []*Shard{{Name: "1"}, {Name: "2"}}
	three := append(two[:2:2], &Shard{Name: "3"})
	begun := time.Now().Add(-time.Hour)
	top := &Topology{}
	read := func(when string, want int) {
		t.Helper()
		top.homes[k] = &home{shards: []int{1}, checked: time.Now()}
		f := Source{t: top, shards: top.shards}
		if from, _ := f.Of(k); len(from.shards) != want || len(from.idle) != len(top.shards)-want {
			t.Errorf("%s: %d shards are read, %d are idle; want %d to be read", when, len(from.shards), len(from.idle), want)
		}
	}
	top.set(two, "two", begun)
	read("at first", 1)
	top.set(two, "two", time.Now())
	read("without a change", 1)
	top.set(three, "three", time.Now())
	read("after a change", 3)
	top.set(three, "three", time.Now())
	read("after the next answer", 3)
	top.changed = time.Now().Add(-settled)
	read("later", 1)

	// Servers that did not agree at first are changing.
	top = &Topology{}
	top.set(nil, "", begun)
	top.set(three, "three", time.Now())
	read("after they agreed", 3)
}

// TestTemporary has errors after which the same may succeed.
func TestTemporary(t *testing.T) {
	for err, want := range map[error]bool{
		&native.Exception{Code: AllTries}: true, &native.Exception{Code: 252}: true, &native.Exception{Code: 60}: false,
		io.EOF: true, &net.OpError{Op: "dial", Err: errors.New("refused")}: true, errors.New("other"): false,
	} {
		if Temporary(fmt.Errorf("insert: %w", err)) != want {
			t.Errorf("%v: want %t", err, want)
		}
	}
}
