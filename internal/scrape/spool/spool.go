package spool

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/whet-go/whet/internal/scrape/buffer"
	"github.com/whet-go/whet/store"
)

const (
	minTry = time.Second
	maxTry = 30 * time.Second
	// directTimeout is how long the store may take for a batch before that is buffered, and writeTimeout
	// that for one from the buffer.
	directTimeout = 10 * time.Second
	writeTimeout  = time.Minute
	// maxSend is how many profiles from the buffer are stored at once, and maxKeep how many writes are
	// one file of it.
	maxSend = 512
	maxKeep = 64
)

// Options configure a Spool. Writer and Disk are required.
type Options struct {
	// Writer may also be a Prober.
	Writer store.Writer
	// Disk keeps what Writer does not take. It must have been opened with Keep.
	Disk *buffer.Buffer
	// Limits are those of the store, which checks them itself unless it fails.
	Limits store.Limits
	// Warn is called when the store begins to fail and works again, and for what it refuses later; nil
	// ignores it.
	Warn func(error)
}

// A Spool is a store.Writer.
type Spool struct {
	o      Options
	bucket *store.Bucket
	sender *Sender

	mu      sync.Mutex
	trouble error // of the store, while it fails
	full    bool  // the buffer refused the last batch
	refused int64
	waiting []*kept // for the one that writes to the buffer
	writing bool
}

// kept is a batch that is to be written to the buffer.
type kept struct {
	tenant   string
	profiles []store.Profile
	done     chan struct{} // closed when err is set, or when it is to write those that wait
	written  bool
	err      error
}

// New returns a spool. What its buffer has already is sent by Run.
func New(o Options) *Spool {
	if o.Warn == nil {
		o.Warn = func(error) {}
	}
	s := &Spool{o: o, bucket: store.NewBucket(o.Limits)}
	s.sender = NewSender(SenderOptions{
		Writer: o.Writer, Disk: o.Disk, Join: maxSend, Never: never,
		Stored: func(int) { s.works() }, Fails: s.fails, Refuse: s.refuse,
	})
	return s
}

// Write implements store.Writer: when it returns nil, the batch is stored, or in the buffer. An
// *InvalidError or a *LimitError is the sender's to correct; a *buffer.FullError means that the store fails
// and the buffer is full.
func (s *Spool) Write(ctx context.Context, tenant string, profiles []store.Profile) error {
	if s.sender.Direct(tenant, profiles) {
		within, cancel := context.WithTimeout(ctx, directTimeout)
		err := s.o.Writer.Write(within, tenant, profiles)
		cancel()
		switch {
		case err == nil:
			s.works()
			return nil
		case senders(err) || ctx.Err() != nil:
			return err
		}
		s.sender.Failed(tenant, profiles)
		s.fails(err)
	}
	if err := store.CheckTenant(tenant); err != nil {
		return &store.InvalidError{Err: err}
	}
	if err := s.o.Limits.Check(profiles); err != nil {
		return err
	}
	if err := s.bucket.Take(tenant, len(profiles), time.Now()); err != nil {
		return err
	}
	err := s.keep(tenant, profiles)
	s.mu.Lock()
	was := s.full
	s.full = err != nil
	s.mu.Unlock()
	if err != nil && !was {
		s.o.Warn(fmt.Errorf("profiles are refused: %w", err))
	}
	return err
}

// keep writes a batch to the buffer. Batches that come while another one is being written wait, and are
// then written as one file: the disk takes as long for one as for many.
func (s *Spool) keep(tenant string, profiles []store.Profile) error {
	k := &kept{tenant: tenant, profiles: profiles, done: make(chan struct{})}
	s.mu.Lock()
	s.waiting = append(s.waiting, k)
	if s.writing {
		s.mu.Unlock()
		<-k.done
		if k.written {
			return k.err
		}
		s.mu.Lock()
	}
	s.writing = true
	group := s.next(k)
	s.mu.Unlock()
	s.add(group)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range group {
		if x.written = true; x != k {
			close(x.done)
		}
	}
	if s.writing = len(s.waiting) > 0; s.writing {
		close(s.waiting[0].done) // it writes the next ones
	}
	return k.err
}

// next takes the batches that are written together with k: those that wait and have its tenant. The lock
// is held.
func (s *Spool) next(k *kept) (group []*kept) {
	rest := s.waiting[:0:0]
	for _, x := range s.waiting {
		if x == k || x.tenant == k.tenant && len(group) < maxKeep {
			group = append(group, x)
		} else {
			rest = append(rest, x)
		}
	}
	s.waiting = rest
	return group
}

// add writes batches of one tenant to the buffer, and sets their errors. If all do not fit, some may.
func (s *Spool) add(group []*kept) {
	var all []store.Profile
	for _, x := range group {
		all = append(all, x.profiles...)
	}
	err := s.o.Disk.Add(group[0].tenant, all)
	for _, x := range group {
		if x.err = err; err != nil && len(group) > 1 {
			x.err = s.o.Disk.Add(x.tenant, x.profiles)
		}
	}
}

// senders reports whether an error is the sender's to correct.
func senders(err error) bool {
	var limit *store.LimitError
	var invalid *store.InvalidError
	return errors.As(err, &limit) || errors.As(err, &invalid)
}

// Buffered returns how many profiles wait for the store.
func (s *Spool) Buffered() int64 { return s.o.Disk.Stats().Profiles }

// Run sends what waits until ctx ends.
func (s *Spool) Run(ctx context.Context) { s.sender.Run(ctx) }

// fails reports the first of several errors of the store.
func (s *Spool) fails(err error) {
	s.mu.Lock()
	first := s.trouble == nil
	s.trouble = err
	s.mu.Unlock()
	if first {
		s.o.Warn(fmt.Errorf("the store fails: %w; profiles are kept in %s", err, s.o.Disk.Dir()))
	}
}

// works reports that the store no longer fails.
func (s *Spool) works() {
	s.mu.Lock()
	failed := s.trouble != nil
	s.trouble = nil
	s.mu.Unlock()
	if failed {
		s.o.Warn(errors.New("the store works again"))
	}
}

// refuse counts a profile that the store does not take, and reports the first and then a few.
func (s *Spool) refuse(service, kind string, err error) {
	s.mu.Lock()
	s.refused++
	n := s.refused
	s.mu.Unlock()
	if n&(n-1) == 0 { // 1, 2, 4, 8, …
		s.o.Warn(fmt.Errorf("the store refuses a buffered profile %s of %s: %w (%d so far)", kind, service, err, n))
	}
}

// Refused reports whether an error of a store means that the same batch is never stored.
func Refused(err error) bool {
	var invalid *store.InvalidError
	var limit *store.LimitError
	var status interface{ Status() int }
	switch {
	case errors.As(err, &invalid):
		return true
	case errors.As(err, &limit):
		return limit.RetryAfter <= 0
	case errors.As(err, &status):
		switch status.Status() {
		case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType,
			http.StatusUnprocessableEntity:
			return true
		}
	}
	return false
}

// RetryAfter returns how long a store wants to be left alone; 0 if it does not say.
func RetryAfter(err error) time.Duration {
	var limit *store.LimitError
	var answer interface{ RetryAfter() time.Duration }
	switch {
	case errors.As(err, &limit):
		return limit.RetryAfter
	case errors.As(err, &answer):
		return answer.RetryAfter()
	}
	return 0
}
