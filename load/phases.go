package load

import "github.com/whet-go/whet/internal/load/record"

// Phases split the latency of the answers, and the opening of connections. Percentiles are within
// 1.6%; there are no histograms.
type Phases struct {
	// Connect covers the connections opened, warm-up included: the time until the server accepted,
	// without TLS. It is nil if none was opened.
	Connect *Latency `json:"connect,omitempty"`
	// TLS covers their handshakes; nil without TLS.
	TLS *Latency `json:"tls,omitempty"`
	// FirstByte covers the complete answers: from writing the request to seeing the first bytes of
	// its answer.
	FirstByte Latency `json:"first_byte"`
	// Transfer covers the time from there to the last byte.
	Transfer Latency `json:"transfer"`
}

// phases describes the phases of a run; nil without answers.
func phases(p record.Phases) *Phases {
	if p.First.Count == 0 {
		return nil
	}
	optional := func(l record.Latency) *Latency {
		if l.Count == 0 {
			return nil
		}
		out := latency(l)
		return &out
	}
	return &Phases{
		Connect: optional(p.Connect), TLS: optional(p.TLS), FirstByte: latency(p.First), Transfer: latency(p.Transfer),
	}
}
