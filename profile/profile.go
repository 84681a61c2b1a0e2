package profile

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/diag"
)

// None marks the absence of an index into one of a Profile's tables.
const None = ^uint32(0)

// A ValueType names a value column: what is measured and in which unit, as in
// {"cpu", "nanoseconds"}.
type ValueType struct {
	Type string `json:"type"`
	Unit string `json:"unit"`
}

// A Mapping is a file that was mapped into the profiled process.
type Mapping struct {
	Start, Limit, Offset uint64
	File                 string
	BuildID              string

	HasFunctions    bool
	HasFilenames    bool
	HasLineNumbers  bool
	HasInlineFrames bool
}

// A Function is a function as the profile names it. Name is demangled where the
// producer did so; SystemName is the linker's name. StartLine is 0 when unknown.
type Function struct {
	Name       string
	SystemName string
	File       string
	StartLine  int64
}

// A Line is one frame of a location: a function and a position in its file. Function is None if the
// location is not symbolized (each location has at least one Line; an unsymbolized one has exactly
// one, with Function None). Line and Column are 0 if unknown.
type Line struct {
	Function uint32
	Line     int32
	Column   int32
}

// A Location is one address. Its frames are Profile.Lines[First:First+Num],
// innermost (the inlined callee) first. Mapping is None when unknown.
type Location struct {
	Address uint64
	Mapping uint32
	First   uint32
	Num     uint32
	Folded  bool
}

// A Label is one label of a sample: Key with either a string or, when Numeric,
// a number with an optional unit.
type Label struct {
	Key     string
	Str     string
	Num     int64
	Unit    string
	Numeric bool
}

// A Profile is one decoded profile.
type Profile struct {
	SampleTypes       []ValueType // one per value column, never empty
	DefaultSampleType string      // "" if the producer named none

	PeriodType ValueType
	Period     int64         // in PeriodType.Unit; 0 when unknown
	Time       time.Time     // start of collection; zero when unknown
	Duration   time.Duration // 0 when unknown
	Comments   []string
	DocURL     string

	// DropFrames and KeepFrames are the producer's regular expressions for frames that exist only
	// because of the measurement; Read has already applied them.
	DropFrames, KeepFrames string

	Mappings  []Mapping
	Functions []Function
	Lines     []Line
	Locations []Location

	stacks   []stackRef // per sample
	pieces   stackPieces
	values   [][]int64 // per sample type, per sample
	labelEnd []uint32  // per sample: end of its run in labels; nil when no sample has labels
	labels   []label
	strings  []string // what labels refer to
	keys     []key    // per location
	// labelFunctions is the number of functions, at the end, that represent labels (see
	// LabelFrames).
	labelFunctions int
	memory         int64 // for decoding
	base           int   // samples [base:] are the negated diff base; len(stacks) when none

	// Warnings lists what was odd but not fatal in the input.
	Warnings Warnings
}

// Warnings are what the reader of a profile must know.
type Warnings = diag.Warnings

// label is a Label whose strings are indices into Profile.strings; str is 0 for
// a numeric one.
type label struct {
	key, str, unit uint32
	num            int64
}

// NumSamples returns the number of samples.
func (p *Profile) NumSamples() int { return len(p.stacks) }

// AppendStack appends sample i's location indices, leaf first, to dst.
func (p *Profile) AppendStack(dst []uint32, i int) []uint32 { return p.stack(i).appendTo(dst) }

// Value returns sample i's value of sample type t.
func (p *Profile) Value(i, t int) int64 { return p.values[t][i] }

// HasLabels reports whether any sample has labels.
func (p *Profile) HasLabels() bool { return p.labelEnd != nil }

// Labels returns sample i's labels in the order of the file, nil when it has none.
func (p *Profile) Labels(i int) []Label {
	recs := p.labelRun(i)
	if len(recs) == 0 {
		return nil
	}
	ls := make([]Label, len(recs))
	for j, r := range recs {
		ls[j] = Label{
			Key: p.strings[r.key], Str: p.strings[r.str],
			Num: r.num, Unit: p.strings[r.unit], Numeric: r.str == 0,
		}
	}
	return ls
}

func (p *Profile) labelRun(i int) []label {
	if p.labelEnd == nil {
		return nil
	}
	start := uint32(0)
	if i > 0 {
		start = p.labelEnd[i-1]
	}
	return p.labels[start:p.labelEnd[i]]
}

// IsBase reports whether sample i belongs to the diff base (see DiffBase).
func (p *Profile) IsBase(i int) bool { return i >= p.base }

// Frames returns the frames of location loc, innermost first.
func (p *Profile) Frames(loc uint32) []Line {
	l := &p.Locations[loc]
	return p.Lines[l.First : l.First+l.Num]
}

// TypeIndex finds a sample type by its name; "" means the default one: the one that the producer
// names, else the last. As in go tool pprof, an "inuse_" or "alloc_" style name also finds a type
// without the prefix, and a number is an index. The error lists the valid names.
func (p *Profile) TypeIndex(name string) (int, error) {
	if name == "" {
		for i, t := range p.SampleTypes {
			if p.DefaultSampleType != "" && t.Type == p.DefaultSampleType {
				return i, nil
			}
		}
		return len(p.SampleTypes) - 1, nil
	}
	if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(p.SampleTypes) {
		return i, nil
	}
	for i, t := range p.SampleTypes {
		if t.Type == name {
			return i, nil
		}
	}
	bare := strings.TrimPrefix(name, "inuse_")
	names := make([]string, len(p.SampleTypes))
	for i, t := range p.SampleTypes {
		if t.Type == bare {
			return i, nil
		}
		names[i] = t.Type
	}
	return 0, fmt.Errorf("unknown sample type %q (want %s)", name, strings.Join(names, ", "))
}

// Memory returns the approximate size in bytes of a decoded profile; 0 for a profile that was not
// decoded.
func (p *Profile) Memory() int64 { return p.memory }
