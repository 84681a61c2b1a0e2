package scrape

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/whet-go/whet/internal/scrape/share"
	"github.com/whet-go/whet/internal/store/leasefile"
	"github.com/whet-go/whet/store"
)

// reached are the leases in a directory, until a process is cut off from them.
type reached struct {
	all *leasefile.File
	mu  sync.Mutex
	cut bool
}

func (r *reached) set(cut bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cut = cut
}

func (r *reached) fails() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cut {
		return store.ErrUnavailable
	}
	return nil
}

func (r *reached) Renew(ctx context.Context, a, b, c string, d time.Duration) ([]store.Lease, error) {
	if err := r.fails(); err != nil {
		return nil, err
	}
	return r.all.Renew(ctx, a, b, c, d)
}

func (r *reached) Release(ctx context.Context, a, b, c string) error {
	if err := r.fails(); err != nil {
		return err
	}
	return r.all.Release(ctx, a, b, c)
}

func (r *reached) Publish(ctx context.Context, a, b, c string, d []byte) error {
	if err := r.fails(); err != nil {
		return err
	}
	return r.all.Publish(ctx, a, b, c, d)
}

func (r *reached) Leases(ctx context.Context, a string) ([]store.Lease, error) {
	return r.all.Leases(ctx, a)
}

// TestShare has three engines with one configuration. One of them ends as kill -9 does: without releasing
// its lease. All targets are scraped all the time, each by one engine at a time.
func TestShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const targets = 60
		dir := t.TempDir()
		n := newNetwork(t, func(string) behavior { return well })
		text := `{share: {name: shop}, global: {scrape_interval: 30s, profiles: [cpu]}, scrape_configs: [` +
			`{job_name: a, static_configs: [{targets: ` + addresses(targets) + `}]}, ` +
			`{job_name: b, static_configs: [{targets: ` + addresses(5) + `}]}]}` // some addresses are in two jobs
		m := &memory{}
		type process struct {
			*Engine
			leases *reached
			stop   context.CancelFunc
			done   chan struct{}
		}
		start := func() *process {
			p := &process{leases: &reached{all: leasefile.New(dir, nil)}, done: make(chan struct{})}
			ctx, stop := context.WithCancel(t.Context())
			p.stop = stop
			p.Engine = New(Options{Config: parse(t, text), Writer: m, Leases: p.leases, Dial: n.dial})
			go func() {
				defer close(p.done)
				p.Run(ctx)
			}()
			return p
		}
		go func() { _ = n.server.Serve(n) }()
		all := []*process{start(), start(), start()}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		has := func(p *process) (own, away int) {
			for _, target := range p.Status().Targets {
				switch {
				case target.Owner == "":
					t.Errorf("no owner: %+v", target)
				case target.State == Away:
					away++
				case target.Owner != p.share.Member():
					t.Errorf("%s scrapes %+v", p.share.Member(), target)
				default:
					own++
				}
			}
			return own, away
		}
		sum := 0
		for _, p := range all {
			own, away := has(p)
			if own+away != targets+5 || own < 5 {
				t.Errorf("%d targets are its own, %d away, of %d", own, away, targets+5)
			}
			sum += own
		}
		if sum != targets+5 {
			t.Errorf("%d targets are scraped, want %d", sum, targets+5)
		}
		// What one shows of all.
		leases, err := all[0].leases.Leases(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []Status{all[0].Status(), (*Engine)(nil).Status()} {
			s.Share(leases)
			owners := map[string]int{}
			for _, target := range s.Targets {
				owners[target.Owner]++
				if target.State != Up || target.Scrapes == 0 {
					t.Errorf("%+v", target)
				}
			}
			if len(s.Targets) != targets+5 || len(owners) != 3 || len(s.Members) != 3 || s.Profiles.Stored < 3*targets/2 {
				t.Errorf("%d targets of %v, %+v", len(s.Targets), owners, s.Members)
			}
			for _, m := range s.Members {
				if m.Group != "shop" || m.Left <= 0 || m.Targets != owners[m.Member] {
					t.Errorf("%+v, want %d targets", m, owners[m.Member])
				}
			}
		}
		last := func(address string) time.Time {
			r := n.of(address, "cpu")
			return r[len(r)-1].at
		}
		// The third one is killed: it has no time to release its lease.
		all[2].leases.set(true)
		all[2].stop()
		<-all[2].done
		killed := time.Now()
		time.Sleep(share.DefaultTime + 45*time.Second) // a lease, and a round with its jitter and the profile
		synctest.Wait()
		first, _ := has(all[0])
		second, _ := has(all[1])
		if first+second != targets+5 {
			t.Errorf("%d targets are scraped after one was killed, want %d", first+second, targets+5)
		}
		for i := range targets {
			address := fmt.Sprintf("10.0.%d.%d:6060", i/250, i%250+1)
			if !last(address).After(killed) {
				t.Errorf("%s is not scraped after one was killed", address)
			}
		}
		all[1].stop() // in order
		<-all[1].done
		time.Sleep(share.DefaultTime)
		synctest.Wait()
		if own, away := has(all[0]); own != targets+5 || away != 0 {
			t.Errorf("the last one has %d targets, and not %d", own, away)
		}
		all[0].stop()
		<-all[0].done
		close(n.conns)
		_ = n.server.Close()
		for _, p := range all {
			if err := p.leases.all.Close(); err != nil {
				t.Error(err)
			}
		}
		if len(n.twice) > 0 {
			t.Errorf("scraped twice at once: %q", n.twice)
		}
		synctest.Wait()
	})
}

// TestShareUnreadable has documents of other processes that are not theirs.
func TestShareUnreadable(t *testing.T) {
	s := (*Engine)(nil).Status()
	other, err := json.Marshal(Status{
		Schema: StatusSchema, Targets: []TargetState{{Job: "a", Target: "x", State: Up}, {Job: "a", Target: "y", State: Up}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Share([]store.Lease{
		{Group: "g", Member: "text", Left: time.Second, Document: []byte("<html>")},
		{Group: "g", Member: "newer", Left: time.Second, Document: []byte(`{"schema":"whet.scrape-targets/9"}`)},
		{Group: "g", Member: "dead", Left: -time.Second, Document: other},
		{Group: "g", Member: "forgotten", Left: -time.Hour, Document: other},
		{Group: "g", Member: "fine", Left: time.Second, Document: other},
		{Group: "g", Member: "new", Left: time.Second},
	})
	warned := strings.Join(s.Warnings.Texts(), "\n")
	if len(s.Warnings) != 2 || !strings.Contains(warned, "process text") || !strings.Contains(warned, "process newer") {
		t.Errorf("%s", warned)
	}
	names := []string{}
	for _, m := range s.Members {
		names = append(names, fmt.Sprint(m.Member, m.Targets))
	}
	if !slices.Equal(names, []string{"dead0", "fine2", "new0", "newer0", "text0"}) || len(s.Targets) != 2 ||
		s.Targets[0].Owner != "fine" {
		t.Errorf("%q, %+v", names, s.Targets)
	}
}
