package clickhouse_test

import (
	"fmt"
	"testing"

	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/clickhouse"
	"github.com/whet-go/whet/store/clickhouse/clickhousetest"
	"github.com/whet-go/whet/store/storetest"
)

// TestReplicas ends one of two replicas of each shard in turn: answers stay whole and have what was written meanwhile,
// and a replica that comes back has it, too.
func TestReplicas(t *testing.T) {
	servers := clickhousetest.ForTest(t, clickhousetest.Options{Shards: 2, Replicas: 2, Keeper: true})
	s := open(t, servers, "replicas", clickhouse.Options{})
	storetest.Write(t, s, "", fleet()...)
	profiles := len(fleet())
	whole := func(when string, s store.Reader) {
		t.Helper()
		_, stats, err := s.Merge(t.Context(), store.Query{Kind: "cpu"})
		if err != nil || stats.Profiles != profiles {
			t.Errorf("%s: %d profiles, want %d: %v", when, stats.Profiles, profiles, err)
		}
	}
	// Both replicas have all rows before one of them ends.
	same := func() {
		t.Helper()
		for i := 0; i < len(servers.Hosts); i += 2 {
			for _, host := range servers.Hosts[i : i+2] {
				for _, table := range []string{"profiles", "series", "stacks", "frames"} {
					exec(t, host, "SYSTEM SYNC REPLICA replicas."+table+"_shard")
				}
			}
			const text = "SELECT count() FROM replicas.profiles_shard"
			if a, b := count(t, servers.Hosts[i], text), count(t, servers.Hosts[i+1], text); a != b || a == 0 {
				t.Errorf("shard %d: %d and %d rows", i/2+1, a, b)
			}
		}
	}
	same()
	whole("all replicas", s)
	for down := range servers.Hosts {
		servers.Kill(down)
		whole("without a replica", s)
		// A process that starts now does not find the host.
		late, err := clickhouse.Open(t.Context(), address(t, servers, "replicas"), clickhouse.Options{})
		if err != nil {
			t.Fatal(err)
		}
		whole("in a new process", late)
		if err := late.Close(); err != nil {
			t.Error(err)
		}
		var more []store.Profile
		for n := range 8 { // on both shards
			more = append(more, storetest.Generated(fmt.Sprint("service", n), 4*(25+down), nil))
		}
		storetest.Write(t, s, "", more...)
		profiles += len(more)
		whole("after writing", s)
		if err := servers.Run(t.Context(), down); err != nil {
			t.Fatal(err)
		}
		same()
		whole("with the replica again", s)
	}
}
