package share

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/whet-go/whet/internal/store/leasefile"
	"github.com/whet-go/whet/store"
)

// table is a store of leases in memory. down and cut say who cannot reach it.
type table struct {
	mu    sync.Mutex
	ends  map[string]time.Time
	down  bool
	cut   map[string]bool
	delay func() time.Duration
}

func newTable() *table { return &table{ends: map[string]time.Time{}, cut: map[string]bool{}} }

func (t *table) set(change func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change()
}

func (t *table) Renew(ctx context.Context, _, group, member string, ttl time.Duration) ([]store.Lease, error) {
	if t.delay != nil {
		time.Sleep(t.delay())
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case t.down:
		return nil, fmt.Errorf("connection refused: %w", store.ErrDown)
	case t.cut[member]:
		return nil, store.ErrUnavailable
	}
	now := time.Now()
	t.ends[member] = now.Add(ttl)
	var all []store.Lease
	for name, ends := range t.ends {
		all = append(all, store.Lease{Group: group, Member: name, Left: ends.Sub(now)})
	}
	return all, nil
}

func (t *table) Release(_ context.Context, _, _, member string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.down || t.cut[member] {
		return store.ErrUnavailable
	}
	delete(t.ends, member)
	return nil
}

func (t *table) Publish(context.Context, string, string, string, []byte) error { return nil }

// fleet is members of a group, and the targets that they divide.
type fleet struct {
	t       *testing.T
	store   store.LeaseWriter
	targets []string
	time    time.Duration // of leases; 0: the default

	mu      sync.Mutex
	members map[string]*member
	doubled []string             // targets with two owners at once
	since   map[string]time.Time // of those that have two now
	longest time.Duration        // that a target had two
}

type member struct {
	*Share
	stop context.CancelFunc
	done chan struct{}
}

func newFleet(t *testing.T, s store.LeaseWriter) *fleet {
	f := &fleet{t: t, store: s, members: map[string]*member{}, since: map[string]time.Time{}}
	for i := range 200 {
		f.targets = append(f.targets, fmt.Sprintf("http://10.0.0.%d:6060/debug/pprof", i))
	}
	return f
}

func (f *fleet) start(name string) *member {
	ctx, stop := context.WithCancel(f.t.Context())
	m := &member{stop: stop, done: make(chan struct{})}
	m.Share = New(Options{Store: f.store, Group: "shop", Member: name, Time: f.time, Changed: f.look})
	f.mu.Lock()
	f.members[name] = m
	f.mu.Unlock()
	go func() {
		defer close(m.done)
		m.Run(ctx)
	}()
	return m
}

// look counts the owners of each target.
func (f *fleet) look() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, target := range f.targets {
		n := 0
		for _, m := range f.members {
			if _, mine := m.Owner(target); mine {
				n++
			}
		}
		if n < 2 {
			delete(f.since, target)
			continue
		}
		f.doubled = append(f.doubled, target)
		if f.since[target].IsZero() {
			f.since[target] = time.Now()
		}
		f.longest = max(f.longest, time.Since(f.since[target]))
	}
}

// owners returns how many targets each member has, and how many have no owner.
func (f *fleet) owners() (by map[string]int, free int) {
	f.look()
	f.mu.Lock()
	defer f.mu.Unlock()
	by = map[string]int{}
	for _, target := range f.targets {
		found := false
		for name, m := range f.members {
			if _, mine := m.Owner(target); mine {
				by[name]++
				found = true
			}
		}
		if !found {
			free++
		}
	}
	return by, free
}

// pass lets time pass and looks for targets with two owners all along.
func (f *fleet) pass(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		time.Sleep(max(100*time.Millisecond, d/200))
		f.look()
	}
	synctest.Wait()
}

// whole fails unless exactly these members have all targets.
func (f *fleet) whole(when string, names ...string) {
	f.t.Helper()
	by, free := f.owners()
	if free > 0 || len(by) != len(names) {
		f.t.Errorf("%s: %v, and without an owner: %d; want %q", when, by, free, names)
	}
	for _, name := range names {
		if most := 2 * len(f.targets) / len(names); by[name] == 0 || len(names) > 1 && by[name] > most {
			f.t.Errorf("%s: %s has %d of %d targets", when, name, by[name], len(f.targets))
		}
	}
}

func (f *fleet) end() {
	f.mu.Lock()
	members := f.members
	f.members = map[string]*member{}
	f.mu.Unlock()
	for _, m := range members {
		m.stop()
		<-m.done
	}
}

// once fails if a target had two owners.
func (f *fleet) once() {
	f.t.Helper()
	if len(f.doubled) > 0 {
		f.t.Errorf("%d times a target had two owners, such as %s", len(f.doubled), f.doubled[0])
	}
}

// kill ends a member without releasing its lease, as kill -9 does.
func (f *fleet) kill(t *table, name string) {
	t.set(func() { t.cut[name] = true })
	f.mu.Lock()
	m := f.members[name]
	delete(f.members, name)
	f.mu.Unlock()
	m.stop()
	<-m.done
	t.set(func() { t.cut[name] = false })
}

// TestDivide starts, ends and kills members. The fake clock is that of synctest.
func TestDivide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leases := newTable()
		f := newFleet(t, leases)
		f.start("a")
		f.pass(DefaultTime/renewals + time.Second)
		f.whole("alone", "a")
		f.start("b")
		f.start("c")
		f.pass(2 * DefaultTime)
		f.whole("three", "a", "b", "c")
		before, _ := f.owners()
		d := f.start("d")
		f.pass(2 * DefaultTime)
		f.whole("four", "a", "b", "c", "d")
		after, _ := f.owners()
		for _, name := range []string{"a", "b", "c"} {
			if after[name] > before[name] {
				t.Errorf("%s got targets when d joined: %d, %d before", name, after[name], before[name])
			}
		}
		f.mu.Lock()
		delete(f.members, "d")
		f.mu.Unlock()
		d.stop() // in order: it releases its lease
		<-d.done
		f.pass(DefaultTime/renewals + time.Second)
		f.whole("d has left", "a", "b", "c")
		if again, _ := f.owners(); fmt.Sprint(again) != fmt.Sprint(before) {
			t.Errorf("%v, want %v as before", again, before)
		}
		f.kill(leases, "c")
		f.pass(DefaultTime + 100*time.Millisecond)
		f.whole("c was killed, within the time of its lease", "a", "b")
		f.end()
		f.once()
		if len(leases.ends) > 1 { // that of c
			t.Errorf("leases are left: %v", leases.ends)
		}
	})
}

// TestCut takes the store away from one member, from all, and for as long as the time of a lease.
func TestCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leases := newTable()
		f := newFleet(t, leases)
		for _, name := range []string{"a", "b"} {
			f.start(name)
		}
		f.pass(2 * DefaultTime)
		f.whole("two", "a", "b")
		leases.set(func() { leases.cut["a"] = true })
		f.pass(DefaultTime + 100*time.Millisecond)
		f.whole("a cannot reach the store", "b")
		leases.set(func() { leases.cut["a"] = false })
		f.pass(2 * DefaultTime)
		f.whole("a is back", "a", "b")
		before, _ := f.owners()
		for _, outage := range []time.Duration{
			DefaultTime / 2, DefaultTime - time.Second, DefaultTime, DefaultTime + time.Second, time.Hour,
		} {
			leases.set(func() { leases.down = true })
			f.pass(outage)
			if now, _ := f.owners(); fmt.Sprint(now) != fmt.Sprint(before) {
				t.Errorf("the store was away for %v: %v, want %v as before", outage, now, before)
			}
			leases.set(func() { leases.down = false })
			f.start("c") // which joins at once
			f.pass(3 * DefaultTime)
			f.whole(fmt.Sprint("after ", outage), "a", "b", "c")
			f.kill(leases, "c")
			f.pass(2 * DefaultTime)
			f.whole("without c", "a", "b")
		}
		f.end()
		f.once()
	})
}

// TestChaos does what may happen in any order, with renewals that take up to two seconds. A target has two
// owners for less than the time of a lease, if ever, and one when all is quiet.
func TestChaos(t *testing.T) {
	seeds := uint64(20)
	if testing.Short() {
		seeds = 3
	}
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			var mu sync.Mutex
			leases := newTable()
			leases.delay = func() time.Duration {
				mu.Lock()
				defer mu.Unlock()
				return time.Duration(rnd.Int64N(int64(2 * time.Second)))
			}
			f := newFleet(t, leases)
			names := []string{"a", "b", "c", "d"}
			for range 60 {
				mu.Lock()
				name, what, wait := names[rnd.IntN(len(names))], rnd.IntN(6), time.Duration(rnd.Int64N(int64(20*time.Second)))
				mu.Unlock()
				f.mu.Lock()
				m := f.members[name]
				f.mu.Unlock()
				switch {
				case what < 2 && m == nil:
					f.start(name)
				case what == 2 && m != nil:
					f.kill(leases, name)
				case what == 3 && m != nil:
					f.mu.Lock()
					delete(f.members, name)
					f.mu.Unlock()
					m.stop()
					<-m.done
				case what == 4:
					leases.set(func() { leases.cut[name] = !leases.cut[name] })
				case what == 5:
					leases.set(func() { leases.down = !leases.down })
				}
				f.pass(wait)
			}
			leases.set(func() { leases.down, leases.cut = false, map[string]bool{} })
			f.mu.Lock()
			var alive []string
			for name := range f.members {
				alive = append(alive, name)
			}
			f.mu.Unlock()
			f.pass(5 * DefaultTime)
			if len(alive) > 0 {
				slices.Sort(alive)
				f.whole(fmt.Sprint("seed ", seed), alive...)
			}
			f.end()
			if f.longest > DefaultTime {
				t.Errorf("seed %d: a target had two owners for %v", seed, f.longest)
			}
			if f.longest > 0 {
				t.Logf("seed %d: a target had two owners for %v", seed, f.longest)
			}
		})
	}
}

// TestLonger has a member that joins another one whose leases are four times as long.
func TestLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, newTable())
		f.time = 4 * DefaultTime
		f.start("long")
		f.pass(8 * DefaultTime)
		f.whole("alone", "long")
		f.time = DefaultTime
		f.start("short")
		f.pass(16 * DefaultTime)
		f.whole("both", "long", "short")
		f.end()
		f.once()
	})
}

// TestWarnings reports the first of several errors, and when they end.
func TestWarnings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leases := newTable()
		leases.cut["a"] = true
		var warned []error
		s := New(Options{Store: leases, Group: "shop", Member: "a", Warn: func(err error) { warned = append(warned, err) }})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			s.Run(ctx)
		}()
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(warned) != 1 || !errors.Is(warned[0], store.ErrUnavailable) {
			t.Errorf("warned of %v", warned)
		}
		leases.set(func() { leases.cut["a"] = false })
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(warned) != 2 || warned[1].Error() != "leases of shop are renewed again" {
			t.Errorf("warned of %v", warned)
		}
		stop()
		<-done
		if _, mine := s.Owner("x"); mine {
			t.Error("it owns a target after its end")
		}
	})
}

// TestLocal has members whose leases are in one directory, each with its own handle of the file, as
// separate processes have.
func TestLocal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		var all []*Share
		var stops []func()
		for _, name := range []string{"a", "b", "c"} {
			leases := leasefile.New(dir, nil)
			s := New(Options{Store: leases, Group: "shop", Member: name, Warn: func(err error) { t.Error(err) }})
			ctx, stop := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() {
				defer close(done)
				s.Run(ctx)
			}()
			all = append(all, s)
			stops = append(stops, func() {
				stop()
				<-done
				if err := leases.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		owners := func() map[string]int {
			by := map[string]int{}
			for i := range 100 {
				for _, s := range all {
					if m, mine := s.Owner(fmt.Sprint(i)); mine {
						by[m]++
					}
				}
			}
			return by
		}
		time.Sleep(2 * DefaultTime)
		synctest.Wait()
		if by := owners(); len(by) != 3 || by["a"]+by["b"]+by["c"] != 100 {
			t.Errorf("%v", by)
		}
		stops[2]()
		time.Sleep(DefaultTime)
		synctest.Wait()
		if by := owners(); len(by) != 2 || by["a"]+by["b"] != 100 {
			t.Errorf("%v", by)
		}
		stops[0]()
		stops[1]()
	})
}
