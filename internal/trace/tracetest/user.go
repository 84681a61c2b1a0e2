package tracetest

import (
	"bytes"
	"context"
	"runtime/trace"
	"testing"
	"time"
)

// User returns a trace of this process in which twenty goroutines, one after the other, have a task with a region and a
// message, all of them called name.
func User(t testing.TB, name string) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		done := make(chan struct{})
		go func() {
			defer close(done)
			ctx, task := trace.NewTask(context.Background(), name)
			defer task.End()
			trace.WithRegion(ctx, name, func() {
				trace.Log(ctx, name, name)
				time.Sleep(time.Millisecond)
			})
		}()
		<-done
	}
	trace.Stop()
	return out.Bytes()
}
