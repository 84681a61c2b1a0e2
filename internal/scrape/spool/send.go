package spool

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/whet-go/whet/internal/scrape/buffer"
	"github.com/whet-go/whet/store"
)

// SenderOptions configure a Sender. Writer and Disk are required; functions may be nil.
type SenderOptions struct {
	// Writer may also be a Prober: what waits for services that it does not take holds back no others.
	Writer store.Writer
	Disk   *buffer.Buffer
	// Recordings takes the recordings of the buffer; nil leaves them there.
	Recordings store.RecordingWriter
	// Join is how many profiles of several batches are stored at once.
	Join int
	// Never reports whether an error means that the same batch is never stored; nil means Refused.
	Never func(error) bool
	// Stored is called with the number of profiles that were stored, 0 after a recording; Fails with an
	// error after which the same is tried again, and Refuse with what is never stored: of a service, and
	// of a kind.
	Stored func(n int)
	Fails  func(error)
	Refuse func(service, kind string, err error)
}

// A Sender stores what is in a buffer, oldest first, and knows which services the store takes meanwhile.
// It is safe for concurrent use.
type Sender struct {
	o     SenderOptions
	paths paths
}

// NewSender returns a sender that does nothing until Run.
func NewSender(o SenderOptions) *Sender {
	if o.Never == nil {
		o.Never = Refused
	}
	if o.Stored == nil {
		o.Stored = func(int) {}
	}
	if o.Fails == nil {
		o.Fails = func(error) {}
	}
	if o.Refuse == nil {
		o.Refuse = func(string, string, error) {}
	}
	s := &Sender{o: o}
	if _, ok := o.Writer.(Prober); ok {
		s.paths.wake = make(chan struct{}, 1)
	}
	return s
}

// Direct reports whether to store a batch at once instead of adding it to the buffer: if no profiles wait
// there, or if the store takes all services of the batch.
func (s *Sender) Direct(tenant string, profiles []store.Profile) bool {
	return s.paths.direct(tenant, profiles, s.o.Disk.Stats().Profiles == 0, time.Now())
}

// Failed remembers that the store did not take a batch, which is going to be in the buffer.
func (s *Sender) Failed(tenant string, profiles []store.Profile) {
	s.paths.failed(tenant, profiles, time.Now())
}

// Run sends what is in the buffer until ctx ends. What is not stored then stays.
func (s *Sender) Run(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	if prober, ok := s.o.Writer.(Prober); ok {
		running.Go(func() { s.paths.probe(ctx, prober, s.o.Disk.Wake) })
	}
	if s.o.Recordings != nil {
		running.Go(func() { s.sendRecordings(ctx) })
	}
	wait := minTry
	for {
		b, err := s.o.Disk.Next(ctx, s.o.Join, s.paths.held)
		if err != nil {
			return
		}
		err = s.send(ctx, b)
		if ctx.Err() != nil {
			return // the batch stays
		}
		if len(b.Profiles) > 0 {
			s.o.Disk.Remove(b)
		}
		if err == nil {
			wait = minTry
			continue
		}
		if !pause(ctx, max(wait, min(RetryAfter(err), maxTry))) {
			return
		}
		wait = min(2*wait, maxTry)
	}
}

// send stores a batch, or reports what the store refuses. It leaves in the batch what need not be sent
// again. An error means that it makes no sense to go on at once: none was stored.
func (s *Sender) send(ctx context.Context, b *buffer.Batch) error {
	err := s.write(ctx, b.Tenant, b.Profiles)
	if err == nil {
		return nil
	}
	if !s.o.Never(err) {
		return s.leave(ctx, b, err)
	}
	if len(b.Profiles) == 1 {
		s.o.Refuse(b.Profiles[0].Service, b.Profiles[0].Kind, err)
		return nil
	}
	failed := map[string]error{} // services
	for i := range b.Profiles {  // one at a time, to find which
		p := &b.Profiles[i]
		if failed[p.Service] != nil {
			continue
		}
		switch err := s.write(ctx, b.Tenant, b.Profiles[i:i+1]); {
		case err == nil:
		case s.o.Never(err):
			s.o.Refuse(p.Service, p.Kind, err)
		default:
			failed[p.Service] = err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	for service, cause := range failed {
		b.Leave(service)
		err = cause
	}
	if len(failed) == 0 || len(b.Profiles) > 0 {
		return nil
	}
	return err
}

// leave takes out of a batch that could not be stored all profiles: they stay in the buffer. Services that
// the store does not take are held from then on. It returns nil if these are some and not all: the rest is
// sent again at once.
func (s *Sender) leave(ctx context.Context, b *buffer.Batch, err error) error {
	var all []string
	each(b.Tenant, b.Profiles, func(k path) { all = append(all, k.service) })
	prober, ok := s.o.Writer.(Prober)
	held := 0
	for _, service := range all {
		b.Leave(service)
		if ok && ctx.Err() == nil && !s.paths.ask(ctx, prober, path{b.Tenant, service}) {
			held++
		}
	}
	if 0 < held && held < len(all) {
		return nil
	}
	return err
}

// write tries once to store profiles.
func (s *Sender) write(ctx context.Context, tenant string, profiles []store.Profile) error {
	within, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	err := s.o.Writer.Write(within, tenant, profiles)
	switch {
	case err == nil:
		s.o.Stored(len(profiles))
	case ctx.Err() == nil && !s.o.Never(err):
		s.o.Fails(err)
	}
	return err
}

// sendRecordings sends recordings until ctx ends. One that the store does not take does not hold back the
// others, or profiles.
func (s *Sender) sendRecordings(ctx context.Context) {
	wait := minTry
	var last *buffer.Recording
	for {
		r, err := s.o.Disk.NextRecording(ctx, last, s.paths.held)
		if err != nil {
			return
		}
		within, cancel := context.WithTimeout(ctx, writeTimeout)
		_, err = s.o.Recordings.WriteRecording(within, r.Tenant, r.Recording, r.Content)
		cancel()
		r.Content, last = nil, r
		switch {
		case err == nil:
			s.o.Stored(0)
		case ctx.Err() != nil:
			return
		case s.o.Never(err):
			s.o.Refuse(r.Recording.Service, store.RecordingKind, err)
		default:
			s.o.Fails(err)
			if !pause(ctx, max(wait, min(RetryAfter(err), maxTry))) {
				return
			}
			wait = min(2*wait, maxTry)
			continue
		}
		s.o.Disk.RemoveRecording(r)
		wait = minTry
	}
}

// pause waits for about a time, and reports whether ctx has not ended.
func pause(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait + rand.N(wait/4)) //nolint:gosec // not a secret
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// never reports whether it makes no sense to wait until a store takes a batch: it refuses it, or until a
// limit allows it, such as that of series.
func never(err error) bool {
	var limit *store.LimitError
	return Refused(err) || errors.As(err, &limit) && limit.RetryAfter > maxTry
}
