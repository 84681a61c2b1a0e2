package documents

import (
	"cmp"
	"time"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/unit"
)

// A Header has the facts about a profile that every view begins with. Zero fields are unknown. All
// values of a document are in SampleType.Unit.
type Header struct {
	Name       string            `json:"name"`
	Profile    string            `json:"profile,omitempty"` // its name in the recording
	SampleType profile.ValueType `json:"sample_type"`
	Total      int64             `json:"total"` // 100% for shares
	// Samples is the number of times the profiler sampled; 0 if the profile does not count them.
	Samples    int64         `json:"samples,omitempty"`
	Stacks     int           `json:"stacks"` // distinct samples
	Duration   time.Duration `json:"duration_ns,omitempty"`
	Time       time.Time     `json:"time,omitzero"`
	Program    string        `json:"program,omitempty"`
	Target     string        `json:"target,omitempty"`
	GoVersion  string        `json:"go_version,omitempty"`
	GOMAXPROCS int           `json:"gomaxprocs,omitempty"`
	Own        []string      `json:"own,omitempty"`      // own modules; package main is own too
	OwnFrom    string        `json:"own_from,omitempty"` // where Own comes from; "" if it is empty
	// Main is the path of the main module, which names are shortened by; "" if unknown.
	Main    string   `json:"-"`
	Filters []string `json:"filters,omitempty"`
	Base    []string `json:"base,omitempty"` // profiles that are subtracted
	// PerRequest is, for a difference, the cost of a request in the base and here.
	PerRequest string `json:"per_request,omitempty"`
	// Unit is the unit of all values in text; "" chooses one for each value.
	Unit string `json:"-"`
}

// HeaderOptions configure NewHeader.
type HeaderOptions struct {
	Filters  []string // as the user gave them
	Base     []string // profiles that are subtracted
	Relative bool     // shares are of what the filters keep
	Unit     string   // of values in text; "" chooses one for each
}

// NewHeader returns the facts about an input.
func NewHeader(in *input.Input, o HeaderOptions) Header {
	h := Header{
		Name: in.Name, Profile: in.Part, SampleType: in.Type,
		Total: in.View.Total(), Samples: in.Samples(), Stacks: in.Profile.NumSamples(),
		Duration: in.Duration(), Time: in.Profile.Time, Program: in.Program(),
		Own: in.Own.Modules, OwnFrom: in.Own.From, Main: in.Own.Main,
		Unit: o.Unit, Filters: o.Filters, Base: o.Base,
	}
	if o.Relative {
		// The total is of what the filters keep; so is the count.
		h.Samples, h.Stacks = in.KeptSamples(), in.View.Samples()
	}
	if in.Recording != nil {
		m := in.Recording.Meta()
		h.Target, h.GoVersion, h.GOMAXPROCS = m.Target.String(), m.GoVersion, m.GOMAXPROCS
	}
	return h
}

// Write formats a value of h's sample type.
func (h *Header) Write(v int64) string {
	return unit.Of(v, h.SampleType.Unit).In(cmp.Or(h.Unit, "auto"))
}
