package store

import "time"

// Retention limits what a store keeps. The oldest profiles and recordings go first.
type Retention struct {
	// Age is how long profiles and recordings are kept after their start; 0: forever. The newest of them
	// counts as now if the clock is ahead of it, so that a wrong clock deletes nothing.
	Age time.Duration
	// Size is the size of the store in bytes, without free space; 0: any.
	Size int64
}

// Damage is what a check of a store found wrong.
type Damage struct {
	Where string `json:"where"` // what is damaged: "profile 3f… of service shop"
	Text  string `json:"text"`  // how
}

// CheckReport is the result of reading everything in a store.
type CheckReport struct {
	Profiles     int      `json:"profiles"`     // that were read
	Dictionaries int      `json:"dictionaries"` // that were read
	Recordings   int      `json:"recordings"`   // that were read
	Damage       []Damage `json:"damage"`
	// More is set if there is more damage than is listed.
	More bool `json:"more,omitempty"`
}

// maxDamage is how much damage a report lists.
const maxDamage = 100

// Add lists damage, up to a limit.
func (r *CheckReport) Add(where string, err error) {
	if len(r.Damage) == maxDamage {
		r.More = true
		return
	}
	r.Damage = append(r.Damage, Damage{where, err.Error()})
}

// OfService names a service, and its tenant unless that is "".
func OfService(tenant, service string) string {
	if tenant == "" {
		return "service " + service
	}
	return "service " + service + " of tenant " + tenant
}

// ServiceUsage is what is stored of a service.
type ServiceUsage struct {
	Tenant   string    `json:"tenant,omitempty"`
	Service  string    `json:"service"`
	Series   int       `json:"series"`
	Profiles int       `json:"profiles"`
	Samples  int64     `json:"samples"`
	Bytes    int64     `json:"bytes"`   // of the profiles
	Symbols  int64     `json:"symbols"` // bytes of stacks, locations and functions
	First    time.Time `json:"first"`   // earliest start
	Last     time.Time `json:"last"`    // latest start
}

// Usage is what is stored, and how large it is.
type Usage struct {
	Format  int   `json:"format"`
	Bytes   int64 `json:"bytes"`   // without free space
	Free    int64 `json:"free"`    // bytes that the next profiles use
	Results int   `json:"results"` // of measurements
	// Recordings is their number, and RecordingBytes the size of their files.
	Recordings     int   `json:"recordings"`
	RecordingBytes int64 `json:"recording_bytes"`

	Services []ServiceUsage `json:"services"`
}
