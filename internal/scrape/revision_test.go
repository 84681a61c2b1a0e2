package scrape

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/local"
	"github.com/whet-go/whet/store/regressions"
	"github.com/whet-go/whet/store/regressions/fleettest"
)

// TestRevision scrapes services whose agents name their builds, one of which is replaced by another build and
// then by one of changed files; another has no agent, and one has the label already.
func TestRevision(t *testing.T) {
	const first, second = "0123456789abcdef0123456789abcdef01234567", "fedcba9876543210fedcba9876543210fedcba98"
	synctest.Test(t, func(t *testing.T) {
		var build atomic.Value
		build.Store(fmt.Sprintf(`[{"key": "vcs.revision", "value": %q}, {"key": "vcs.modified", "value": "false"}]`, first))
		n := newNetwork(t, func(string) behavior { return well })
		n.agent = func(address string) string {
			if strings.HasPrefix(address, "10.0.0.2:") {
				return `"not build settings"`
			}
			return build.Load().(string) //nolint:forcetypeassert // it is one
		}
		m := &memory{}
		scraping(t, n, Options{Writer: m, Config: parse(t, `
scrape_configs:
  - job_name: shop
    profiles: [heap, cpu]
    static_configs:
      - targets: ["10.0.0.1:6060", "10.0.0.2:6060"]
      - targets: ["10.0.0.3:6060"]
        labels: {vcs_revision: mine}
`)}, 3*time.Minute, func(*Engine) {
			build.Store(fmt.Sprintf(`[{"key": "vcs.revision", "value": %q}]`, second))
			time.Sleep(3 * time.Minute)
			build.Store(fmt.Sprintf(`[{"key": "vcs.modified", "value": "true"}, {"key": "vcs.revision", "value": %q}]`, second))
			time.Sleep(3 * time.Minute)
			build.Store(`[{"key": "vcs.revision", "value": "<no hash>"}]`)
			time.Sleep(3 * time.Minute)
			synctest.Wait()
		})
		got := map[string][]string{}
		for _, p := range m.profiles {
			key, value := p.Labels.Get("instance")+" "+p.Kind, p.Labels.Get(store.RevisionLabel)
			if list := got[key]; len(list) == 0 || list[len(list)-1] != value {
				got[key] = append(list, value)
			}
		}
		for key, want := range map[string]string{
			"10.0.0.1:6060 cpu":  first + " " + second + " " + second + "+dirty ",
			"10.0.0.1:6060 heap": first + " " + second + " " + second + "+dirty ",
			"10.0.0.2:6060 cpu":  "",
			"10.0.0.3:6060 cpu":  "mine",
		} {
			if list := strings.Join(got[key], " "); list != want {
				t.Errorf("%s: revisions %q, want %q", key, list, want)
			}
		}
	})
}

// TestRevisionCommits scrapes instances of a service for three days, which are built from three commits of a
// repository, the last of which makes a function slower. The report about the store names the commits,
// although nothing but the agents knows them.
func TestRevisionCommits(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	repo := t.TempDir()
	git := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = repo
		cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a",
			"GIT_COMMITTER_EMAIL=a@example.com", "GIT_CONFIG_GLOBAL=/dev/null")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	commits := map[string]string{} // by version
	for _, change := range []string{"v1 begin", "v2 answer sooner", "between", "v3 copy each body"} {
		git("commit", "-q", "--allow-empty", "-m", change)
		version, _, _ := strings.Cut(change, " ")
		commits[version] = git("rev-parse", "HEAD")
	}

	service := fleettest.New(fleettest.Options{Hosts: 4, Days: 3, Slower: 0.5}, 1, 1, fleettest.Slower)
	profiles := map[string][]store.Profile{} // by address, one an hour
	if err := service.Profiles(func(p store.Profile) error {
		host := p.Labels.Get("host")
		profiles[host] = append(profiles[host], p)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	var hosts []string
	for host := range profiles {
		hosts = append(hosts, host)
	}
	m := &memory{}
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		n := newNetwork(t, func(string) behavior { return well })
		now := func(address string) *store.Profile {
			host, _, _ := strings.Cut(address, ":")
			list := profiles[host]
			return &list[min(int(time.Since(begin)/time.Hour), len(list)-1)]
		}
		n.cpu = func(address string) []byte {
			var out bytes.Buffer
			if err := now(address).Data.Write(&out); err != nil {
				t.Error(err)
			}
			return out.Bytes()
		}
		n.agent = func(address string) string {
			return fmt.Sprintf(`[{"key": "vcs.revision", "value": %q}]`, commits[now(address).Labels.Get("version")])
		}
		scraping(t, n, Options{Writer: m, Config: parse(t, `
scrape_configs:
  - job_name: shop
    scrape_interval: 1h
    profiles: [cpu]
    static_configs:
      - targets: [`+strings.Join(hosts, ":6060, ")+`:6060]
`)}, 3*24*time.Hour, nil)
	})

	s, err := local.Open(filepath.Join(t.TempDir(), "store"), local.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := s.Write(t.Context(), "", m.profiles); err != nil {
		t.Fatal(err)
	}
	r, err := regressions.Find(t.Context(), s, regressions.Options{
		Repo: repo, Own: func(*profile.Profile) func(profile.Function) bool {
			return func(f profile.Function) bool { return strings.HasPrefix(f.Name, "example.com/") }
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Regressions) != 1 || r.Regressions[0].Function != service.Victim || r.Regressions[0].Deploy == nil {
		t.Fatalf("regressions %+v, want one of %s", r.Regressions, service.Victim)
	}
	d := r.Regressions[0].Deploy
	if d.RevisionBefore != commits["v2"] || d.RevisionAfter != commits["v3"] || len(d.Commits) != 2 ||
		d.Commits[0].Subject != "v3 copy each body" || d.Commits[1].Subject != "between" {
		t.Errorf("the deploy is %+v", d)
	}
}
