package store

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/whet-go/whet/profile"
)

// A Profile is one profile of one process, with what it is found by.
type Profile struct {
	// Service is the name of the program, such as "checkout". Required.
	Service string
	// Kind is what was measured: cpu, heap, allocs, block, mutex, goroutine, or another word of
	// lower-case letters, digits and underscores. Required.
	Kind string
	// Labels describe the process: host, version, region. They do not contain service and kind.
	Labels Labels
	// Start is when the measurement began; Write requires it. A heap profile begins when it is
	// taken.
	Start time.Time
	// Duration is how long the measurement took; 0 for a snapshot.
	Duration time.Duration
	// Data has the samples. Its own Time and Duration are not used.
	Data *profile.Profile
}

// An ID identifies a profile by a hash of its content; see NewID.
type ID [16]byte

// String returns the ID in hexadecimal.
func (id ID) String() string { return hex.EncodeToString(id[:]) }

// ParseID reads what String wrote.
func ParseID(s string) (ID, error) {
	var id ID
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(id) {
		return id, fmt.Errorf("%q is not the ID of a profile (want %d hexadecimal digits)", s, 2*len(id))
	}
	copy(id[:], b)
	return id, nil
}

// MarshalText returns the ID in hexadecimal.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (id *ID) UnmarshalText(text []byte) (err error) {
	*id, err = ParseID(string(text))
	return err
}

// A Writer stores profiles.
type Writer interface {
	// Write stores a batch for a tenant; "" is the tenant of an installation that has only one. When
	// it returns nil, all profiles of the batch survive a crash, each stored once, whether or not
	// an earlier batch contained it. Otherwise none of the batch was added.
	//
	// An *InvalidError or a *LimitError is the client's to correct; any other error is the
	// store's, and the batch may be sent again.
	Write(ctx context.Context, tenant string, profiles []Profile) error
}

// A Reader answers queries. Each sees the batches that were complete when it began.
type Reader interface {
	// Merge adds the profiles that q selects. They must be of one kind: an error with the list is
	// returned if q leaves it open. Without profiles the error is ErrNotFound.
	Merge(ctx context.Context, q Query) (*profile.Profile, Stats, error)
	// Series lists the series of the profiles that q selects, by service, kind and labels.
	Series(ctx context.Context, q Query) ([]Series, error)
	// LabelNames lists the names of labels of the selected profiles, in order; service and kind
	// are among them.
	LabelNames(ctx context.Context, q Query) ([]string, error)
	// LabelValues lists the values of a label of the selected profiles, in order.
	LabelValues(ctx context.Context, q Query, name string) ([]string, error)
	// Types lists the kinds and sample types of the selected profiles, by kind.
	Types(ctx context.Context, q Query) ([]Type, error)
	// Profiles describes the selected profiles, newest first, at most limit (0: 1000).
	Profiles(ctx context.Context, q Query, limit int) ([]Meta, error)
	// Get returns one profile; ErrNotFound if the tenant has no such profile.
	Get(ctx context.Context, tenant string, id ID) (Profile, error)
}

// A Store is both, until it is closed.
type Store interface {
	Reader
	Writer
	Close() error
}

// ErrNotFound is returned when nothing stored matches.
var ErrNotFound = errors.New("no profiles match")

// ErrUnavailable is in errors of a store that cannot be reached, or not completely, and may be so
// again: HTTP answers 503.
var ErrUnavailable = errors.New("the store is unavailable")

// A Query selects profiles. The zero Query selects all of the tenant "".
type Query struct {
	Tenant string
	// Kind selects one kind, such as cpu; "" selects all.
	Kind string
	// Matchers all match. The names service and kind match Profile.Service and Profile.Kind.
	Matchers []Matcher
	// From and To select profiles whose Start is in [From, To). A zero time is unbounded.
	From, To time.Time
}

// Stats describe what a query read.
type Stats struct {
	Profiles int       `json:"profiles"`
	Samples  int64     `json:"samples"` // before equal stacks were added
	Series   int       `json:"series"`
	First    time.Time `json:"first"` // earliest Start
	Last     time.Time `json:"last"`  // latest Start
}

// A Series is all profiles with one service, kind and set of labels.
type Series struct {
	Service  string    `json:"service"`
	Kind     string    `json:"kind"`
	Labels   Labels    `json:"labels"`
	Profiles int       `json:"profiles"`
	First    time.Time `json:"first"` // earliest Start
	Last     time.Time `json:"last"`  // latest Start
}

// A Type is a kind with its value columns.
type Type struct {
	Kind        string              `json:"kind"`
	SampleTypes []profile.ValueType `json:"sample_types"`
	Default     string              `json:"default,omitempty"` // sample type; "" if producers named none
	PeriodType  profile.ValueType   `json:"period_type"`
	Period      int64               `json:"period,omitempty"` // in the unit of PeriodType; 0 when unknown
}

// Meta describes a stored profile.
type Meta struct {
	ID       ID            `json:"id"`
	Service  string        `json:"service"`
	Kind     string        `json:"kind"`
	Labels   Labels        `json:"labels"`
	Start    time.Time     `json:"start"`
	Duration time.Duration `json:"duration_ns"`
	Samples  int           `json:"samples"`
}
