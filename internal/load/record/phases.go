package record

import "time"

// Phases splits the latency of the answers, and the opening of connections, into phases.
type Phases struct {
	Connect  Latency // of the connections opened, without TLS
	TLS      Latency // of their handshakes
	First    Latency // from writing a request to the first bytes of its answer
	Transfer Latency // from there to the last byte
}

// phases holds the sums for Phases.
type phases struct{ connect, tls, first, transfer spread }

func (p *phases) fold(o *phases) {
	p.connect.fold(&o.connect)
	p.tls.fold(&o.tls)
	p.first.fold(&o.first)
	p.transfer.fold(&o.transfer)
}

// Connected records that a connection was opened, without TLS.
func (s *Shard) Connected(took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phases.connect.record(took)
}

// Handshake records a TLS handshake.
func (s *Shard) Handshake(took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phases.tls.record(took)
}

// Phases sums up the phases of all shards.
func (r *Recorder) Phases() Phases {
	var sum phases
	for _, s := range r.shards {
		s.mu.Lock()
		sum.fold(&s.phases)
		s.mu.Unlock()
	}
	return Phases{
		Connect: sum.connect.latency(), TLS: sum.tls.latency(),
		First: sum.first.latency(), Transfer: sum.transfer.latency(),
	}
}
