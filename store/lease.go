package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// A Lease is how long a member of a group counts as alive.
type Lease struct {
	Group  string
	Member string
	// Left is the time until it ends, by the clock of the store. If it is not positive, the lease has
	// ended without being released.
	Left time.Duration
	// Document is what the member published last; nil if nothing, or if it was not requested.
	Document []byte
}

// Alive reports whether the lease has not ended.
func (l *Lease) Alive() bool { return l.Left > 0 }

// LeaseMemory is how long a lease that has ended is remembered. It is longer than a store is away.
const LeaseMemory = 24 * time.Hour

// A LeaseWriter keeps leases of groups of processes, such as those that divide targets. Groups of
// different tenants have nothing to do with each other. Names of groups and members are those of
// CheckLease.
type LeaseWriter interface {
	// Renew begins or extends the lease of a member: it ends ttl after the store has it. It returns the
	// leases of the group that were not released, by member, that of the member itself included. A
	// member that Renew returned for is in the answers of all later calls until it is released.
	Renew(ctx context.Context, tenant, group, member string, ttl time.Duration) ([]Lease, error)
	// Release ends the lease of a member at once, and forgets what it published.
	Release(ctx context.Context, tenant, group, member string) error
	// Publish stores a document for the readers of Leases, at most MaxLeaseDocument bytes.
	Publish(ctx context.Context, tenant, group, member string, document []byte) error
}

// A LeaseStore also lists leases.
type LeaseStore interface {
	LeaseWriter
	// Leases returns the leases of a tenant, by group and member, with documents.
	Leases(ctx context.Context, tenant string) ([]Lease, error)
}

// MaxLeaseDocument is the size of the largest document of a lease, in bytes.
const MaxLeaseDocument = 16 << 20

// ErrDown is in errors of a LeaseWriter that no process can reach: no member can have got a lease, and none
// can have noticed that another one ended. What only this process cannot reach is ErrUnavailable.
var ErrDown = errors.New("the store is down")

// CheckLease returns an *InvalidError if tenant is not the name of a tenant, or group or member not a name
// of 1 to 200 printable characters of ASCII, without spaces.
func CheckLease(tenant, group, member string) error {
	if err := CheckTenant(tenant); err != nil {
		return &InvalidError{-1, err}
	}
	for _, x := range [][2]string{{"group", group}, {"member", member}} {
		if name := x[1]; name == "" || len(name) > 200 || strings.ContainsFunc(name, func(r rune) bool {
			return r <= ' ' || r > '~'
		}) {
			return &InvalidError{-1, fmt.Errorf("%s %.40q (want 1 to 200 printable ASCII characters, no spaces)", x[0], name)}
		}
	}
	return nil
}

// CheckLeaseDocument returns a *LimitError if a document is too large.
func CheckLeaseDocument(document []byte) error {
	if len(document) <= MaxLeaseDocument {
		return nil
	}
	return &LimitError{What: "bytes in the document of a lease", Limit: MaxLeaseDocument, Got: int64(len(document))}
}
