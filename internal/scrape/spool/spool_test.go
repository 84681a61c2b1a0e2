package spool

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/whet-go/whet/internal/scrape/buffer"
	"github.com/whet-go/whet/profile/profiletest"
	"github.com/whet-go/whet/store"
)

// childVariable makes the test binary a process that writes to a spool and is killed: it has the
// directory.
const childVariable = "WHET_SPOOL_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childVariable); dir != "" {
		if err := writeForever(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// memory is a store that keeps what is written, unless fail has an error.
type memory struct {
	mu    sync.Mutex
	fail  func([]store.Profile) error
	all   []string
	calls int
}

func (m *memory) set(fail func([]store.Profile) error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fail = fail
}

func (m *memory) stored() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.all)
}

// Write implements store.Writer.
func (m *memory) Write(_ context.Context, tenant string, profiles []store.Profile) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	if m.fail != nil {
		if err := m.fail(profiles); err != nil {
			return err
		}
	}
	for _, p := range profiles {
		m.all = append(m.all, tenant+p.Labels.Get("n"))
	}
	return nil
}

func numbered(n int) store.Profile {
	return store.Profile{
		Service: "shop", Kind: "cpu", Labels: store.NewLabels(map[string]string{"n": strconv.Itoa(n)}),
		Start: time.Date(2026, 5, 4, 3, 0, n, 0, time.UTC), Duration: 10 * time.Second,
		Data: profiletest.Generate(profiletest.Options{Seed: uint64(n % 7), Samples: 30}), //nolint:gosec // positive
	}
}

func open(t *testing.T, dir string, size int64) *buffer.Buffer {
	t.Helper()
	b, err := buffer.Open(dir, buffer.Options{Size: size, Keep: true, Warn: func(err error) { t.Error(err) }})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var errAway = errors.New("connection refused")

func away([]store.Profile) error { return errAway }

// TestWrite has a store that fails and comes back, and a process that is replaced meanwhile.
func TestWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		m := &memory{}
		var mu sync.Mutex
		var warned []string
		warn := func(err error) {
			mu.Lock()
			defer mu.Unlock()
			warned = append(warned, err.Error())
		}
		start := func() (*Spool, func()) {
			disk := open(t, dir, 0)
			s := New(Options{Writer: m, Disk: disk, Warn: warn})
			ctx, stop := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() {
				defer close(done)
				s.Run(ctx)
			}()
			return s, func() {
				stop()
				<-done
				if err := disk.Close(); err != nil {
					t.Error(err)
				}
			}
		}
		s, end := start()
		write := func(tenant string, n int) {
			t.Helper()
			if err := s.Write(t.Context(), tenant, []store.Profile{numbered(n)}); err != nil {
				t.Fatal(err)
			}
		}
		want := func(n int64, stored ...string) {
			t.Helper()
			if got := m.stored(); s.Buffered() != n || !slices.Equal(got, stored) {
				t.Errorf("%d wait, %q are stored; want %d, %q", s.Buffered(), got, n, stored)
			}
		}
		write("", 1)
		want(0, "1")
		m.set(away)
		write("", 2)
		write("red", 3)
		want(2, "1")
		end()
		s, end = start() // it has what the other one kept
		write("", 4)
		time.Sleep(time.Hour)
		want(3, "1")
		m.set(nil)
		time.Sleep(2 * maxTry)
		synctest.Wait()
		want(0, "1", "2", "red3", "4")
		write("", 5) // at once
		want(0, "1", "2", "red3", "4", "5")
		end()
		text := strings.Join(warned, "\n")
		if strings.Count(text, "the store fails: connection refused; profiles are kept in "+dir) != 2 ||
			strings.Count(text, "the store works again") != 1 {
			t.Errorf("warned of:\n%s", text)
		}
	})
}

// sharded is a store that says which services it takes: none whose name begins with down, while it is down.
type sharded struct {
	memory
	probes []string
}

func (s *sharded) Takes(_ context.Context, tenant, service string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.probes = append(s.probes, tenant+service)
	if s.fail != nil && strings.HasPrefix(service, "down") {
		return errAway
	}
	return nil
}

// directKey is the key of a *bool in a context, which is set when a batch is stored within the call.
type directKey struct{}

// Write implements store.Writer.
func (s *sharded) Write(ctx context.Context, tenant string, profiles []store.Profile) error {
	err := s.memory.Write(ctx, tenant, profiles)
	if direct, ok := ctx.Value(directKey{}).(*bool); ok && err == nil {
		*direct = true
	}
	return err
}

func (s *sharded) probed() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.probes)
}

// TestShard has a cluster one of whose shards is down: services on the others are stored at once, and
// nothing waits to find out which these are.
func TestShard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &sharded{}
		m.set(func(all []store.Profile) error {
			if slices.ContainsFunc(all, func(p store.Profile) bool { return strings.HasPrefix(p.Service, "down") }) {
				return errAway
			}
			return nil
		})
		disk := open(t, t.TempDir(), 0)
		s := New(Options{Writer: m, Disk: disk})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			s.Run(ctx)
		}()
		n := 0
		write := func(services ...string) (direct bool) {
			t.Helper()
			var batch []store.Profile
			for _, name := range services {
				p := numbered(n)
				p.Service = name
				batch = append(batch, p)
				n++
			}
			if err := s.Write(context.WithValue(t.Context(), directKey{}, &direct), "", batch); err != nil {
				t.Fatal(err)
			}
			return direct // what is in the buffer may be sent at any time
		}
		if write("down1") || write("up1") {
			t.Error("stored at once although it is not known whether the store takes it")
		}
		synctest.Wait() // the probe
		for range 10 {
			if !write("up1") {
				t.Error("up1 waits for others")
			}
		}
		if write("up1", "down1") || write("up2", "up1") {
			t.Error("stored at once with one that is not known or not taken")
		}
		synctest.Wait()
		if !write("up2", "up1") {
			t.Error("up2 waits for others")
		}
		before := m.probed()
		for range 300 {
			if write("down1") {
				t.Error("the store has what it does not take")
			}
			time.Sleep(time.Second)
		}
		if got := m.probed() - before; got < 15 || got > 25 {
			t.Errorf("probed %d times in 300 s, want one in %v", got, probeEvery)
		}
		m.set(nil)
		time.Sleep(2 * maxTry)
		synctest.Wait()
		if s.Buffered() != 0 || len(m.stored()) != n {
			t.Errorf("%d wait, %d of %d are stored", s.Buffered(), len(m.stored()), n)
		}
		if !write("down1") {
			t.Error("down1 waits although nothing else does")
		}
		stop()
		<-done
		if err := disk.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestErrors has errors that the sender corrects: those of the store while it answers, and those of the
// limits while it does not.
func TestErrors(t *testing.T) {
	m := &memory{}
	disk := open(t, t.TempDir(), 0)
	defer func() { _ = disk.Close() }()
	s := New(Options{Writer: m, Disk: disk, Limits: store.Limits{Labels: 1, ProfileRate: 1, Burst: 2}})
	series := &store.LimitError{What: "series", Limit: 1}
	m.set(func([]store.Profile) error { return series })
	if err := s.Write(t.Context(), "", []store.Profile{numbered(1)}); !errors.Is(err, series) {
		t.Errorf("the store refuses it: %v", err)
	}
	m.set(away)
	var limit *store.LimitError
	var invalid *store.InvalidError
	two := numbered(1)
	two.Labels = store.NewLabels(map[string]string{"a": "b", "c": "d"})
	if err := s.Write(t.Context(), "", []store.Profile{two}); !errors.As(err, &limit) {
		t.Errorf("too many labels: %v", err)
	}
	if err := s.Write(t.Context(), "", []store.Profile{{Kind: "cpu"}}); !errors.As(err, &invalid) {
		t.Errorf("no service: %v", err)
	}
	if err := s.Write(t.Context(), "/", []store.Profile{numbered(1)}); !errors.As(err, &invalid) {
		t.Errorf("no tenant: %v", err)
	}
	batch := []store.Profile{numbered(1), numbered(2)}
	if err := s.Write(t.Context(), "", batch); err != nil {
		t.Error(err)
	}
	if err := s.Write(t.Context(), "", batch); !errors.As(err, &limit) || limit.RetryAfter <= 0 {
		t.Errorf("too many a second: %v", err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	m.set(func([]store.Profile) error { return canceled.Err() })
	empty := open(t, t.TempDir(), 0)
	defer func() { _ = empty.Close() }()
	s = New(Options{Writer: m, Disk: empty})
	if err := s.Write(canceled, "", batch); !errors.Is(err, context.Canceled) || s.Buffered() > 0 {
		t.Errorf("canceled: %v, %d wait", err, s.Buffered())
	}
}

// TestAtOnce writes from many goroutines while the store is away: each batch is kept, with its tenant, and
// several are one file.
func TestAtOnce(t *testing.T) {
	const writers, each = 40, 5
	m := &memory{fail: away}
	dir := t.TempDir()
	disk := open(t, dir, 0)
	s := New(Options{Writer: m, Disk: disk})
	var want []string
	var all sync.WaitGroup
	for w := range writers {
		tenant := []string{"", "red"}[w%2]
		for i := range each {
			want = append(want, tenant+strconv.Itoa(w*each+i))
		}
		all.Go(func() {
			for i := range each {
				if err := s.Write(t.Context(), tenant, []store.Profile{numbered(w*each + i)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	entries, err := os.ReadDir(dir)
	if err != nil || s.Buffered() != writers*each || len(entries) > writers*each {
		t.Errorf("%d profiles in %d files, %v", s.Buffered(), len(entries), err)
	}
	m.set(nil)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Run(ctx)
	}()
	for s.Buffered() > 0 && t.Context().Err() == nil {
		time.Sleep(time.Millisecond) // the other goroutine works
	}
	stop()
	<-done
	got := m.stored()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("stored %d, want %d", len(got), len(want))
	}
	if err := disk.Close(); err != nil {
		t.Error(err)
	}
	t.Logf("%d batches in %d files", len(want), len(entries)-1)
}

// TestFull fills a buffer: what does not fit is refused, and nothing that was acknowledged is dropped,
// however old it becomes.
func TestFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{fail: away}
		disk := open(t, t.TempDir(), 100<<10)
		var warned []string
		s := New(Options{Writer: m, Disk: disk, Warn: func(err error) { warned = append(warned, err.Error()) }})
		var want []string
		var full *buffer.FullError
		for n := range 100 {
			err := s.Write(t.Context(), "", []store.Profile{numbered(n)})
			switch {
			case err == nil:
				want = append(want, strconv.Itoa(n))
			case !errors.As(err, &full):
				t.Fatal(err)
			}
		}
		if len(want) < 5 || len(want) > 30 || full == nil || full.Error() != "the buffer is full (limit 100kB)" {
			t.Errorf("%d of 100 fit, %v", len(want), full)
		}
		if len(warned) != 2 || !strings.Contains(warned[1], "the buffer is full (limit 100kB)") {
			t.Errorf("warned of %q", warned)
		}
		time.Sleep(100 * 24 * time.Hour)
		m.set(nil)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			s.Run(ctx)
		}()
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := m.stored(); !slices.Equal(got, want) {
			t.Errorf("stored %q, want %q", got, want)
		}
		stop()
		<-done
		if err := disk.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestRefused has a store that refuses one of several profiles that come from the buffer.
func TestRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{fail: away}
		disk := open(t, t.TempDir(), 0)
		var warned []string
		s := New(Options{Writer: m, Disk: disk, Warn: func(err error) { warned = append(warned, err.Error()) }})
		if err := s.Write(t.Context(), "", []store.Profile{numbered(1), numbered(2), numbered(3)}); err != nil {
			t.Fatal(err)
		}
		m.set(func(all []store.Profile) error {
			if slices.ContainsFunc(all, func(p store.Profile) bool { return p.Labels.Get("n") == "2" }) {
				return &store.LimitError{What: "series", Limit: 2, RetryAfter: 15 * time.Minute}
			}
			return nil
		})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			s.Run(ctx)
		}()
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := m.stored(); !slices.Equal(got, []string{"1", "3"}) || s.Buffered() > 0 {
			t.Errorf("stored %q, %d wait", got, s.Buffered())
		}
		if text := strings.Join(warned, "\n"); !strings.Contains(text, "the store refuses a buffered profile cpu of shop") {
			t.Errorf("warned of:\n%s", text)
		}
		stop()
		<-done
		if err := disk.Close(); err != nil {
			t.Error(err)
		}
	})
}

// flaky is a store in a file, to which it appends the number of each profile that it has. It fails half of
// the time.
type flaky struct{ file *os.File }

func (f *flaky) Write(_ context.Context, _ string, profiles []store.Profile) error {
	if rand.IntN(2) == 0 {
		return errAway
	}
	for _, p := range profiles {
		if _, err := fmt.Fprintln(f.file, p.Labels.Get("n")); err != nil {
			return err
		}
	}
	return nil
}

// writeForever writes profiles to a spool, and prints the number of each that was acknowledged.
func writeForever(dir string) error {
	first, err := strconv.Atoi(os.Getenv(childVariable + "_FIRST"))
	if err != nil {
		return err
	}
	file, err := os.OpenFile(dir+"/stored", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	disk, err := buffer.Open(dir+"/buffer", buffer.Options{Keep: true})
	if err != nil {
		return err
	}
	s := New(Options{Writer: &flaky{file}, Disk: disk})
	go s.Run(context.Background())
	for n := first; ; n++ {
		if err := s.Write(context.Background(), "", []store.Profile{numbered(n)}); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

// TestKill kills a process that writes to a spool, at random moments. What was acknowledged is in the store
// or in the buffer.
func TestKill(t *testing.T) {
	rounds := 20
	if testing.Short() {
		rounds = 4
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var acknowledged []string
	for round := range rounds {
		cmd := exec.Command(self, "-test.run=^$")
		cmd.Env = append(os.Environ(), childVariable+"="+dir, fmt.Sprintf("%s_FIRST=%d", childVariable, round*100_000))
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for left := rand.IntN(40); left >= 0 && lines.Scan(); left-- {
			acknowledged = append(acknowledged, lines.Text())
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() { // what it said before it died
			if _, err := strconv.Atoi(lines.Text()); err == nil {
				acknowledged = append(acknowledged, lines.Text())
			}
		}
		_ = cmd.Wait() // killed
	}
	found := map[string]bool{}
	text, err := os.ReadFile(dir + "/stored")
	if err != nil {
		t.Fatal(err)
	}
	for n := range strings.FieldsSeq(string(text)) {
		found[n] = true
	}
	direct := len(found)
	disk := open(t, dir+"/buffer", 0)
	for disk.Stats().Profiles > 0 {
		b, err := disk.First(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range b.Profiles {
			found[p.Labels.Get("n")] = true
		}
		disk.Remove(b)
	}
	if err := disk.Close(); err != nil {
		t.Error(err)
	}
	for _, n := range acknowledged {
		if !found[n] {
			t.Errorf("profile %s was acknowledged and is lost", n)
		}
	}
	t.Logf("%d kills, %d profiles acknowledged, %d of %d stored", rounds, len(acknowledged), direct, len(found))
}
