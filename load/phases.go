package load

import "time"

// Phases take the latency of the answers apart, and the opening of connections. The
// percentiles are within 1.6 %, and there are no histograms.
type Phases struct {
	// Connect is over the connections opened, warmup included: until the server has
	// accepted, without TLS; nil when none was.
	Connect *Latency `json:"connect,omitempty"`
	// TLS is the handshake of these; nil without TLS.
	TLS *Latency `json:"tls,omitempty"`
	// FirstByte is over the complete answers: from when the request was written to when the
	// first bytes of its answer were seen.
	FirstByte Latency `json:"first_byte"`
	// Transfer is from then to the last byte.
	Transfer Latency `json:"transfer"`
}

// phases are the sums of which Phases are made.
type phases struct{ connect, tls, first, transfer spread }

func (p *phases) fold(o *phases) {
	p.connect.fold(&o.connect)
	p.tls.fold(&o.tls)
	p.first.fold(&o.first)
	p.transfer.fold(&o.transfer)
}

// A timing is when an answer came.
type timing struct {
	latency  time.Duration // from when the request was sent, or due
	first    time.Duration // from when it was written to the first byte
	transfer time.Duration // from then to the last byte
}

// connected records that a connection has been opened, without TLS.
func (s *shard) connected(took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phases.connect.record(took)
}

// shaken records that TLS has begun on one.
func (s *shard) shaken(took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phases.tls.record(took)
}

// phases sums up those of all shards; nil without answers.
func (g *generator) phases() *Phases {
	var sum phases
	for _, s := range g.rec.shards {
		s.mu.Lock()
		sum.fold(&s.phases)
		s.mu.Unlock()
	}
	if sum.first.count == 0 {
		return nil
	}
	p := &Phases{FirstByte: sum.first.latency(), Transfer: sum.transfer.latency()}
	for _, opened := range []struct {
		from *spread
		to   **Latency
	}{{&sum.connect, &p.Connect}, {&sum.tls, &p.TLS}} {
		if opened.from.count > 0 {
			l := opened.from.latency()
			*opened.to = &l
		}
	}
	return p
}
