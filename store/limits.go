package store

import (
	"fmt"
	"net/http"
	"sync"
	"time"
	"unicode/utf8"
)

// Limits bound what clients may store. A zero field means the default.
type Limits struct {
	Body        int64   // bytes of a request, compressed or not; 64 MiB
	Samples     int     // of one profile; 1 000 000
	Labels      int     // of one profile; 32
	LabelValue  int     // bytes of a label's value or a service's name; 1024
	Series      int     // per tenant; 10 000
	ProfileRate float64 // profiles per second and tenant, averaged; unlimited if not positive
	Burst       int     // profiles at once above the rate; the profiles of 60 seconds
	Recording   int64   // bytes of one recording; 64 MiB
	Recordings  int64   // bytes of all recordings of a service and tenant, the newest; 1 GiB
}

// WithDefaults returns l with defaults for the fields that are zero.
func (l Limits) WithDefaults() Limits {
	set := func(p *int, v int) {
		if *p == 0 {
			*p = v
		}
	}
	if l.Body == 0 {
		l.Body = 64 << 20
	}
	set(&l.Samples, 1_000_000)
	set(&l.Labels, 32)
	set(&l.LabelValue, 1024)
	set(&l.Series, 10_000)
	set(&l.Burst, max(1, int(60*l.ProfileRate)))
	if l.Recording == 0 {
		l.Recording = 64 << 20
	}
	if l.Recordings == 0 {
		l.Recordings = 1 << 30
	}
	return l
}

// Flags of `whet serve` that raise limits.
const (
	BodyFlag    = "--max-body"
	SamplesFlag = "--max-samples"
	SeriesFlag  = "--max-series"
)

// A LimitError reports that a client exceeded a limit.
type LimitError struct {
	What  string // what is limited: "samples in a profile"
	Limit int64
	Got   int64  // 0 when unknown
	Flag  string // the flag of `whet serve` that raises it; "" for none
	// RetryAfter is how long the client should wait; 0 if waiting does not help.
	RetryAfter time.Duration
}

// Error returns the limit and what exceeded it.
func (e *LimitError) Error() string {
	if e.Got > 0 {
		return fmt.Sprintf("too many %s: %d (limit %d)", e.What, e.Got, e.Limit)
	}
	return fmt.Sprintf("too many %s (limit %d)", e.What, e.Limit)
}

// Status returns the status of the HTTP answer: 429 if it helps to wait, in which case
// Retry-After is RetryAfter in seconds, rounded up; else 413.
func (e *LimitError) Status() int {
	if e.RetryAfter > 0 {
		return http.StatusTooManyRequests
	}
	return http.StatusRequestEntityTooLarge
}

// Hint returns what to do.
func (e *LimitError) Hint() string {
	what := "send less"
	if e.RetryAfter > 0 {
		what = fmt.Sprintf("send it again in %v", e.RetryAfter)
	}
	if e.Flag != "" {
		what += ", or raise the limit of the server: whet serve " + e.Flag
	}
	return what
}

// An InvalidError reports a profile that cannot be stored as it is; HTTP answers 400.
type InvalidError struct {
	Index int // in the batch; negative: the error is not about a profile
	Err   error
}

// Error returns what is wrong with which profile.
func (e *InvalidError) Error() string {
	if e.Index < 0 {
		return e.Err.Error()
	}
	return fmt.Sprintf("profile %d of the batch: %v", e.Index+1, e.Err)
}

// Unwrap returns the cause.
func (e *InvalidError) Unwrap() error { return e.Err }

// Status returns 400.
func (e *InvalidError) Status() int { return http.StatusBadRequest }

// CheckTenant returns an error if name cannot be a tenant: it is "" or at most 64 letters, digits
// and ._-, beginning with a letter or digit.
func CheckTenant(name string) error {
	for i := range len(name) {
		c := name[i]
		word := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !word && (i == 0 || c != '.' && c != '_' && c != '-') || i == 64 {
			return fmt.Errorf("tenant %q (want at most 64 letters, digits and ._-)", name)
		}
	}
	return nil
}

// Check returns an *InvalidError or a *LimitError for the first profile of a batch that cannot be
// stored. It does not check Body, Series and the rate.
func (l Limits) Check(profiles []Profile) error {
	l = l.WithDefaults()
	for i := range profiles {
		p := &profiles[i]
		if err := p.check(); err != nil {
			return &InvalidError{i, err}
		}
		if got := p.Data.NumSamples(); got > l.Samples {
			return &LimitError{What: "samples in a profile", Got: int64(got), Limit: int64(l.Samples), Flag: SamplesFlag}
		}
		if err := l.checkNames("profile", p.Service, p.Labels); err != nil {
			return err
		}
	}
	return nil
}

// checkNames returns a *LimitError if there are too many labels of a thing, or one is too long.
func (l Limits) checkNames(thing, service string, labels Labels) error {
	exceeds := func(what string, got, limit int, flag string) error {
		if got <= limit {
			return nil
		}
		return &LimitError{What: what, Got: int64(got), Limit: int64(limit), Flag: flag}
	}
	if err := exceeds("labels of a "+thing, len(labels), l.Labels, "--max-labels"); err != nil {
		return err
	}
	if err := exceeds("bytes in the name of a service", len(service), l.LabelValue, ""); err != nil {
		return err
	}
	for _, label := range labels {
		if err := exceeds("bytes in a label", max(len(label.Name), len(label.Value)), l.LabelValue, ""); err != nil {
			return err
		}
	}
	return nil
}

// maxKind is the length of the longest kind.
const maxKind = 64

func (p *Profile) check() error {
	switch {
	case p.Data == nil:
		return fmt.Errorf("no data")
	case p.Service == "" || !utf8.ValidString(p.Service):
		return fmt.Errorf("service %q (want a name)", p.Service)
	case !isKind(p.Kind):
		return fmt.Errorf("kind %q (want lower-case letters, digits and underscores)", p.Kind)
	case p.Start.IsZero() || p.Start.Year() < 1970 || p.Start.Year() > 2200:
		return fmt.Errorf("start %s (want the time when the measurement began)", p.Start.Format(time.RFC3339))
	case p.Duration < 0:
		return fmt.Errorf("duration %v is negative", p.Duration)
	}
	return p.Labels.check()
}

func isKind(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isNameByte(c, i) || c >= 'A' && c <= 'Z' {
			return false
		}
	}
	return s != "" && len(s) <= maxKind
}

// A Bucket limits the rate of profiles of each tenant. It is safe for concurrent use; the zero
// Bucket allows everything.
type Bucket struct {
	rate  float64
	burst float64
	mu    sync.Mutex
	full  map[string]time.Time // by tenant: when its tokens are all there again
}

// NewBucket returns a bucket with the rate of l.
func NewBucket(l Limits) *Bucket {
	l = l.WithDefaults()
	return &Bucket{rate: l.ProfileRate, burst: float64(l.Burst), full: map[string]time.Time{}}
}

// Take takes n tokens of a tenant, or returns a *LimitError with the time to wait and takes none. A
// batch larger than the burst is taken if nothing else was.
func (b *Bucket) Take(tenant string, n int, now time.Time) error {
	if b.rate <= 0 {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	full := b.full[tenant]
	if full.Before(now) {
		full = now
	}
	span := func(tokens float64) time.Duration { return time.Duration(tokens / b.rate * float64(time.Second)) }
	if wait := full.Sub(now) + span(min(float64(n), b.burst)) - span(b.burst); wait > 0 {
		return &LimitError{What: "profiles per second", Limit: int64(max(1, b.rate)), RetryAfter: wait, Flag: "--max-rate"}
	}
	b.full[tenant] = full.Add(span(float64(n)))
	return nil
}
