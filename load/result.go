package load

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/diag"
)

// Schema names the JSON form of [Result].
const Schema = "whet.load/2"

// schema1 is the version before Schema. It can be read, but is not written.
const schema1 = "whet.load/1"

// A Result is what a run measured. In JSON, durations are integers of nanoseconds, in keys that end
// in _ns.
type Result struct {
	Schema string `json:"schema"` // always [Schema]
	// Targets are the addresses, without passwords.
	Targets []string `json:"targets"`
	// Method is the method of all targets; "" when they differ.
	Method string `json:"method"`
	// Sent describes the requests.
	Sent        Sent     `json:"sent"`
	Protocol    Protocol `json:"protocol"`
	Connections int      `json:"connections"`
	// Streams is the number of requests in flight on each HTTP2 connection; 0 for HTTP1.
	Streams int    `json:"streams,omitempty"`
	Engine  Engine `json:"engine"`
	// EngineChoice is the reason for Engine, with its measurements; nil in old results.
	EngineChoice *EngineChoice `json:"engine_choice,omitempty"`
	// Workers is the number of event loops; 0 for NetHTTP.
	Workers int   `json:"workers,omitempty"`
	Model   Model `json:"model"`
	// Open describes the requested arrivals of the open model; nil for the closed one.
	Open    *Open     `json:"open,omitempty"`
	Started time.Time `json:"started"` // start of the measured part

	// Elapsed is the length of the measured part, Warmup of the part before it.
	Elapsed time.Duration `json:"elapsed_ns"`
	Warmup  time.Duration `json:"warmup_ns"`
	// Interrupted reports whether the caller's context ended the run.
	Interrupted bool `json:"interrupted"`

	// Requests is the number of measured requests that finished: Responses plus Errors.
	Requests int64 `json:"requests"`
	// Responses is the number of complete answers, whatever their status.
	Responses int64 `json:"responses"`
	// Unfinished is the number of requests cut off at the end of the run. They are not in Requests.
	Unfinished int64 `json:"unfinished"`
	// Errors counts the requests without a complete answer.
	Errors Errors `json:"errors"`
	// Status counts the complete answers by status code.
	Status map[int]int64 `json:"status"`
	// Bytes is the number of body bytes received in complete answers, as sent, without
	// decompression.
	Bytes int64 `json:"bytes"`
	// Rate is the number of complete answers per second of Elapsed.
	Rate float64 `json:"rate"`

	// Connects is the number of connections opened, warm-up included. With keep-alive it equals
	// Connections.
	Connects int64 `json:"connects"`
	// Retries counts requests sent again because the server had closed their kept-alive connection.
	Retries int64 `json:"retries"`

	// Latency covers the complete answers, to the last byte of each: in the closed model from just
	// before the request is written, in the open model from when it should have been written.
	Latency Latency `json:"latency"`
	// Phases splits Latency, and the opening of connections; nil without answers.
	Phases *Phases `json:"phases,omitempty"`
	// SendDelay is how late requests were sent; nil in the closed model.
	SendDelay *SendDelay `json:"send,omitempty"`
	// Seconds is the run second by second. The last one may be shorter or, with a remainder of less
	// than a tenth, a little longer.
	Seconds []Second `json:"seconds"`
	// PerTarget holds the results of each target, or of each name that targets share, in their
	// order; nil when there is only one.
	PerTarget []TargetResult `json:"per_target,omitempty"`
	// CPU is the generator's own cost; nil where the system does not report it.
	CPU *CPU `json:"cpu,omitempty"`
	// TargetCPU is what the target's process used in the same time; nil when it is not a local
	// process or the system does not report it.
	TargetCPU *TargetCPU `json:"target_cpu,omitempty"`
	// Others is the CPU time of all other programs on the machine in the same time; nil when the
	// target is not a local process or the system does not report it.
	Others *OtherCPU `json:"other_cpu,omitempty"`
	// Warnings are the reasons to distrust the numbers, which [Result.Verdict] returns, most
	// serious first, followed by everything else that was unusual.
	Warnings Warnings `json:"warnings,omitempty"`
}

// UnmarshalJSON implements [json.Unmarshaler]. It also reads version 1, in which the reasons to
// distrust the numbers are a separate list and warnings are strings, and converts it to the current
// version.
func (r *Result) UnmarshalJSON(data []byte) error {
	type fields Result
	v := struct {
		*fields
		Reasons Warnings `json:"doubts"`
	}{fields: (*fields)(r)}
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	if r.Schema == schema1 {
		r.Schema = Schema
	}
	if len(v.Reasons) > 0 {
		r.Warnings = append(v.Reasons, r.Warnings...)
	}
	return nil
}

// Errors counts failed requests by kind. Each request has one kind.
type Errors struct {
	Connect   int64 `json:"connect"`    // no connection, or no TLS session on it
	Timeout   int64 `json:"timeout"`    // no complete answer within Options.Timeout
	Reset     int64 `json:"reset"`      // connection closed or reset before the answer was complete
	ShortBody int64 `json:"short_body"` // connection closed before the announced end of the body
	Malformed int64 `json:"malformed"`  // the answer is not HTTP
	// connection dropped: the server sent far more non-answer bytes than it needs to
	Flood int64 `json:"flood"`
	Other int64 `json:"other"` // anything else
	// First holds the first message of each kind, by the kind's JSON key.
	First map[string]string `json:"first,omitempty"`
}

// Total returns the number of failed requests.
func (e Errors) Total() int64 {
	return e.Connect + e.Timeout + e.Reset + e.ShortBody + e.Malformed + e.Flood + e.Other
}

// An ErrorKind counts the failed requests of one kind.
type ErrorKind struct {
	Name  string // in words: "short body"
	Count int64
	First string // the first message; "" if unknown
}

// Kinds returns the kinds of errors that occurred.
func (e Errors) Kinds() []ErrorKind {
	var out []ErrorKind
	for _, k := range []struct {
		key   string
		count int64
	}{
		{"connect", e.Connect},
		{"timeout", e.Timeout},
		{"reset", e.Reset},
		{"short_body", e.ShortBody},
		{"malformed", e.Malformed},
		{"flood", e.Flood},
		{"other", e.Other},
	} {
		if k.count > 0 {
			out = append(out, ErrorKind{strings.ReplaceAll(k.key, "_", " "), k.count, e.First[k.key]})
		}
	}
	return out
}

// Failed returns the number of complete answers with a status of 400 or above.
func (r *Result) Failed() int64 {
	var n int64
	for code, count := range r.Status {
		if code >= 400 {
			n += count
		}
	}
	return n
}

// Failures summarizes Failed and Errors, such as "404: 12, connect: 3"; "" when there are none.
func (r *Result) Failures() string {
	var out []string
	for _, code := range slices.Sorted(maps.Keys(r.Status)) {
		if code >= 400 {
			out = append(out, fmt.Sprintf("%d: %d", code, r.Status[code]))
		}
	}
	for _, kind := range r.Errors.Kinds() {
		out = append(out, fmt.Sprintf("%s: %d", kind.Name, kind.Count))
	}
	return strings.Join(out, ", ")
}

// A Latency summarizes a distribution of latencies. The percentiles come from an HDR histogram with
// three significant digits; Min, Max and Mean are exact. All are zero when there was no answer, and
// JSON then omits the percentiles.
type Latency struct {
	Min    time.Duration `json:"min_ns"`
	Mean   time.Duration `json:"mean_ns"`
	StdDev time.Duration `json:"stddev_ns"`
	P50    time.Duration `json:"p50_ns,omitempty"`
	P75    time.Duration `json:"p75_ns,omitempty"`
	P90    time.Duration `json:"p90_ns,omitempty"`
	P95    time.Duration `json:"p95_ns,omitempty"`
	P99    time.Duration `json:"p99_ns,omitempty"`
	P999   time.Duration `json:"p99_9_ns,omitempty"`
	P9999  time.Duration `json:"p99_99_ns,omitempty"`
	Max    time.Duration `json:"max_ns"`
	// HDR is the histogram in nanoseconds in the compressed V2 encoding that all HdrHistogram
	// libraries read, in base64.
	HDR string `json:"hdr,omitempty"`
}

// A Second is one slice of the measured part, normally one second long.
type Second struct {
	Start     time.Duration `json:"start_ns"` // since Result.Started
	Elapsed   time.Duration `json:"elapsed_ns"`
	Partial   bool          `json:"partial,omitempty"` // shorter than a second, as the last one may be
	Responses int64         `json:"responses"`
	Rate      float64       `json:"rate"` // Responses per second of Elapsed
	Errors    int64         `json:"errors"`
	Bytes     int64         `json:"bytes"`
	P50       time.Duration `json:"p50_ns,omitempty"`
	P99       time.Duration `json:"p99_ns,omitempty"`
	Max       time.Duration `json:"max_ns"`
	// TargetCPU is the CPU time of the target's process in the slice; 0 when it is not a local
	// process or the system does not report it.
	TargetCPU time.Duration `json:"target_cpu_ns,omitempty"`
	// Status counts the answers by status code; nil if all were 200.
	Status map[int]int64 `json:"status,omitempty"`
	// Failures counts the errors by kind, with the keys of Result.Errors; nil without errors.
	Failures map[string]int64 `json:"failures,omitempty"`
}

// A CPU is the CPU time that this process used during the measured part: the generator, and
// anything else in the process. If the server runs on the same machine, it is missing there.
type CPU struct {
	Total      time.Duration `json:"total_ns"`
	PerRequest time.Duration `json:"per_request_ns"` // Total over Requests
	Cores      float64       `json:"cores"`          // Total over Elapsed
}

// An Open describes the arrivals requested in the open model.
type Open struct {
	Rate     float64       `json:"rate"`              // requests per second, at the start
	RampTo   float64       `json:"ramp_to,omitempty"` // at the end of Ramp; 0 means Rate throughout
	Ramp     time.Duration `json:"ramp_ns,omitempty"`
	Arrivals Arrivals      `json:"arrivals"`
}

// A SendDelay is how late the requests of the open model were sent: actual minus intended time.
// Latencies include it.
type SendDelay struct {
	P50  time.Duration `json:"p50_ns,omitempty"`
	P90  time.Duration `json:"p90_ns,omitempty"`
	P99  time.Duration `json:"p99_ns,omitempty"`
	P999 time.Duration `json:"p99_9_ns,omitempty"`
	Max  time.Duration `json:"max_ns"`
	// Own is the 99th percentile over the requests for which a connection was free when they were
	// due: the generator's own delay.
	Own time.Duration `json:"own_p99_ns"`
	// Waited is the number of requests that were due while no connection was free.
	Waited int64 `json:"waited"`
}

// A TargetCPU is the CPU time of the target's process.
type TargetCPU struct {
	CPU
	PID     int    `json:"pid,omitempty"`     // 0 when Options.TargetCPU supplied the time
	Command string `json:"command,omitempty"` // name of its executable
}

// An OtherCPU is the CPU time of programs other than the generator and the target.
type OtherCPU struct {
	Total time.Duration `json:"total_ns"`
	Share float64       `json:"share"` // of all CPUs, 0 to 1
}

// A Warning is something that the reader of a result must know.
type Warning = diag.Warning

// Warnings are the warnings of a result.
type Warnings = diag.Warnings

// The kinds of warnings that are reasons to distrust a result.
const (
	// GeneratorLate: the generator sent requests late although connections were free.
	GeneratorLate = "generator_late"
	// GeneratorCPU: the generator used all the CPU time available to it.
	GeneratorCPU = "generator_cpu"
	// RateMissed: fewer requests were sent than requested, or many had to wait for a connection.
	RateMissed = "rate_missed"
	// ErrorsHide: so many requests failed that the latencies of the rest mean little.
	ErrorsHide = "errors"
	// TooShort: there are too few answers for the percentiles shown.
	TooShort = "too_short"
)

// Verdict returns the warnings that are reasons to distrust the numbers, the most serious first; nil
// means that none were found.
func (r *Result) Verdict() Warnings {
	var reasons Warnings
	for _, w := range r.Warnings {
		switch w.Kind {
		case GeneratorLate, GeneratorCPU, RateMissed, ErrorsHide, TooShort:
			reasons = append(reasons, w)
		}
	}
	return reasons
}
