package scrape

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/whet-go/whet/internal/scrape/buffer"
	"github.com/whet-go/whet/store"
)

// TestReload changes the configuration while targets are scraped: jobs that are written as before go on,
// others end or begin.
func TestReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t, func(string) behavior { return well })
		m := &memory{}
		job := func(name, targets, more string) string {
			return `{job_name: ` + name + `, profiles: [heap], static_configs: [{targets: [` + targets + `]}]` + more + `}`
		}
		services := func(since time.Time) []string {
			var all []string
			for _, p := range m.of("heap") {
				if !p.Start.Before(since) {
					all = append(all, p.Service+" "+p.Labels.Get("instance"))
				}
			}
			slices.Sort(all)
			return slices.Compact(all)
		}
		e := scraping(t, n, Options{
			Config: parse(t, `scrape_configs: [`+job("a", `"10.0.0.1:1", "10.0.0.2:1"`, "")+`, `+
				job("b", `"10.0.0.3:1"`, "")+`]`),
			Writer: m, Event: func(Event) {},
		}, 5*time.Minute, func(e *Engine) {
			kept := e.jobs[0]
			scrapes := e.Status().Targets[0].Scrapes
			if got := e.Reload(parse(t, `
scrape_configs:
  # Written otherwise.
  - static_configs: [{targets: ["10.0.0.1:1", "10.0.0.2:1"]}]
    job_name: a
    profiles: ["heap"]
  - `+job("b", `"10.0.0.3:1"`, ", service: mail")+`
  - `+job("c", `"10.0.0.4:1"`, ""))); got != 2 {
				t.Errorf("%d jobs are new or changed", got)
			}
			changed := time.Now()
			time.Sleep(5 * time.Minute)
			if e.jobs[0] != kept || e.Status().Targets[0].Scrapes < scrapes+4 {
				t.Errorf("a job that is written as before began again: %+v", e.Status().Targets[0])
			}
			want := []string{"a 10.0.0.1:1", "a 10.0.0.2:1", "c 10.0.0.4:1", "mail 10.0.0.3:1"}
			if got := services(changed); !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
			if got := e.Reload(parse(t, `{global: {scrape_interval: 2m}, scrape_configs: [`+job("c", `"10.0.0.4:1"`, "")+
				`]}`)); got != 1 || len(e.Status().Targets) != 1 {
				t.Errorf("%d jobs changed with global, targets %+v", got, e.Status().Targets)
			}
		})
		if e.count != 0 || len(e.hosts) != 0 {
			t.Errorf("%d targets and %d hosts are left", e.count, len(e.hosts))
		}
		if got := e.Reload(parse(t, `scrape_configs: [`+job("x", `"10.0.0.9:1"`, "")+`]`)); got != 0 {
			t.Errorf("%d jobs after the end", got)
		}
	})
}

// TestBuffer has a store that is down for twenty minutes, and a disk that fails meanwhile: nothing is
// lost, and each target's profiles are stored in order, but what the store refuses.
func TestBuffer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t, func(string) behavior { return well })
		began := time.Now()
		m := &memory{fail: func(all []store.Profile) error {
			if time.Since(began) < 20*time.Minute {
				return errors.New("the store is away")
			}
			for i := range all {
				if all[i].Labels.Get("instance") == "10.0.0.3:6060" {
					return &store.InvalidError{Index: i, Err: errors.New("this one is not wanted")}
				}
			}
			return nil
		}}
		var warnings []string
		warn := func(err error) { warnings = append(warnings, err.Error()) }
		dir := filepath.Join(t.TempDir(), "buffer")
		disk, err := buffer.Open(dir, buffer.Options{Warn: warn})
		if err != nil {
			t.Fatal(err)
		}
		move := func(from, to string) {
			if err := os.Rename(from, to); err != nil {
				t.Error(err)
			}
		}
		time.AfterFunc(5*time.Minute, func() { move(dir, dir+"-away") })
		time.AfterFunc(10*time.Minute, func() { move(dir+"-away", dir) })
		time.AfterFunc(4*time.Minute, func() {
			if s := disk.Stats(); s.Profiles < 20 {
				t.Errorf("after 4 minutes, the disk has %+v", s)
			}
		})
		e := scraping(t, n, Options{
			Config: parse(t, `scrape_configs: [{job_name: a, profiles: [heap], static_configs: [{targets: `+
				addresses(10)+`}]}]`),
			Writer: m, Buffer: disk, Warn: warn, Event: func(Event) {},
		}, 30*time.Minute, func(e *Engine) {
			c := e.Status().Profiles
			if c.Dropped != 0 || c.Waiting != 0 || c.Buffered != 0 || c.Refused < 29 || c.Stored+c.Refused < 290 {
				t.Errorf("counts %+v", c)
			}
		})
		if used := e.queue.room.used(); used != 0 {
			t.Errorf("%d bytes are not given back", used)
		}
		times, ids := map[string]time.Time{}, map[store.ID]bool{}
		for _, p := range m.of("heap") {
			at := p.Labels.Get("instance")
			if !p.Start.After(times[at]) {
				t.Errorf("%s: %v after %v", at, p.Start, times[at])
			}
			times[at] = p.Start
			ids[store.NewID(&p)] = true
		}
		if len(times) != 9 || len(ids) != len(m.of("heap")) {
			t.Errorf("%d instances, %d IDs of %d profiles", len(times), len(ids), len(m.of("heap")))
		}
		all := strings.Join(warnings, "\n")
		for _, want := range []string{
			"the store fails: the store is away; profiles are kept in " + dir, "; profiles wait in memory",
			"the store works again", "this one is not wanted (1 so far)",
		} {
			if strings.Count(all, want) != 1 {
				t.Errorf("want %q once in\n%s", want, all)
			}
		}
		if err := disk.Close(); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 1 { // the lock
			t.Errorf("%v, %v", left, err)
		}
		if m.attempts > 2000 {
			t.Error(strconv.Itoa(m.attempts) + " attempts to write")
		}
	})
}

// sharded is a memory that does not take services whose name begins with down, until it is back.
type sharded struct {
	memory
	back func() bool
}

func newSharded(back func() bool) *sharded {
	s := &sharded{back: back}
	s.fail = func(all []store.Profile) error {
		for i := range all {
			if err := s.takes(all[i].Service); err != nil {
				return err
			}
		}
		return nil
	}
	return s
}

func (s *sharded) takes(service string) error {
	if strings.HasPrefix(service, "down") && !s.back() {
		return errors.New("shard 2 does not answer")
	}
	return nil
}

// Takes implements spool.Prober.
func (s *sharded) Takes(_ context.Context, _, service string) error { return s.takes(service) }

// TestBufferShards has a cluster one of whose shards is down for an hour, and a buffer that an earlier
// process filled while all were: what is for the other shards does not wait, neither what is new nor what
// was on disk, and nothing is lost.
func TestBufferShards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		m := newSharded(func() bool { return time.Since(began) > time.Hour })
		disk, err := buffer.Open(t.TempDir(), buffer.Options{Warn: func(err error) { t.Error(err) }})
		if err != nil {
			t.Fatal(err)
		}
		data, err := decode("heap", encoded(t, "heap", 10, 0))
		if err != nil {
			t.Fatal(err)
		}
		const old = 40
		for n := range old { // in each file both
			var batch []store.Profile
			for i, service := range []string{"up-before", "down-before"} {
				batch = append(batch, store.Profile{
					Service: service, Kind: "heap", Start: began.Add(time.Duration(2*n+i) * time.Millisecond), Data: data,
				})
			}
			if err := disk.Add("", batch); err != nil {
				t.Fatal(err)
			}
		}
		stored := func() map[string]int {
			n := map[string]int{}
			for _, p := range m.of("heap") {
				n[p.Service]++
			}
			return n
		}
		job := func(name, target string) string {
			return `{job_name: ` + name + `, profiles: [heap], static_configs: [{targets: ["` + target + `"]}]}`
		}
		time.AfterFunc(30*time.Minute, func() {
			if n := stored(); n["up-before"] != old || n["up"] < 29 || n["down"]+n["down-before"] > 0 {
				t.Errorf("after half an hour: %v", n)
			}
		})
		n := newNetwork(t, func(string) behavior { return well })
		scraping(t, n, Options{
			Config: parse(t, `scrape_configs: [`+job("up", "10.0.0.1:1")+`, `+job("down", "10.0.0.2:1")+`]`),
			Writer: m, Buffer: disk, Warn: func(error) {}, Event: func(Event) {},
		}, 62*time.Minute, nil)
		if n := stored(); n["up-before"] != old || n["down-before"] != old || n["up"] < 61 || n["down"] < 61 {
			t.Errorf("in the end: %v", n)
		}
		ids := map[store.ID]bool{}
		for _, p := range m.of("heap") {
			ids[store.NewID(&p)] = true
		}
		if len(ids) != len(m.of("heap")) {
			t.Errorf("%d IDs of %d profiles: some were sent twice", len(ids), len(m.of("heap")))
		}
		if s := disk.Stats(); s.Profiles != 0 || s.Bytes != 0 || s.Dropped != 0 {
			t.Errorf("%+v", s)
		}
		if err := disk.Close(); err != nil {
			t.Error(err)
		}
		if m.attempts > 1000 {
			t.Errorf("%d attempts to write", m.attempts)
		}
	})
}
