package clickhouse_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/scrape/buffer"
	"github.com/whet-go/whet/internal/scrape/spool"
	"github.com/whet-go/whet/internal/smalldisk"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/clickhouse"
	"github.com/whet-go/whet/store/clickhouse/clickhousetest"
	"github.com/whet-go/whet/store/storetest"
)

// TestDiskFull fills the disk of a shard: writing names it, what whet serve acknowledges is in its buffer until that is
// full, too, and is stored when there is space again. The services of the other shard are stored meanwhile.
func TestDiskFull(t *testing.T) {
	ctx := t.Context()
	disk := smalldisk.New(t, 48<<20)
	servers := clickhousetest.ForTest(t, clickhousetest.Options{Shards: 2, Prepare: func(shard int, dir string) error {
		if shard == 0 {
			return nil
		}
		return os.Symlink(disk.Dir, filepath.Join(dir, "path")) // the data of the shard
	}})
	s := open(t, servers, "full", clickhouse.Options{})
	want := map[string]bool{}
	send := func(to store.Writer, n int) error {
		p := storetest.Generated(fmt.Sprint("service", n%8), n, nil)
		err := to.Write(ctx, "", []store.Profile{p})
		if id := store.NewID(&p); err == nil {
			want[id.String()] = true
		}
		return err
	}
	for n := range 16 {
		if err := send(s, n); err != nil {
			t.Fatal(err)
		}
	}
	free := disk.Fill(t)
	stored, failed := 0, 0
	for n := 100; n < 116; n++ {
		err, name := send(s, n), "shard 2 ("+servers.Hosts[1]+")"
		switch {
		case err == nil:
			stored++
		case strings.Contains(err.Error(), name) && strings.Contains(diag.Hint(err), "free space"):
			failed++
		default:
			t.Errorf("%v, hint %q, want an error that names the shard", err, diag.Hint(err))
		}
	}
	if stored == 0 || failed == 0 {
		t.Errorf("%d were stored, %d were not", stored, failed)
	}
	if _, _, err := s.Merge(ctx, store.Query{Kind: "cpu"}); err != nil {
		t.Errorf("a query: %v", err)
	}
	if list, err := s.Profiles(ctx, store.Query{}, 0); err != nil || len(list) != len(want) {
		t.Errorf("%d profiles, %v, want %d", len(list), err, len(want))
	}

	kept, err := buffer.Open(t.TempDir(), buffer.Options{Size: 200_000, Keep: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := kept.Close(); err != nil {
			t.Error(err)
		}
	}()
	sp := spool.New(spool.Options{Writer: s, Disk: kept, Warn: func(err error) { t.Log(err) }})
	refused := 0
	for n := 200; refused < 5 && n < 5000; n++ {
		err := send(sp, n)
		if full := (*buffer.FullError)(nil); errors.As(err, &full) {
			refused++
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if refused == 0 || sp.Buffered() == 0 {
		t.Fatalf("%d were refused, %d are in the buffer", refused, sp.Buffered())
	}
	free()
	running, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		sp.Run(running)
	}()
	for sp.Buffered() > 0 && ctx.Err() == nil {
		time.Sleep(50 * time.Millisecond) // the spool works meanwhile
	}
	stop()
	<-done
	list, err := s.Profiles(ctx, store.Query{}, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range list {
		delete(want, m.ID.String())
	}
	if len(want) > 0 {
		t.Errorf("%d acknowledged profiles are lost", len(want))
	}
	storetest.Clean(t, s, len(list))
}
