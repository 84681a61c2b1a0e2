package documents

import (
	"time"

	"github.com/whet-go/whet/store"
)

// LeasesSchema is the schema of Leases.
const LeasesSchema = "whet.store-leases/1"

// DownHeader is in the answer to a request for a lease if no process can reach the store: store.ErrDown.
const DownHeader = "Whet-Store-Down"

// LeaseRequest asks for a lease, or ends one, or publishes with it: see store.LeaseWriter.
type LeaseRequest struct {
	Group  string `json:"group"`
	Member string `json:"member"`
	// TTL is the time of the lease that is begun or extended; 0 leaves it as it is.
	TTL time.Duration `json:"ttl_ns,omitempty"`
	// Release ends the lease.
	Release bool `json:"release,omitempty"`
	// Document is published with the lease, unless it is empty.
	Document []byte `json:"document,omitempty"`
}

// Leases is the answer to a request with a TTL.
type Leases struct {
	Schema string  `json:"schema"`
	Leases []Lease `json:"leases"` // of the group, by member
}

// Lease is a store.Lease.
type Lease struct {
	Member string        `json:"member"`
	Left   time.Duration `json:"left_ns"`
}

// NewLeases returns leases of one group.
func NewLeases(all []store.Lease) Leases {
	d := Leases{Schema: LeasesSchema, Leases: []Lease{}}
	for _, l := range all {
		d.Leases = append(d.Leases, Lease{l.Member, l.Left})
	}
	return d
}
