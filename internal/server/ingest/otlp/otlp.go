package otlp

import (
	"fmt"
	"math"
	"slices"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/whet-go/whet/profile"
)

// Limits bound what a request may contain.
type Limits struct {
	Entries int // in all tables
	Samples int // in one profile
	Depth   int // frames of one stack
	Frames  int // of all samples of one profile
}

// A LimitError reports a request with more of something than is accepted.
type LimitError struct {
	What  string
	Limit int // 0 if it is not a number that users set
}

// Error returns what there is too much of.
func (e *LimitError) Error() string {
	if e.Limit == 0 {
		return "too many " + e.What
	}
	return fmt.Sprintf("more than %d %s", e.Limit, e.What)
}

// A Profile is one profile of a resource.
type Profile struct {
	Resource map[string]string // its attributes
	Data     *profile.Profile
}

// Decode translates an ExportProfilesServiceRequest.
func Decode(request []byte, l Limits) ([]Profile, error) {
	d := &dictionary{left: l.Entries}
	if err := fields(request, func(f field) error {
		if f.num == 2 {
			return d.read(f.bytes)
		}
		return nil
	}); err != nil {
		return nil, err
	}
	var all []Profile
	n := 0
	err := fields(request, func(f field) error {
		if f.num != 1 {
			return nil
		}
		some, err := d.resource(f.bytes, l)
		if err != nil {
			return fmt.Errorf("resource %d: %w", n, err)
		}
		n++
		all = append(all, some...)
		return nil
	})
	return all, err
}

// resource translates the profiles of a resource.
func (d *dictionary) resource(data []byte, l Limits) ([]Profile, error) {
	attributes := map[string]string{}
	var scopes [][]byte
	err := fields(data, func(f field) error {
		switch f.num {
		case 1:
			return fields(f.bytes, func(f field) error {
				if f.num != 1 {
					return nil
				}
				if err := d.add(); err != nil {
					return err
				}
				a, err := d.keyValue(f.bytes)
				if a.value != "" {
					attributes[a.key] = a.value
				}
				return err
			})
		case 2:
			scopes = append(scopes, f.bytes)
			return d.add()
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var all []Profile
	for i, scope := range scopes {
		some, err := d.scope(scope, l)
		if err != nil {
			return nil, fmt.Errorf("scope %d: %w", i, err)
		}
		for _, p := range some {
			all = append(all, Profile{attributes, p})
		}
	}
	return all, nil
}

// raw is a profile whose samples are not decoded.
type raw struct {
	sample, period profile.ValueType
	every          int64
	start          time.Time
	duration       time.Duration
	samples        [][]byte
}

// same reports whether two profiles are sample types of one. Without times, that is unknown.
func (r *raw) same(s *raw) bool {
	return r.start.Equal(s.start) && r.duration == s.duration && r.period == s.period && r.every == s.every &&
		r.start.UnixNano() != 0
}

// scope translates the profiles of a scope.
func (d *dictionary) scope(data []byte, l Limits) ([]*profile.Profile, error) {
	var groups [][]*raw
	n := 0
	err := fields(data, func(f field) error {
		if f.num != 2 {
			return nil
		}
		r, err := d.profile(f.bytes, l)
		if err != nil {
			return fmt.Errorf("profile %d: %w", n, err)
		}
		n++
		i := slices.IndexFunc(groups, func(g []*raw) bool {
			return g[0].same(r) && !slices.ContainsFunc(g, func(o *raw) bool { return o.sample == r.sample })
		})
		if i < 0 {
			groups = append(groups, []*raw{r})
		} else {
			groups[i] = append(groups[i], r)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var all []*profile.Profile
	for _, g := range groups {
		p, err := d.translate(g, l)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// profile decodes a profile but its samples.
func (d *dictionary) profile(data []byte, l Limits) (*raw, error) {
	r := &raw{start: time.Unix(0, 0)}
	valueType := func(data []byte, into *profile.ValueType) error {
		var typ, unit int32
		if err := fields(data, func(f field) error {
			switch f.num {
			case 1:
				typ = int32(f.n)
			case 2:
				unit = int32(f.n)
			}
			return nil
		}); err != nil {
			return err
		}
		return d.texts(&into.Type, typ, &into.Unit, unit)
	}
	err := fields(data, func(f field) error {
		switch f.num {
		case 1:
			return valueType(f.bytes, &r.sample)
		case 2:
			if len(r.samples) == l.Samples {
				return &LimitError{"samples in a profile", l.Samples}
			}
			r.samples = append(r.samples, f.bytes)
		case 3:
			r.start = time.Unix(0, int64(f.n))
		case 4:
			r.duration = time.Duration(min(f.n, math.MaxInt64))
		case 5:
			return valueType(f.bytes, &r.period)
		case 6:
			r.every = int64(f.n)
		}
		return nil
	})
	if r.sample.Type == "" {
		r.sample = profile.ValueType{Type: "samples", Unit: "count"}
	}
	return r, err
}

// A builder makes one profile of the sample types in a group.
type builder struct {
	*profile.Builder
	d         *dictionary
	l         Limits
	locations map[int32]uint32
	stack     []uint32
	frames    int // of all samples
}

// translate makes one profile of the sample types in a group.
func (d *dictionary) translate(group []*raw, l Limits) (*profile.Profile, error) {
	first := group[0]
	var types []profile.ValueType
	for _, r := range group {
		types = append(types, r.sample)
	}
	cpu := profile.ValueType{Type: "cpu", Unit: "nanoseconds"}
	timed := len(types) == 1 && types[0].Unit == "count" && first.period == cpu && first.every > 0
	if timed {
		types = append(types, cpu)
	}
	b := &builder{Builder: profile.NewBuilder(types...), d: d, l: l, locations: map[int32]uint32{}}
	for i, r := range group {
		for j, sample := range r.samples {
			values := make([]int64, len(types))
			if err := b.add(sample, &values[i], func(v int64) bool {
				if !timed {
					return true
				}
				values[1] = v * first.every
				return v == 0 || values[1]/v == first.every
			}, values); err != nil {
				return nil, fmt.Errorf("sample %d: %w", j, err)
			}
		}
	}
	meta := &profile.Profile{PeriodType: first.period, Period: first.every, Duration: first.duration}
	if first.start.UnixNano() != 0 {
		meta.Time = first.start
	}
	return b.Profile(meta), nil
}

// add adds a sample. derive computes other values of its value, and reports whether they fit.
func (b *builder) add(data []byte, value *int64, derive func(int64) bool, values []int64) error {
	var stack, link int32
	var attributes []int32
	counted, times := false, 0
	err := fields(data, func(f field) (err error) {
		switch f.num {
		case 1:
			stack = int32(f.n)
		case 2:
			attributes, err = b.d.numbers(attributes, f)
		case 3:
			link = int32(f.n)
		case 4:
			counted = true
			err = eachNumber(f, func(n uint64) { *value += int64(n) })
		case 5:
			if f.bytes == nil {
				times++
			}
			times += len(f.bytes) / 8
		}
		return err
	})
	if err != nil {
		return err
	}
	if !counted {
		*value = int64(times) // one event each
	}
	if !derive(*value) {
		return fmt.Errorf("the value %d is too large", *value)
	}
	labels, err := b.labels(attributes, link)
	if err != nil {
		return err
	}
	if err := b.stackOf(stack); err != nil {
		return err
	}
	if b.frames += len(b.stack) + len(labels) + 1; b.frames > b.l.Frames {
		return &LimitError{"frames in all samples of a profile", b.l.Frames}
	}
	return b.Sample(b.stack, labels, values...)
}

// eachNumber calls each for the numbers of a field, packed or not.
func eachNumber(f field, each func(uint64)) error {
	if f.bytes == nil {
		each(f.n)
		return nil
	}
	for data := f.bytes; len(data) > 0; {
		v, n := protowire.ConsumeVarint(data)
		if n < 0 {
			return fmt.Errorf("%w: %w", errTruncated, protowire.ParseError(n))
		}
		each(v)
		data = data[n:]
	}
	return nil
}

// labels returns the labels of a sample.
func (b *builder) labels(attributes []int32, to int32) ([]profile.Label, error) {
	var labels []profile.Label
	for _, i := range attributes {
		a, err := at(b.d.attributes, "attributes", i)
		if err != nil {
			return nil, err
		}
		switch {
		case a.key == "" || a.value == "":
		case a.numeric:
			labels = append(labels, profile.Label{Key: a.key, Num: a.number, Unit: a.unit, Numeric: true})
		default:
			labels = append(labels, profile.Label{Key: a.key, Str: a.value})
		}
	}
	if to == 0 {
		return labels, nil
	}
	l, err := at(b.d.links, "links", to)
	if l.trace != "" {
		labels = append(labels, profile.Label{Key: "trace_id", Str: l.trace})
	}
	if l.span != "" {
		labels = append(labels, profile.Label{Key: "span_id", Str: l.span})
	}
	return labels, err
}

// stackOf sets the stack of a sample.
func (b *builder) stackOf(i int32) error {
	b.stack = b.stack[:0]
	if i == 0 && len(b.d.stacks) == 0 {
		return nil
	}
	stack, err := at(b.d.stacks, "stacks", i)
	if err != nil {
		return err
	}
	if len(stack) > b.l.Depth {
		return &LimitError{"frames in a stack", b.l.Depth}
	}
	for _, i := range stack {
		loc, known := b.locations[i]
		if !known {
			if loc, err = b.location(i); err != nil {
				return err
			}
			b.locations[i] = loc
		}
		b.stack = append(b.stack, loc)
	}
	return nil
}

// location adds a location to the profile.
func (b *builder) location(i int32) (uint32, error) {
	l, err := at(b.d.locations, "locations", i)
	if err != nil {
		return 0, err
	}
	mapping := profile.None
	if l.mapping != 0 {
		m, err := at(b.d.mappings, "mappings", l.mapping)
		if err != nil {
			return 0, fmt.Errorf("location %d: %w", i, err)
		}
		m.HasFunctions = len(l.lines) > 0
		mapping = b.Mapping(m)
	}
	var lines []profile.Line
	for _, one := range l.lines {
		to := profile.Line{Function: profile.None, Line: clamp(one.line), Column: clamp(one.column)}
		f, err := at(b.d.functions, "functions", one.function)
		if err != nil {
			return 0, fmt.Errorf("location %d: %w", i, err)
		}
		if f.Name != "" || f.File != "" {
			to.Function = b.Function(f)
		}
		lines = append(lines, to)
	}
	if len(lines) == 1 && lines[0].Function == profile.None {
		lines = nil // not symbolized
	}
	return b.Location(l.address, mapping, false, lines...), nil
}

// clamp returns a line or column, 0 if it is out of range.
func clamp(n int64) int32 {
	if n < 0 || n > math.MaxInt32 {
		return 0
	}
	return int32(n)
}
