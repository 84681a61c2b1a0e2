package load

import (
	"math"
	"strings"
	"testing"
	"time"
)

// good returns a result that there is no reason to distrust.
func good() *Result {
	return &Result{
		Model: ModelOpen, Open: &Open{Rate: 20_000, Arrivals: Constant}, Engine: IOUring, Workers: 1, Connections: 64,
		Elapsed: 10 * time.Second, Requests: 200_000, Responses: 200_000, Rate: 20_000, Status: map[int]int64{200: 200_000},
		Latency:   Latency{P99: 5 * time.Millisecond},
		SendDelay: &SendDelay{Own: time.Millisecond}, CPU: &CPU{Cores: 0.9},
	}
}

func TestJudgeBorders(t *testing.T) {
	tests := []struct {
		name     string
		change   func(*Result)
		cpus     int
		requests int64
		want     string // "" for none
		text     string // part of Text and Hint
	}{
		{name: "nothing", change: func(*Result) {}},

		{name: "1% fails", change: func(r *Result) {
			r.Status = map[int]int64{
				200: 198_000,
				503: 1_000,
			}
			r.Errors.Reset = 1_000
		}},
		{
			name:   "more than 1% fails",
			change: func(r *Result) { r.Status = map[int]int64{200: 197_999, 503: 1_001}; r.Errors.Reset = 1_000 },
			want:   ErrorsHide, text: "503: 1001, reset: 1000",
		},
		{
			name: "redirects are no failures", change: func(r *Result) { r.Status = map[int]int64{302: 200_000} },
		},

		{name: "late by 1 ms", change: func(r *Result) { r.SendDelay.Own = time.Millisecond; r.Latency.P99 = 0 }},
		{
			name: "late by more", change: func(r *Result) { r.SendDelay.Own = time.Millisecond + 1 },
			want: GeneratorLate, text: "1ms or more late",
		},
		{
			name:   "late by a tenth of p99",
			change: func(r *Result) { r.Latency.P99 = time.Second; r.SendDelay.Own = 100 * time.Millisecond },
		},
		{
			name:   "late by more than a tenth of p99",
			change: func(r *Result) { r.Latency.P99 = time.Second; r.SendDelay.Own = 101 * time.Millisecond },
			want:   GeneratorLate,
		},

		{
			name: "one loop busy", change: func(r *Result) { r.CPU.Cores = 0.91 },
			want: GeneratorCPU, text: "0.91 of the 1 CPU",
		},
		{
			name: "one loop of four busy", cpus: 4, change: func(r *Result) { r.CPU.Cores = 0.91 },
			want: GeneratorCPU, text: "--workers 2",
		},
		{name: "two loops of four half busy", cpus: 4, change: func(r *Result) { r.Workers = 2; r.CPU.Cores = 1.8 }},
		{
			name: "more loops than processors", cpus: 2, change: func(r *Result) { r.Workers = 4; r.CPU.Cores = 1.81 },
			want: GeneratorCPU,
		},
		{
			name: "net/http has all processors", cpus: 4,
			change: func(r *Result) { r.Engine = NetHTTP; r.Workers = 0; r.CPU.Cores = 3.6 },
		},
		{
			name: "net/http has used all", cpus: 4, change: func(r *Result) {
				r.Engine = NetHTTP
				r.Workers = 0
				r.CPU.Cores = 3.61
			},
			want: GeneratorCPU, text: "4 CPUs",
		},
		{name: "CPU time unknown", change: func(r *Result) { r.CPU = nil }},
		{
			name: "closed and busy", change: func(r *Result) {
				r.Model = ModelClosed
				r.Open = nil
				r.SendDelay = nil
				r.CPU.Cores = 1
			},
			want: GeneratorCPU, text: "(-r)",
		},

		{name: "97% sent", change: func(r *Result) { r.Requests = 194_000 }},
		{
			name: "less sent", change: func(r *Result) { r.Requests = 193_998 },
			want: RateMissed, text: "193998 of 200000",
		},
		{
			name: "in flight at the end", change: func(r *Result) { r.Requests = 193_998 - 64; r.Unfinished = 64 },
			want: RateMissed,
		},
		{
			name: "in flight and missing", change: func(r *Result) { r.Requests = 193_900; r.Unfinished = 10_000 },
			want: RateMissed, text: "193964 of",
		},
		{
			name:   "streams are in flight too",
			change: func(r *Result) { r.Streams = 100; r.Requests = 193_900; r.Unfinished = 10_000 },
		},
		{
			name:   "the last answers took long",
			change: func(r *Result) { r.Elapsed += time.Second; r.Latency.Max = time.Second },
		},
		{
			name:   "the last requests timed out",
			change: func(r *Result) { r.Elapsed += 10 * time.Second; r.Errors.Timeout = 1 },
		},
		{name: "all requests of -n sent", requests: 150_000, change: func(r *Result) { r.Requests = 150_000 }},
		{name: "ramp", change: func(r *Result) {
			r.Open.RampTo = 40_000
			r.Open.Ramp =
				20 * time.Second
			r.Requests = 250_000
		}},
		{
			name: "ramp missed", change: func(r *Result) {
				r.Open.RampTo = 40_000
				r.Open.Ramp = 20 * time.Second
				r.Requests = 242_000
			},
			want: RateMissed, text: "of 250000",
		},
		{name: "1% waited", change: func(r *Result) { r.SendDelay.Waited = 2_000 }},
		{name: "more waited", change: func(r *Result) { r.SendDelay.Waited = 2_001 }, want: RateMissed, text: "(-c)"},
		{
			name:   "closed has no rate to miss",
			change: func(r *Result) { r.Model = ModelClosed; r.Open = nil; r.SendDelay = nil; r.Requests = 110_000 },
		},

		{name: "enough for p99.99", change: func(r *Result) { r.Responses = 100_000 }},
		{
			name: "too few for p99.99", change: func(r *Result) { r.Responses = 99_999; r.Rate = 500 },
			want: TooShort, text: "above p99.9 are unreliable; at this rate p99.99 takes -d 3m20s (100000 answers)",
		},
		{
			name: "too few for p99", change: func(r *Result) { r.Responses = 999; r.Rate = 99.9 },
			want: TooShort, text: "above p95 are unreliable; at this rate p99 takes -d 11s (1000 answers) and p99.99 -d " +
				"16m42s (100000 answers)",
		},
		{
			name: "too few for all", change: func(r *Result) { r.Responses = 1; r.Rate = 1e-9 },
			want: TooShort, text: "only 1 answer: too few",
		},
		{
			name: "no answer", change: func(r *Result) { r.Responses = 0; r.Rate = 0 },
			want: TooShort, text: "no request was answered",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := good()
			tt.change(r)
			warnings := judge(r, max(tt.cpus, 1), tt.requests)
			switch {
			case tt.want == "" && len(warnings) == 0:
				return
			case len(warnings) != 1 || warnings[0].Kind != tt.want:
				t.Fatalf("warnings %+v, want %q", warnings, tt.want)
			}
			if got := warnings[0].Text + "; " + warnings[0].Hint; !strings.Contains(got, tt.text) || warnings[0].Hint == "" {
				t.Errorf("%q lacks %q", got, tt.text)
			}
		})
	}
}

// TestJudgePoisson allows random deviations of Poisson arrivals in a short run, but not in a long
// one.
func TestJudgePoisson(t *testing.T) {
	for _, tt := range []struct {
		rate float64
		sent int64
		want int
	}{
		{10, 80, 0}, {10, 60, 1}, {20_000, 194_100, 0}, {20_000, 193_900, 1},
	} {
		r := good()
		r.Open = &Open{Rate: tt.rate, Arrivals: Poisson}
		r.Requests = tt.sent
		if got := judge(r, 1, 0); len(got) != tt.want {
			t.Errorf("%d requests of %g/s: %+v", tt.sent, tt.rate, got)
		}
	}
}

func TestJudgeOrder(t *testing.T) {
	r := good()
	r.Errors.Reset = 50_000
	r.SendDelay.Own = time.Second
	r.CPU.Cores = 1
	r.Requests = 100_000
	r.Responses = 50_000
	var kinds []string
	for _, d := range judge(r, 8, 0) {
		kinds = append(kinds, d.Kind)
	}
	want := []string{ErrorsHide, GeneratorLate, GeneratorCPU, RateMissed, TooShort}
	if len(kinds) != len(want) {
		t.Fatalf("kinds %v, want %v", kinds, want)
	}
	for i := range want {
		if kinds[i] != want[i] {
			t.Errorf("kinds %v, want %v", kinds, want)
		}
	}
}

// TestOpenDue compares with the integral of the rate, summed in small steps.
func TestOpenDue(t *testing.T) {
	o := &Open{Rate: 1000, RampTo: 20_000, Ramp: 30 * time.Second}
	for _, d := range []time.Duration{0, 7 * time.Second, 30 * time.Second, 45 * time.Second} {
		const step = 0.001
		var want float64
		for x := step / 2; x < d.Seconds(); x += step {
			want += step * (1000 + 19_000*min(x/30, 1))
		}
		if got := o.due(d); math.Abs(got-want) > 1e-6*want+1e-9 {
			t.Errorf("%v: %v due, want %v", d, got, want)
		}
	}
}
