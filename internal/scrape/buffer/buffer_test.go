package buffer

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/hostile"
	"github.com/whet-go/whet/profile/profiletest"
	"github.com/whet-go/whet/store"
)

// childVariable makes the test binary a process that fills a buffer and is killed: it has the
// directory.
const childVariable = "WHET_BUFFER_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childVariable); dir != "" {
		if err := addForever(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// numbered returns a profile that differs from those of other numbers.
func numbered(n int) store.Profile {
	return store.Profile{
		Service: "shop", Kind: "cpu", Labels: store.NewLabels(map[string]string{"n": strconv.Itoa(n), "city": "Zürich\n"}),
		Start: time.Date(2026, 5, 4, 3, 0, n, 123456789, time.UTC), Duration: 10 * time.Second,
		Data: profiletest.Generate(profiletest.Options{Seed: uint64(n % 7), Samples: 30}), //nolint:gosec // positive
	}
}

// addForever adds batches, and prints the number of the last profile of each that was added.
func addForever(dir string) error {
	first, err := strconv.Atoi(os.Getenv(childVariable + "_FIRST"))
	if err != nil {
		return err
	}
	b, err := Open(dir, Options{})
	if err != nil {
		return err
	}
	for n := first; ; n += 3 {
		if err := b.Add("", []store.Profile{numbered(n), numbered(n + 1), numbered(n + 2)}); err != nil {
			return err
		}
		fmt.Println(n + 2)
	}
}

func open(t *testing.T, dir string, o Options) *Buffer {
	t.Helper()
	b, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() }) // maybe again
	return b
}

// drain removes all batches, and returns the profiles in order.
func drain(t *testing.T, b *Buffer) []store.Profile {
	t.Helper()
	var all []store.Profile
	for b.Stats().Profiles > 0 {
		batch, err := b.First(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, batch.Profiles...)
		b.Remove(batch)
	}
	if s := b.Stats(); s.Bytes != 0 {
		t.Errorf("%d bytes are left of nothing", s.Bytes)
	}
	return all
}

func numbers(profiles []store.Profile) []int {
	all := make([]int, len(profiles))
	for i := range profiles {
		all[i], _ = strconv.Atoi(profiles[i].Labels.Get("n"))
	}
	return all
}

// TestOrder has a buffer that is closed and opened again: profiles come back in order, and with the IDs
// that they had.
func TestOrder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "buffer")
	b := open(t, dir, Options{})
	ids := map[store.ID]bool{}
	for n := range 10 {
		batch := []store.Profile{numbered(2 * n), numbered(2*n + 1)}
		if err := b.Add("team", batch); err != nil {
			t.Fatal(err)
		}
		for i := range batch {
			ids[store.NewID(&batch[i])] = true
		}
	}
	first, err := b.First(t.Context())
	if err != nil || first.Tenant != "team" || !slices.Equal(numbers(first.Profiles), []int{0, 1}) {
		t.Fatalf("%+v, %v", first, err)
	}
	_, err = Open(dir, Options{})
	if runtime.GOOS == "linux" && (err == nil || !strings.Contains(err.Error(), "another process")) {
		t.Errorf("two processes: %v", err)
	}
	if err := b.Close(); err != nil { // the first batch may have been stored: it comes again
		t.Fatal(err)
	}
	b = open(t, dir, Options{})
	if s := b.Stats(); s.Profiles != 20 || s.Bytes < 20*100 || s.Dropped != 0 {
		t.Errorf("%+v", s)
	}
	all := drain(t, b)
	for i := range all {
		delete(ids, store.NewID(&all[i]))
		if want := numbered(i); !all[i].Start.Equal(want.Start) || all[i].Labels.String() != want.Labels.String() {
			t.Errorf("profile %d is %v %v", i, all[i].Start, all[i].Labels)
		}
	}
	if len(all) != 20 || len(ids) > 0 || !slices.IsSorted(numbers(all)) {
		t.Errorf("%v, %d IDs are missing", numbers(all), len(ids))
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := b.First(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("nothing is there: %v", err)
	}
}

// TestNext joins batches of one tenant, up to a number of profiles and to what is damaged, and drops none
// that it has returned.
func TestNext(t *testing.T) {
	dir := t.TempDir()
	b := open(t, dir, Options{Keep: true, Warn: func(error) {}})
	n := 0
	add := func(tenant string, count int) {
		t.Helper()
		var batch []store.Profile
		for range count {
			batch = append(batch, numbered(n))
			n++
		}
		if err := b.Add(tenant, batch); err != nil {
			t.Fatal(err)
		}
	}
	for _, count := range []int{2, 1, 1, 3} {
		add("", count)
	}
	add("red", 1)
	add("red", 1) // the seventh file, which is damaged below
	add("red", 1)
	files, err := filepath.Glob(filepath.Join(dir, "*.profiles"))
	if err != nil || len(files) != 7 {
		t.Fatalf("%q, %v", files, err)
	}
	slices.Sort(files)
	if err := os.WriteFile(files[5], []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		tenant string
		all    []int
	}{{"", []int{0, 1, 2, 3}}, {"", []int{4, 5, 6}}, {"red", []int{7}}, {"red", []int{9}}} {
		batch, err := b.Next(t.Context(), 4, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := numbers(batch.Profiles); !slices.Equal(got, want.all) || batch.Tenant != want.tenant {
			t.Errorf("%v of tenant %q, want %v of %q", got, batch.Tenant, want.all, want.tenant)
		}
		b.Remove(batch)
	}
	if s := b.Stats(); s.Profiles != 0 || s.Bytes != 0 || s.Dropped != 1 {
		t.Errorf("%+v", s)
	}

	// What has been returned is not dropped for newer ones.
	b = open(t, t.TempDir(), Options{Size: 40 << 10, Warn: func(error) {}})
	add("", 1)
	add("", 1)
	first := n - 2
	batch, err := b.Next(t.Context(), 10, nil)
	if err != nil || !slices.Equal(numbers(batch.Profiles), []int{first, first + 1}) {
		t.Fatalf("%v, %v", numbers(batch.Profiles), err)
	}
	for range 30 {
		add("", 1)
	}
	dropped := b.Stats().Dropped
	b.Remove(batch)
	rest := numbers(drain(t, b))
	if dropped == 0 || len(rest) == 0 || slices.Contains(rest, first) || int64(len(rest))+dropped != 30 {
		t.Errorf("%d dropped, left: %v", dropped, rest)
	}
}

// TestKeep has a buffer that refuses what does not fit.
func TestKeep(t *testing.T) {
	now := time.Date(2026, 5, 4, 3, 0, 0, 0, time.UTC)
	b := open(t, t.TempDir(), Options{
		Size: 40 << 10, Keep: true, Now: func() time.Time { return now }, Warn: func(err error) { t.Error(err) },
	})
	var full *FullError
	n := 0
	for ; n < 100; n++ {
		if err := b.Add("", []store.Profile{numbered(n)}); errors.As(err, &full) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if full == nil || n < 2 || n > 20 || !strings.Contains(full.Error(), "the buffer is full (limit 40kB)") {
		t.Fatalf("%d fit, %v", n, full)
	}
	now = now.Add(100 * 24 * time.Hour)
	if got := numbers(drain(t, b)); len(got) != n || b.Stats().Dropped != 0 {
		t.Errorf("%d of %d are left", len(got), n)
	}
	if err := b.Add("", []store.Profile{numbered(n)}); err != nil {
		t.Errorf("there is space again: %v", err)
	}
}

// TestWaits has First wait for a batch.
func TestWaits(t *testing.T) {
	b := open(t, t.TempDir(), Options{})
	got := make(chan []int)
	go func() {
		batch, err := b.First(t.Context())
		if err != nil {
			t.Error(err)
			close(got)
			return
		}
		got <- numbers(batch.Profiles)
	}()
	if err := b.Add("", []store.Profile{numbered(5)}); err != nil {
		t.Fatal(err)
	}
	if n := <-got; !slices.Equal(n, []int{5}) {
		t.Errorf("%v", n)
	}
}

// TestLimits drops the oldest batches above a size and from an age on, but not the one that is being
// stored, and says how many.
func TestLimits(t *testing.T) {
	now := time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC)
	var warnings []string
	b := open(t, t.TempDir(), Options{
		Size: 20 * block, Age: time.Hour, Now: func() time.Time { return now },
		Warn: func(err error) { warnings = append(warnings, err.Error()) },
	})
	add := func(n int) {
		t.Helper()
		if err := b.Add("", []store.Profile{numbered(n)}); err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Second)
	}
	for n := range 10 {
		add(n)
	}
	first, err := b.First(t.Context())
	if err != nil || b.Stats().Profiles != 10 || len(warnings) != 0 {
		t.Fatalf("%+v, %v, %q", b.Stats(), err, warnings)
	}
	for n := 10; n < 100; n++ {
		add(n)
		if s := b.Stats(); s.Bytes > 20*block || s.Profiles != 10 {
			t.Fatalf("%+v", s)
		}
	}
	b.Remove(first)
	if len(warnings) != 2 || !strings.Contains(warnings[0], "profiles dropped: 1, 1 so far") ||
		!strings.Contains(warnings[1], "61 so far") { // a minute later
		t.Errorf("%q", warnings)
	}
	now = now.Add(time.Hour - 5*time.Second)
	if got := numbers(drain(t, b)); !slices.Equal(got, []int{95, 96, 97, 98, 99}) {
		t.Errorf("%v are left", got)
	}
	if s := b.Stats(); s.Dropped != 94 { // of 100, one was stored and five are left
		t.Errorf("%+v", s)
	}
	small := open(t, t.TempDir(), Options{Size: 100})
	if err := small.Add("", []store.Profile{numbered(1)}); err != nil || small.Stats().Dropped != 1 {
		t.Errorf("%v, %+v", err, small.Stats())
	}
}

// TestDamaged leaves out files that are damaged or not of a buffer, and reports them.
func TestDamaged(t *testing.T) {
	dir := t.TempDir()
	b := open(t, dir, Options{})
	for n := range 6 {
		if err := b.Add("", []store.Profile{numbered(n)}); err != nil {
			t.Fatal(err)
		}
	}
	_ = b.Close()
	names, err := filepath.Glob(filepath.Join(dir, "*.profiles"))
	if err != nil || len(names) != 6 {
		t.Fatal(names, err)
	}
	data, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	for name, content := range map[string][]byte{
		names[0]: data, names[2]: data[:len(data)/2], names[4]: nil, filepath.Join(dir, "notes"): []byte("mine"),
		filepath.Join(dir, "x.profiles"): []byte("mine"), filepath.Join(dir, "0.profiles.tmp"): []byte("half"),
	} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(names[3]); err != nil {
		t.Fatal(err)
	}
	var warnings []string
	b = open(t, dir, Options{Warn: func(err error) { warnings = append(warnings, err.Error()) }})
	if got := numbers(drain(t, b)); !slices.Equal(got, []int{1, 5}) {
		t.Errorf("%v", got)
	}
	if len(warnings) != 3 || !strings.Contains(warnings[0], "damaged, so 1 profiles are lost: the checksum is wrong") {
		t.Errorf("%q", warnings)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(left) != 3 { // the lock, and what is not a buffer's
		t.Errorf("%q, %v", left, err)
	}
}

// TestKill kills a process that fills a buffer, at random moments: what was added is there, once and in
// order.
func TestKill(t *testing.T) {
	rounds := 25
	if testing.Short() {
		rounds = 5
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var last []int // of each round, the last number that was acknowledged
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
		n := -1
		lines := bufio.NewScanner(out)
		for left := rand.IntN(30); left >= 0 && lines.Scan(); left-- {
			n, _ = strconv.Atoi(lines.Text())
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() { // what it said before it died
			if m, err := strconv.Atoi(lines.Text()); err == nil {
				n = m
			}
		}
		_ = cmd.Wait() // killed
		last = append(last, n)
	}
	got := numbers(drain(t, open(t, dir, Options{Warn: func(err error) { t.Error(err) }})))
	if !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
		t.Errorf("not in order, or not once: %v", got)
	}
	for round, n := range last {
		for want := round * 100_000; want <= n; want++ {
			if _, ok := slices.BinarySearch(got, want); !ok {
				t.Errorf("round %d: profile %d of %d was added and is lost", round, want, n)
			}
		}
	}
	t.Logf("%d kills, %d profiles", rounds, len(got))
}

// FuzzDecode reads files of others.
func FuzzDecode(f *testing.F) {
	data, n, err := encode("team", []store.Profile{numbered(1), numbered(2)})
	if err != nil || n != 2 {
		f.Fatal(n, err)
	}
	f.Add(data)
	f.Add(data[:len(data)-9])
	f.Add([]byte(magic))
	f.Add(hostile.Gzip(hostile.Strings("x")))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := decode(data)
		if err != nil {
			return
		}
		again, n, err := encode(b.Tenant, b.Profiles)
		if err != nil || n != len(b.Profiles) {
			t.Fatalf("%d of %d, %v", n, len(b.Profiles), err)
		}
		back, err := decode(again)
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.Profiles {
			if store.NewID(&b.Profiles[i]) != store.NewID(&back.Profiles[i]) {
				t.Errorf("profile %d has another ID", i)
			}
		}
	})
}

// of returns a profile of a service.
func of(service string, n int) store.Profile {
	p := numbered(n)
	p.Service = service
	return p
}

// TestHeld has a store that takes only some services: what it does not take stays, whether that was in the
// same file or not, and across a restart of the process.
func TestHeld(t *testing.T) {
	dir := t.TempDir()
	b := open(t, dir, Options{Keep: true})
	for _, batch := range [][]store.Profile{
		{of("a", 0), of("b", 1), of("a", 2)}, {of("b", 3)}, {of("c", 4), of("a", 5)}, {of("a", 6)},
	} {
		if err := b.Add("", batch); err != nil {
			t.Fatal(err)
		}
	}
	held := func(services ...string) Held {
		return func(_, service string) bool { return slices.Contains(services, service) }
	}
	next := func(n int, h Held, want ...int) *Batch {
		t.Helper()
		batch, err := b.Next(t.Context(), n, h)
		if err != nil || !slices.Equal(numbers(batch.Profiles), want) {
			t.Fatalf("%v, %v, want %v", numbers(batch.Profiles), err, want)
		}
		return batch
	}
	b.Remove(next(2, held("a"), 1, 3)) // from two files
	if s := b.Stats(); s.Profiles != 5 {
		t.Errorf("%+v", s)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	b = open(t, dir, Options{Keep: true}) // it does not know what was stored of a file
	batch := next(100, held("a"), 1, 4)
	batch.Leave("b")
	b.Remove(batch)
	next(0, held("a"), 1) // it was left
	b.Remove(next(0, held("a"), 1))
	ctx, stop := context.WithCancel(t.Context())
	asked := 0
	_, err := b.Next(ctx, 0, func(_, service string) bool {
		if asked++; asked > 1 {
			stop() // it waits
		}
		return service == "a"
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("all is held: %v", err)
	}
	b.Remove(next(100, nil, 0, 2, 5, 6))
	if s := b.Stats(); s != (Stats{}) {
		t.Errorf("%+v", s)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 { // the lock
		t.Errorf("%v, %v", left, err)
	}
}

// TestRecordings keeps recordings next to profiles, within the same size.
func TestRecordings(t *testing.T) {
	dir := t.TempDir()
	var warnings []string
	o := Options{Size: 100 << 10, Warn: func(err error) { warnings = append(warnings, err.Error()) }}
	b := open(t, dir, o)
	content := func(n int) []byte { return []byte(strings.Repeat(strconv.Itoa(n), 27<<10)) }
	r := store.Recording{
		Service: "shop", Labels: store.NewLabels(map[string]string{"trigger": "slow"}), Duration: time.Second, About: "x",
		Start: time.Date(2026, 5, 4, 3, 0, 0, 5, time.UTC),
	}
	add := func(n int) {
		t.Helper()
		if err := b.AddRecording("team", r, content(n)); err != nil {
			t.Fatal(err)
		}
	}
	add(1)
	if err := b.Add("", []store.Profile{numbered(1)}); err != nil {
		t.Fatal(err)
	}
	add(2)
	add(3)
	if s := b.Stats(); s.Recordings != 3 || s.Profiles != 1 || s.Bytes > o.Size || len(warnings) > 0 {
		t.Errorf("%+v, %q", s, warnings)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	b = open(t, dir, o)
	if err := b.AddRecording("", r, make([]byte, 100<<10)); !errors.As(err, new(*FullError)) {
		t.Errorf("it does not fit: %v", err)
	}
	var last *Recording
	next := func(h Held, want int) {
		t.Helper()
		got, err := b.NextRecording(t.Context(), last, h)
		if err != nil {
			t.Fatal(err)
		}
		if got.Tenant != "team" || string(got.Content) != string(content(want)) ||
			store.NewRecordingID(&got.Recording, got.Content) != store.NewRecordingID(&r, content(want)) {
			t.Fatalf("%.20q of %+v, want recording %d", got.Content, got.Recording, want)
		}
		last = got
	}
	next(nil, 1)
	next(nil, 2) // the first one was not stored, and comes again
	b.RemoveRecording(last)
	next(nil, 3)
	next(nil, 1)
	add(4)
	add(5) // drops the oldest that is not being stored: the profile and recording 3
	if s := b.Stats(); s.Recordings != 3 || s.Profiles != 0 || s.Dropped != 1 || len(warnings) != 1 ||
		!strings.Contains(warnings[0], "profiles dropped: 1, 1 so far; recordings: 1, 1 so far (limits: 100kB,") {
		t.Errorf("%+v, %q", s, warnings)
	}
	next(nil, 4)
	ctx, stop := context.WithCancel(t.Context())
	_, err := b.NextRecording(ctx, nil, func(tenant, service string) bool {
		stop()
		return tenant == "team" && service == "shop"
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("all are held: %v", err)
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.recording"))
	if err != nil || len(names) != 3 {
		t.Fatal(names, err)
	}
	slices.Sort(names)
	if err := os.WriteFile(names[0], []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	warnings, last = nil, nil
	next(nil, 4)
	if len(warnings) != 1 || !strings.Contains(warnings[0], "damaged, so a recording is lost") {
		t.Errorf("%q", warnings)
	}
}

// FuzzDecodeRecording reads files of others.
func FuzzDecodeRecording(f *testing.F) {
	data, err := encodeRecording("team", &store.Recording{Service: "shop", Start: time.Unix(1, 2)}, []byte("content"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add(data[:len(data)-9])
	f.Add([]byte(recordingMagic))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := decodeRecording(data)
		if err != nil {
			return
		}
		again, err := encodeRecording(r.Tenant, &r.Recording, r.Content)
		if err != nil {
			t.Skip(err) // such as a year of five digits
		}
		if _, err := decodeRecording(again); err != nil {
			t.Error(err)
		}
	})
}
