package load

import "time"

// Phases splits the latency of the answers, and the opening of connections, into phases.
// Percentiles are within 1.6 %; there are no histograms.
type Phases struct {
	// Connect covers the connections opened, warm-up included: the time until the server accepted,
	// without TLS; nil when none was.
	Connect *Latency `json:"connect,omitempty"`
	// TLS covers their handshakes; nil without TLS.
	TLS *Latency `json:"tls,omitempty"`
	// FirstByte covers the complete answers: from writing the request to seeing the first bytes of
	// its answer.
	FirstByte Latency `json:"first_byte"`
	// Transfer covers the time from there to the last byte.
	Transfer Latency `json:"transfer"`
}

// phases holds the sums behind Phases.
type phases struct{ connect, tls, first, transfer spread }

func (p *phases) fold(o *phases) {
	p.connect.fold(&o.connect)
	p.tls.fold(&o.tls)
	p.first.fold(&o.first)
	p.transfer.fold(&o.transfer)
}

// A timing says when an answer came.
type timing struct {
	latency  time.Duration // from when the request was sent, or was due
	first    time.Duration // from writing to the first byte
	transfer time.Duration // from the first byte to the last
}

// connected records that a connection was opened, without TLS.
func (s *shard) connected(took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phases.connect.record(took)
}

// shaken records a TLS handshake.
func (s *shard) shaken(took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phases.tls.record(took)
}

// phases sums up the phases of all shards; nil without answers.
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
