package profile

import "time"

// None marks the absence of an index into one of a Profile's tables.
const None = ^uint32(0)

// A ValueType names a value column: what is measured and in which unit, as in
// {"cpu", "nanoseconds"}.
type ValueType struct {
	Type string `json:"type"`
	Unit string `json:"unit"`
}

// A Mapping is one file that was mapped into the profiled process.
type Mapping struct {
	Start, Limit, Offset uint64
	File                 string
	BuildID              string

	HasFunctions    bool
	HasFilenames    bool
	HasLineNumbers  bool
	HasInlineFrames bool

	// KernelRelocationSymbol is the name that legacy formats carry for a kernel
	// mapping; empty otherwise.
	KernelRelocationSymbol string
}

// A Function is a function as the profile names it. Name is demangled where the
// producer did so; SystemName is the linker's name. StartLine is 0 when unknown.
type Function struct {
	Name       string
	SystemName string
	File       string
	StartLine  int64
}

// A Line is one frame of a location: a function and a place in its file.
// Function is None when the location is not symbolised (each location has at
// least one Line; an unsymbolised one has exactly one, with Function None).
// Line and Column are 0 when unknown.
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
	DefaultSampleType string      // "" when the producer named none

	PeriodType ValueType
	Period     int64         // in PeriodType.Unit; 0 when unknown
	Time       time.Time     // start of collection; zero when unknown
	Duration   time.Duration // 0 when unknown
	Comments   []string
	DocURL     string

	// DropFrames and KeepFrames are the producer's regular expressions for
	// frames that only got there by measuring; Read has already applied them.
	DropFrames, KeepFrames string

	Mappings  []Mapping
	Functions []Function
	Lines     []Line
	Locations []Location

	stacks   [][]uint32 // per sample: location indices, leaf first
	values   [][]int64  // per sample type, per sample
	labelEnd []uint32   // per sample: end of its run in labels; nil when no sample has labels
	labels   []Label
	base     int // samples [base:] are the negated diff base; len(stacks) when none

	// Warnings lists what was odd but not fatal in the input.
	Warnings []error
}
