package workbench

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/whet-go/whet/collect"
	"github.com/whet-go/whet/internal/report/reporttest"
	"github.com/whet-go/whet/internal/server/access"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/ui"
)

// A ledger is a service with a lock that is held too long, and goroutines that never end.
type ledger struct {
	mu      sync.Mutex
	entries int
	changes chan int
}

// audit holds the lock as long as it waits for something else.
func (l *ledger) audit(http.ResponseWriter, *http.Request) {
	l.mu.Lock()
	time.Sleep(30 * time.Millisecond)
	l.mu.Unlock()
}

func (l *ledger) balance(http.ResponseWriter, *http.Request) {
	l.mu.Lock()
	l.entries++
	l.mu.Unlock()
}

// follow starts a goroutine that waits for changes, which are never sent.
func (l *ledger) follow(http.ResponseWriter, *http.Request) {
	go func() { l.entries += <-l.changes }()
}

// ledgerService serves a ledger and its profiles.
func ledgerService(t *testing.T) string {
	t.Helper()
	l := &ledger{changes: make(chan int)}
	t.Cleanup(func() { close(l.changes) })
	mux := debugMux()
	mux.HandleFunc("/audit", l.audit)
	mux.HandleFunc("/balance", l.balance)
	mux.HandleFunc("/follow", l.follow)
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

// recordLedger records a ledger under a load of balances, while others audit and follow it.
func recordLedger(t *testing.T, out string) {
	t.Helper()
	defer runtime.SetMutexProfileFraction(runtime.SetMutexProfileFraction(1))
	address := ledgerService(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	others, stop := context.WithCancel(ctx)
	var wait sync.WaitGroup
	for _, path := range []string{"/audit", "/follow"} {
		wait.Go(func() {
			for others.Err() == nil {
				time.Sleep(60 * time.Millisecond)
				if r, err := http.Get(address + path); err == nil { //nolint:noctx // it ends with the service
					_ = r.Body.Close() // nothing is read
				}
			}
		})
	}
	sum, err := collect.Run(ctx, collect.Options{
		URL: address, Out: out, Duration: 3 * time.Second, Trace: time.Second,
		Load: &load.Options{URL: address + "/balance", Connections: 2, Rate: 100},
	})
	stop()
	wait.Wait()
	cancel()
	if err != nil || len(sum.Failures) > 0 {
		t.Fatal(err, sum)
	}
}

// TestJourneyCauses finds out in a real browser why a service is slow, as ui/journey/causes.mjs says.
func TestJourneyCauses(t *testing.T) {
	reporttest.RunJourney(t, "causes.mjs", func() map[string][]byte {
		dir := t.TempDir()
		recordLedger(t, filepath.Join(dir, "ledger.whet"))
		s, _ := serveDir(t, dir, access.Options{}, func(o *Options) {
			o.Assets = ui.App()
			o.Own = []string{"github.com/whet-go/whet"}
		})
		server := httptest.NewServer(s)
		t.Cleanup(server.Close)
		return map[string][]byte{"address": []byte(server.URL)}
	})
}
