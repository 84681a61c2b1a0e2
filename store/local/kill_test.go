package local

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"

	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/storetest"
)

// childVariable makes the test binary a process that writes profiles and is killed: it has the
// directory of the store.
const childVariable = "WHET_STORE_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childVariable); dir != "" {
		if err := writeForever(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// writeForever writes new profiles, some of them twice, and prints the ID of each after it was
// acknowledged.
func writeForever(dir string) error {
	s, err := Open(dir, Options{Create: true, Warn: func(err error) { fmt.Fprintln(os.Stderr, err) }})
	if err != nil {
		return err
	}
	base, err := strconv.Atoi(os.Getenv(childVariable + "_BASE"))
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	for w := range 3 {
		all.Go(func() {
			for n := base + w; ; n += 3 {
				batch := []store.Profile{storetest.Generated([]string{"shop", "mail"}[n%2], n, nil)}
				if n%5 == 0 && n-3 >= base {
					batch = append(batch, storetest.Generated([]string{"shop", "mail"}[(n-3)%2], n-3, nil)) // again
				}
				if err := s.Write(context.Background(), "", batch); err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
				for i := range batch {
					fmt.Println(store.NewID(&batch[i]))
				}
			}
		})
	}
	all.Wait()
	return nil
}

// TestKill kills a process that writes, at random moments: every acknowledged profile is there
// afterwards, once, and nothing is damaged.
func TestKill(t *testing.T) {
	rounds := 50
	if testing.Short() {
		rounds = 5
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	acknowledged := map[string]bool{}
	for round := range rounds {
		cmd := exec.Command(self, "-test.run=^$")
		cmd.Env = append(os.Environ(), childVariable+"="+dir, fmt.Sprintf("%s_BASE=%d", childVariable, round*100_000))
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for n := rand.IntN(40); n >= 0 && lines.Scan(); n-- {
			acknowledged[lines.Text()] = true
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() { // what it said before it died
			if id, err := store.ParseID(lines.Text()); err == nil {
				acknowledged[id.String()] = true
			}
		}
		_ = cmd.Wait() // killed
	}
	s := openTest(t, dir, Options{})
	all, err := s.Profiles(t.Context(), store.Query{}, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	stored := map[string]int{}
	for _, m := range all {
		stored[m.ID.String()]++
	}
	for id := range acknowledged {
		if stored[id] != 1 {
			t.Errorf("acknowledged profile %s is stored %d times", id, stored[id])
		}
	}
	for id, n := range stored {
		if n != 1 {
			t.Errorf("profile %s is stored %d times", id, n)
		}
	}
	if len(acknowledged) < rounds {
		t.Errorf("only %d acknowledged in %d rounds", len(acknowledged), rounds)
	}
	storetest.Clean(t, s, len(all))
	t.Logf("%d kills, %d acknowledged, %d stored", rounds, len(acknowledged), len(all))
}
