package config

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestFollow changes a configuration: each content is read once, and an error is reported once.
func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "targets.yaml")
		write := func(text string) {
			t.Helper()
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		job := func(name string) string {
			return "scrape_configs: [{job_name: " + name + ", static_configs: [{targets: ['10.0.0.1:1']}]}]"
		}
		write(job("a"))
		c, err := Read(file)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		ctx, stop := context.WithCancel(t.Context())
		again := make(chan os.Signal)
		done := make(chan struct{})
		go func() {
			defer close(done)
			Follow(ctx, c, again, func(c *Config, err error) {
				if err != nil {
					got = append(got, "error "+err.Error())
				} else {
					got = append(got, c.Jobs[0].Name)
				}
			})
		}()
		after := func(d time.Duration, want ...string) {
			t.Helper()
			time.Sleep(d)
			synctest.Wait()
			if !slices.EqualFunc(got, want, func(a, b string) bool { return strings.HasPrefix(a, b) }) {
				t.Errorf("%q, want %q", got, want)
			}
			got = nil
		}
		after(time.Minute)
		write(job("b"))
		after(followEvery, "b")
		after(time.Minute)
		write("scrape_configs: [")
		after(time.Minute, "error "+file+":1:")
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		after(time.Minute, "error read configuration: open ")
		write(job("b"))
		after(time.Minute, "b")
		again <- os.Interrupt
		after(0, "b")
		write(job("c"))
		again <- os.Interrupt
		after(0, "c")
		after(time.Minute)
		stop()
		<-done
	})
}

// TestSame compares jobs by what is written, not how.
func TestSame(t *testing.T) {
	parse := func(text string) *Config {
		t.Helper()
		c, err := Parse("targets.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	one := parse("scrape_configs: [{job_name: a, static_configs: [{targets: ['10.0.0.1:1'], labels: {x: y, z: w}}]}]")
	same := parse(`
scrape_configs:
  - job_name: a # a comment
    static_configs:
      - labels: {z: w, x: "y"}
        targets: [10.0.0.1:1]
`)
	other := parse(`{global: {scrape_interval: 2m},
scrape_configs: [{job_name: a, static_configs: [{targets: ['10.0.0.1:1'], labels: {x: y, z: w}}]}]}`)
	if !one.Jobs[0].Same(&same.Jobs[0]) || one.Jobs[0].Same(&other.Jobs[0]) || (&Job{}).Same(&Job{}) {
		t.Error("jobs that are written alike are the same, and no others")
	}
}
