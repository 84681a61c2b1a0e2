package agent

import (
	"errors"
	"fmt"
	"net/http"
	"runtime/trace"
	"sync"
	"time"
)

// DefaultFlightBytes bounds the flight recorder's trace unless [Options] set another limit. A busy
// service writes 2 to 10 MB of trace per second.
const DefaultFlightBytes = 32 << 20

// Flight describes the flight recorder in [Info].
type Flight struct {
	// Window is the minimum time kept, unless that takes more than MaxBytes.
	Window   time.Duration `json:"window_ns"`
	MaxBytes int64         `json:"max_bytes"`
}

// flightRecorder keeps the last seconds of the execution trace. A nil one keeps nothing.
type flightRecorder struct {
	Flight

	mu       sync.Mutex // held while a snapshot is written
	recorder *trace.FlightRecorder
	stopped  bool
}

// startFlight starts the recorder that o requests, or returns nil. A process can have only one.
func startFlight(o Options) (*flightRecorder, error) {
	if o.Flight < 0 || o.FlightBytes < 0 {
		return nil, errors.New("start agent: Flight and FlightBytes must not be negative")
	}
	if o.Flight == 0 {
		return nil, nil
	}
	f := &flightRecorder{Flight: Flight{Window: o.Flight, MaxBytes: o.FlightBytes}}
	if f.MaxBytes == 0 {
		f.MaxBytes = DefaultFlightBytes
	}
	f.recorder = trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: f.Window, MaxBytes: uint64(f.MaxBytes)})
	if err := f.recorder.Start(); err != nil {
		return nil, fmt.Errorf("start agent: start flight recorder: %w", err)
	}
	return f, nil
}

// info returns the recorder's part of [Info]; nil without a recorder.
func (f *flightRecorder) info() *Flight {
	if f == nil {
		return nil
	}
	return &f.Flight
}

// stop waits for the snapshot being written, if any.
func (f *flightRecorder) stop() {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped = true
	f.recorder.Stop()
}

// serve writes a snapshot: the trace of the seconds before now.
func (f *flightRecorder) serve(w http.ResponseWriter, _ *http.Request) {
	if f == nil {
		serveError(w, http.StatusNotFound,
			"this agent has no flight recorder: set Options.Flight, for example to 10 * time.Second")
		return
	}
	if !f.mu.TryLock() {
		serveError(w, http.StatusTooManyRequests, "another snapshot of the flight recorder is in progress")
		return
	}
	defer f.mu.Unlock()
	if f.stopped {
		serveError(w, http.StatusServiceUnavailable, "this agent is closing")
		return
	}
	attach(w, "flight")
	_, _ = f.recorder.WriteTo(w) // the caller sees a truncated trace
}
