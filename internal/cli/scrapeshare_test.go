package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/cli"
	"github.com/whet-go/whet/internal/scrape"
)

// TestShare has two processes with one configuration: whet serve --scrape, and whet watch that stores at
// its address. They divide the targets, and when one ends the other has all.
func TestShare(t *testing.T) {
	if testing.Short() {
		t.Skip("a process that joins waits for a lease")
	}
	dir := t.TempDir()
	if err := writeProfiles(dir); err != nil {
		t.Fatal(err)
	}
	const services = 16
	var list []string
	for range services {
		server := httptest.NewServer(pprofHandler(dir, ""))
		t.Cleanup(server.Close)
		list = append(list, fmt.Sprintf("%q", server.Listener.Addr()))
	}
	config := filepath.Join(dir, "targets.yaml")
	if err := os.WriteFile(config, []byte(`{share: {name: shop, lease: 10s}, scrape_configs: [{job_name: shop,
		scrape_interval: 1s, profiles: [heap], static_configs: [{targets: [`+strings.Join(list, ", ")+`]}]}]}`),
		0o600); err != nil {
		t.Fatal(err)
	}
	address := serving(t, "--store", filepath.Join(t.TempDir(), "profiles"), "--scrape", config, t.TempDir())
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var out, stderr bytes.Buffer
	code := make(chan int, 1)
	go func() {
		args := []string{"watch", "--config", config, "--store", address, "--buffer", "none"}
		code <- cli.Main(ctx, args, strings.NewReader(""), &out, &stderr)
	}()
	// until reads the state of all targets until they are divided among this number of processes.
	until := func(processes int) {
		t.Helper()
		var s scrape.Status
		for t.Context().Err() == nil {
			answer, err := http.Get(address + "/api/v1/store/targets")
			if err != nil {
				t.Fatal(err)
			}
			s = scrape.Status{}
			err = json.NewDecoder(answer.Body).Decode(&s)
			_ = answer.Body.Close()
			if err != nil {
				t.Fatal(err)
			}
			owners, up := map[string]int{}, 0
			for _, target := range s.Targets {
				if target.State == scrape.Up {
					owners[target.Owner]++
					up++
				}
			}
			if up == services && len(owners) == processes && owners[""] == 0 && len(s.Members) == processes {
				return
			}
			time.Sleep(50 * time.Millisecond) // the server works meanwhile
		}
		t.Fatalf("%+v", s)
	}
	until(2)
	stop()
	if got := <-code; got != 0 {
		t.Errorf("exit code %d\n%s", got, &stderr)
	}
	until(1)
}
