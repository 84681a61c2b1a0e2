package agent

import (
	"errors"
	"fmt"
	"net/http"
	"runtime/trace"
	"sync"
	"time"
)

// DefaultFlightBytes bounds the flight recorder's window unless [Options] say otherwise. A busy service
// writes 2 to 10 MB of trace a second.
const DefaultFlightBytes = 32 << 20

// Flight is what [Info] says of the flight recorder.
type Flight struct {
	// Window is how much is kept at least, unless that is more than MaxBytes, in which case it is less.
	Window   time.Duration `json:"window_ns"`
	MaxBytes int64         `json:"max_bytes"`
}

// flightRecorder keeps the last seconds of the execution trace. A nil one keeps none.
type flightRecorder struct {
	Flight

	mu       sync.Mutex // held while a snapshot is written
	recorder *trace.FlightRecorder
	stopped  bool
}

// startFlight starts the recorder that o wants; nil if it wants none. There is one per process.
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

// info is what Info says; nil without a recorder.
func (f *flightRecorder) info() *Flight {
	if f == nil {
		return nil
	}
	return &f.Flight
}

// stop waits for the snapshot that is written, if there is one.
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
			"this agent keeps no flight recording: set Options.Flight, such as 10 * time.Second")
		return
	}
	if !f.mu.TryLock() {
		serveError(w, http.StatusTooManyRequests, "a snapshot of the flight recorder is being written to another caller")
		return
	}
	defer f.mu.Unlock()
	if f.stopped {
		serveError(w, http.StatusServiceUnavailable, "this agent is being closed")
		return
	}
	attach(w, "flight")
	_, _ = f.recorder.WriteTo(w) // the caller sees a trace that is cut off
}
