package ingest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect"
	pushv1 "github.com/grafana/pyroscope/api/gen/proto/go/push/v1"
	"github.com/grafana/pyroscope/api/gen/proto/go/push/v1/pushv1connect"
	typesv1 "github.com/grafana/pyroscope/api/gen/proto/go/types/v1"

	"github.com/whet-go/whet/internal/scrape/buffer"
	"github.com/whet-go/whet/internal/scrape/spool"
)

// TestSpool sends over HTTP and gRPC while the store is away: what is acknowledged is stored when it is
// back, by the next process. When the buffer is full, clients get 503 and when to try again.
func TestSpool(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m := &memory{err: errors.New("connection refused by db1 in /secret")}
	open := func() (*spool.Spool, *buffer.Buffer) {
		disk, err := buffer.Open(dir, buffer.Options{Size: 100 << 10, Keep: true, Warn: func(err error) { t.Error(err) }})
		if err != nil {
			t.Fatal(err)
		}
		return spool.New(spool.Options{Writer: m, Disk: disk}), disk
	}
	waits, disk := open()
	s := serve(t, New(Options{Writer: waits}))
	_, two := clients(t)
	file := raw(t, 300)
	push := func(n int) error {
		c := pushv1connect.NewPusherServiceClient(two, s.URL, connect.WithGRPC())
		_, err := c.Push(t.Context(), connect.NewRequest(&pushv1.PushRequest{Series: []*pushv1.RawProfileSeries{{
			Labels: []*typesv1.LabelPair{
				{Name: "__name__", Value: "process_cpu"},
				{Name: "service_name", Value: "shop"},
				{Name: "n", Value: fmt.Sprint("grpc", n)},
			},
			Samples: []*pushv1.RawSample{{RawProfile: file}},
		}}}))
		return err
	}
	acknowledged := map[string]bool{}
	refused, refusedRPC := 0, 0
	for n := range 60 {
		r, text := post(t, s.URL+"/ingest/pprof?service=shop&label.n=http"+fmt.Sprint(n), nil, file)
		switch r.StatusCode {
		case http.StatusNoContent:
			acknowledged["http"+fmt.Sprint(n)] = true
		case http.StatusServiceUnavailable:
			refused++
			if r.Header.Get("Retry-After") == "" || !strings.Contains(text, "the buffer is full (limit 100kB)") ||
				strings.Contains(text, "secret") || strings.Contains(text, dir) {
				t.Errorf("refused with %v: %s", r.Header, text)
			}
		default:
			t.Fatalf("%s: %s", r.Status, text)
		}
		switch err := push(n); {
		case err == nil:
			acknowledged["grpc"+fmt.Sprint(n)] = true
		case connect.CodeOf(err) == connect.CodeUnavailable && strings.Contains(err.Error(), "the buffer is full"):
			refusedRPC++
		default:
			t.Fatal(err)
		}
	}
	if len(acknowledged) < 4 || refused < 20 || refusedRPC < 20 || len(m.stored()) > 0 {
		t.Errorf("%d acknowledged, %d and %d refused, %d stored", len(acknowledged), refused, refusedRPC, len(m.stored()))
	}
	// Errors of clients are still theirs.
	if r, text := post(t, s.URL+"/ingest/pprof", nil, file); r.StatusCode != http.StatusBadRequest {
		t.Errorf("no service: %s %s", r.Status, text)
	}

	// The process ends without sending anything, and the next one finds what it kept.
	if err := disk.Close(); err != nil {
		t.Fatal(err)
	}
	m.mu.Lock()
	m.err = nil
	m.mu.Unlock()
	waits, disk = open()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		waits.Run(ctx)
	}()
	for waits.Buffered() > 0 {
		if t.Context().Err() != nil {
			t.Fatal("it is not sent")
		}
	}
	stop()
	<-done
	for _, p := range m.stored() {
		delete(acknowledged, p.Labels.Get("n"))
	}
	if len(acknowledged) > 0 {
		t.Errorf("acknowledged and lost: %v", acknowledged)
	}
	if err := disk.Close(); err != nil {
		t.Error(err)
	}
}
