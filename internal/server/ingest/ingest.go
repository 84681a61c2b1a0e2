package ingest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"connectrpc.com/connect"
	"golang.org/x/sync/semaphore"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/scrape/buffer"
	"github.com/whet-go/whet/internal/server/access"
	"github.com/whet-go/whet/internal/server/problem"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store"
)

const (
	// maxDecode is the memory for the decoded profiles of one request, in bytes. As many requests as
	// there are CPUs have decoded profiles.
	maxDecode = 256 << 20
	// maxInflated is the uncompressed size of the largest profile, in bytes.
	maxInflated = 512 << 20
	// maxBodies is the memory for the bodies of all requests that are being read, in bytes.
	maxBodies = 256 << 20
	// maxWait is how long a request waits for this memory.
	maxWait = 5 * time.Second
	// maxRead is how long a client may take to send a body.
	maxRead = time.Minute
	// maxProfiles is the number of profiles in one request, maxLabels that of labels of a series, which
	// include those that are not stored.
	maxProfiles = 1000
	maxLabels   = 256
	// maxDepth is the number of frames in one stack, maxFunctions that of functions, in formats that
	// do not have a limit on memory.
	maxDepth     = 4096
	maxFunctions = 500_000
	// maxFrames is the number of frames in all samples of a profile, maxEntries that of the entries of
	// the tables that these refer to.
	maxFrames  = 16_000_000
	maxEntries = 4_000_000
)

// Options configure a Handler. Writer is required.
type Options struct {
	Writer store.Writer
	// Allow returns the tenant to which a request writes, or an error with the status of the answer.
	// nil allows everything for the tenant "".
	Allow func(r *http.Request) (tenant string, err error)
	// Limits are those of the store, which checks them. Here they bound the body of a request, and
	// formats in which small requests can become large profiles. Zero fields have defaults.
	Limits store.Limits
	// Recordings keeps whole recordings; nil means that none are taken.
	Recordings store.RecordingWriter
	// Results keeps documents of measurements; nil means that none are taken.
	Results store.ResultStore
	// Leases are those of processes that share targets; nil means that there are none.
	Leases store.LeaseWriter
	// Warn receives errors of the store, which clients get without details; nil drops them.
	Warn func(error)
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// A Handler receives profiles.
type Handler struct {
	o      Options
	memory *semaphore.Weighted // for bodies
	slots  *semaphore.Weighted // for decoded profiles
	mux    *http.ServeMux
}

// New returns a handler for the paths in Paths.
func New(o Options) *Handler {
	o.Limits = o.Limits.WithDefaults()
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Warn == nil {
		o.Warn = func(error) {}
	}
	if o.Allow == nil {
		o.Allow = func(*http.Request) (string, error) { return "", nil }
	}
	h := &Handler{
		o: o, mux: http.NewServeMux(),
		memory: semaphore.NewWeighted(max(maxBodies, o.Limits.Body)),
		slots:  semaphore.NewWeighted(int64(runtime.GOMAXPROCS(0))),
	}
	h.mux.HandleFunc("POST /api/v1/store/profiles", h.plain)
	h.mux.HandleFunc("POST /ingest/pprof", h.plain)
	h.mux.HandleFunc("POST /ingest", h.legacy)
	h.mux.HandleFunc("POST "+otlpPath, h.otlp)
	h.mux.HandleFunc("POST "+leasesPath, h.leases)
	h.mux.HandleFunc("POST "+recordingsPath, h.recordings)
	h.mux.HandleFunc("POST "+resultsPath, h.results)
	h.services()
	return h
}

// Paths lists the patterns that a Handler serves, for a mux that has other handlers, too.
func Paths() []string {
	paths := []string{
		"POST /api/v1/store/profiles", "POST /ingest/pprof", "POST /ingest", "POST " + otlpPath, "POST " + leasesPath,
		"POST " + recordingsPath, "POST " + resultsPath,
	}
	for _, s := range procedures() {
		paths = append(paths, "POST "+s.path)
	}
	return paths
}

// Register adds the handler to a mux.
func (h *Handler) Register(mux *http.ServeMux) {
	for _, p := range Paths() {
		mux.Handle(p, h)
	}
}

// tenantKey is the key of the tenant in a request's context.
type tenantKey struct{}

// tenantOf returns the tenant that ServeHTTP found.
func tenantOf(ctx context.Context) string {
	tenant, _ := ctx.Value(tenantKey{}).(string)
	return tenant
}

// ServeHTTP admits a request and passes it to the function for its protocol.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	tenant, err := h.o.Allow(r)
	if err != nil {
		h.refuse(w, r, err)
		return
	}
	size := h.o.Limits.Body
	if r.ContentLength > size {
		h.refuse(w, r, &store.LimitError{
			What: "bytes in the request", Limit: size, Got: r.ContentLength, Flag: store.BodyFlag,
		})
		return
	}
	if r.ContentLength >= 0 {
		size = r.ContentLength
	}
	// A lease must be renewed however busy the server is.
	if r.URL.Path != leasesPath || size > smallLease {
		wait, cancel := context.WithTimeout(r.Context(), maxWait)
		defer cancel()
		if err := h.memory.Acquire(wait, size); err != nil {
			h.refuse(w, r, &store.LimitError{What: "requests at once", Limit: maxBodies >> 20, RetryAfter: maxWait})
			return
		}
		defer h.memory.Release(size)
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(maxRead)) // else the server's
	r.Body = http.MaxBytesReader(w, r.Body, h.o.Limits.Body)
	h.mux.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), tenantKey{}, tenant)))
}

// store decodes the profiles of one request and stores them. The store checks the limits.
func (h *Handler) store(ctx context.Context, decode func(*budget) ([]store.Profile, error)) error {
	if err := h.slots.Acquire(ctx, 1); err != nil {
		return err
	}
	defer h.slots.Release(1)
	profiles, err := decode(&budget{left: maxDecode})
	if err != nil {
		return err
	}
	if len(profiles) == 0 {
		return nil
	}
	tenant := tenantOf(ctx)
	err = h.o.Writer.Write(ctx, tenant, profiles)
	if err == nil || client(err) || ctx.Err() != nil {
		return err
	}
	if full := (*buffer.FullError)(nil); errors.As(err, &full) {
		return &fullError{full} // the writer warns, once
	}
	h.o.Warn(fmt.Errorf("store profiles of tenant %q: %w", tenant, err))
	return &storeError{err}
}

// client reports whether an error is the client's to correct.
func client(err error) bool {
	var limit *store.LimitError
	var invalid *store.InvalidError
	return errors.As(err, &limit) || errors.As(err, &invalid)
}

// A storeError is a failure of the store. Its cause may name files, so clients do not get it.
type storeError struct{ err error }

func (e *storeError) Error() string { return "the store cannot take profiles at the moment" }
func (e *storeError) Hint() string  { return "send the same again later: it is stored once" }
func (e *storeError) Unwrap() error { return e.err }
func (e *storeError) Status() int   { return http.StatusServiceUnavailable }

// A fullError means that the store fails, and there is no space for more that waits for it.
type fullError struct{ err *buffer.FullError }

func (e *fullError) Error() string {
	return "the store cannot take profiles at the moment, and " + e.err.Error()
}
func (e *fullError) Hint() string  { return "send the same again later: it is stored once" }
func (e *fullError) Unwrap() error { return e.err }
func (e *fullError) Status() int   { return http.StatusServiceUnavailable }

// A badRequest is an error in what a client sent.
type badRequest struct {
	err    error
	status int // 0 means 400
}

func (e *badRequest) Error() string { return e.err.Error() }
func (e *badRequest) Unwrap() error { return e.err }
func (e *badRequest) Status() int {
	if e.status == 0 {
		return http.StatusBadRequest
	}
	return e.status
}

// status returns the status of the answer to a request that failed, and how long to wait before the
// next one; 0 means that waiting does not help.
func status(err error) (int, time.Duration) {
	var limit *store.LimitError
	var inflated *profile.LimitError
	var bytes *http.MaxBytesError
	var known interface{ Status() int }
	switch {
	case errors.As(err, &limit):
		return limit.Status(), limit.RetryAfter
	case errors.As(err, &bytes), errors.As(err, &inflated):
		return http.StatusRequestEntityTooLarge, 0
	case errors.As(err, &known):
		if known.Status() == http.StatusServiceUnavailable {
			return known.Status(), maxWait
		}
		return known.Status(), 0
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return http.StatusServiceUnavailable, maxWait
	}
	return http.StatusBadRequest, 0
}

// seconds writes a time to wait as Retry-After has it.
func seconds(d time.Duration) string { return strconv.Itoa(int(math.Ceil(d.Seconds()))) }

// hint returns what the client can do about err.
func hint(err error) string {
	var bytes *http.MaxBytesError
	var inflated *profile.LimitError
	if errors.As(err, &bytes) {
		return "send less at once, or raise the limit of the server: whet serve " + store.BodyFlag
	}
	if errors.As(err, &inflated) {
		return "send less at once"
	}
	return diag.Hint(err)
}

// refuse answers a request that failed.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if _, ok := procedureOf(r.URL.Path); ok {
		if e := connect.NewErrorWriter(); e.IsSupported(r) {
			_ = e.Write(w, r, connectError(err)) // the client may be gone
			return
		}
	}
	code, wait := status(err)
	if wait > 0 {
		w.Header().Set("Retry-After", seconds(wait))
	}
	if code == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", access.Challenge)
	}
	problem.Write(w, code, err.Error(), hint(err))
}
