package profile

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"
)

// A SyntaxError is an error in encoded input.
type SyntaxError struct {
	Offset int64 // of the message in the uncompressed data
	Msg    string
}

// Error returns the offset and what is wrong there.
func (e *SyntaxError) Error() string { return fmt.Sprintf("at byte %d: %s", e.Offset, e.Msg) }

// Fields of the messages of
// https://github.com/google/pprof/blob/main/proto/profile.proto.
const (
	profileSampleType        = 1
	profileSample            = 2
	profileMapping           = 3
	profileLocation          = 4
	profileFunction          = 5
	profileStringTable       = 6
	profileDropFrames        = 7
	profileKeepFrames        = 8
	profileTimeNanos         = 9
	profileDurationNanos     = 10
	profilePeriodType        = 11
	profilePeriod            = 12
	profileComment           = 13
	profileDefaultSampleType = 14
	profileDocURL            = 15
)

// The memory that decoding each kind of object takes, for the limit.
const (
	costSample   = 8
	costLabel    = 24
	costLocation = 32 + 32 + 16
	costLine     = 12 + 24
	costFunction = 56 + 40
	costMapping  = 64 + 24
	costString   = 16
	costType     = 32
)

// Location ids below bigID are stored unchanged (minus one); the others, which no known producer in
// Go writes, get a number from a map.
const bigID = 1 << 31

// decoder turns the wire format into columns in one pass. Tables may come in
// any order and refer to each other by arbitrary ids and string indices, so
// these are kept raw until finish.
type decoder struct {
	src source
	win []byte // in memory and not yet decoded
	buf []byte // backing array of win if blocks had to be joined
	off int64  // offset of win[0]

	fixedLimit int64
	size       int64 // of the input, if it differs from what src reads; or 0
	used       int64

	p       *Profile
	types   []rawType
	period  rawType
	defType int64
	docURL  int64
	drop    int64
	keep    int64
	comment []int64
	strs    []string

	mappingIDs  []uint64
	mappingStrs [][2]int64 // file, build id
	functions   chunked[rawFunction]
	locations   chunked[rawLocation]
	lines       chunked[rawLine]

	stacks  chunked[stackRef]
	columns []chunked[int64]
	ends    chunked[uint32] // of label runs; empty until there is a label

	maxID   uint32 // largest stored location id (id-1, below bigID)
	big     map[uint64]uint32
	ids     []uint32 // scratch: one sample's stack
	values  []int64  // scratch: one sample's values
	hasTime bool
}

type rawType struct{ typ, unit int64 }

type rawFunction struct {
	id                     uint64
	name, systemName, file int64
	startLine              int64
}

type rawLocation struct {
	id, mapping, address uint64
	lines                uint32 // number of lines
	folded               bool
}

type rawLine struct {
	function     uint64 // id
	line, column int32
	none         bool // represents an unsymbolized location
}

func decode(src source, opt ReadOptions) (*Profile, error) {
	d := &decoder{src: src, fixedLimit: opt.MaxBytes, size: opt.Size, p: &Profile{}}
	if err := d.fill(64); err != nil {
		return nil, err
	}
	if looksLegacy(d.win) {
		return d.legacy()
	}
	if err := d.messages(); err != nil {
		return nil, err
	}
	if err := d.finish(); err != nil {
		return nil, err
	}
	if err := d.p.checkFrames(); err != nil {
		return nil, d.syntax("%v", err)
	}
	d.p.pruneUninteresting()
	d.p.computeKeys()
	d.p.memory = d.used
	return d.p, nil
}

func (d *decoder) syntax(format string, args ...any) error {
	return &SyntaxError{d.off, fmt.Sprintf(format, args...)}
}

// charge counts n more bytes against the limit.
func (d *decoder) charge(n int64) error {
	d.used += n
	if d.used <= LimitBase && d.fixedLimit == 0 {
		return nil
	}
	limit := d.fixedLimit
	if limit == 0 {
		input := d.src.input()
		if d.size > 0 {
			input = min(input, d.size)
		}
		limit = LimitBase + LimitFactor*input
	}
	if d.used > limit {
		return &LimitError{limit, d.src.input()}
	}
	return nil
}

// fill makes win at least n bytes long unless the input ends first. It copies the remaining tail of
// a block before the next block replaces it.
func (d *decoder) fill(n int) error {
	if len(d.win) >= n {
		return nil
	}
	if len(d.win) == 0 {
		b, err := d.src.next()
		if err != nil && !errors.Is(err, io.EOF) {
			return d.readError(err)
		}
		d.win = b
	}
	if len(d.win) >= n {
		return nil
	}
	d.buf = append(d.buf[:0], d.win...)
	for len(d.buf) < n {
		b, err := d.src.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return d.readError(err)
		}
		before := cap(d.buf)
		d.buf = append(d.buf, b...)
		if err := d.charge(int64(cap(d.buf) - before)); err != nil {
			return err
		}
	}
	d.win = d.buf
	return nil
}

func (d *decoder) readError(err error) error {
	return fmt.Errorf("after %d bytes of uncompressed data: %w", d.off+int64(len(d.win)), err)
}

// messages decodes the fields of the top-level Profile message.
func (d *decoder) messages() error {
	for {
		if err := d.fill(20); err != nil { // a key and a length
			return err
		}
		if len(d.win) == 0 {
			return nil
		}
		f, err := nextField(&d.win, true)
		if err != nil {
			return d.syntax("%v", err)
		}
		if f.wire == wireBytes {
			if f.num > math.MaxInt32 {
				return d.syntax("field %d claims %d bytes", f.key, f.num)
			}
			n := int(f.num)
			if err := d.fill(n); err != nil {
				return err
			}
			if len(d.win) < n {
				return d.syntax("field %d claims %d bytes, but only %d follow: the input is truncated", f.key, n, len(d.win))
			}
			f.data = d.win[:n:n]
			d.win = d.win[n:]
		}
		if err := d.message(f); err != nil {
			var limit *LimitError
			if errors.As(err, &limit) {
				return err
			}
			return d.syntax("%s: %v", topName(f.key), err)
		}
		d.off += int64(f.size) + int64(len(f.data))
	}
}

func topName(key uint64) string {
	switch key {
	case profileSampleType:
		return "sample type"
	case profileSample:
		return "sample"
	case profileMapping:
		return "mapping"
	case profileLocation:
		return "location"
	case profileFunction:
		return "function"
	case profileStringTable:
		return "string table"
	}
	return fmt.Sprintf("field %d", key)
}

func (d *decoder) message(f field) error {
	switch f.key {
	case profileSampleType, profilePeriodType, profileSample, profileMapping,
		profileLocation, profileFunction, profileStringTable:
		if f.wire != wireBytes {
			return fmt.Errorf("wire type %d where a message belongs", f.wire)
		}
	case profileComment:
	default:
		if f.key <= profileDocURL && f.wire != wireVarint {
			return fmt.Errorf("wire type %d where a number belongs", f.wire)
		}
	}
	n := int64(f.num)
	switch f.key {
	case profileSampleType:
		t, err := d.valueType(f.data)
		d.types = append(d.types, t)
		if err == nil {
			err = d.charge(costType)
		}
		return err
	case profileSample:
		return d.sample(f.data)
	case profileMapping:
		return d.mapping(f.data)
	case profileLocation:
		return d.location(f.data)
	case profileFunction:
		return d.function(f.data)
	case profileStringTable:
		d.strs = append(d.strs, string(f.data))
		return d.charge(costString + int64(len(f.data)))
	case profileDropFrames:
		d.drop = n
	case profileKeepFrames:
		d.keep = n
	case profileTimeNanos:
		if d.hasTime {
			return errors.New("a second time: the file has several concatenated profiles; split it")
		}
		d.hasTime = true
		if n != 0 {
			d.p.Time = time.Unix(0, n).UTC()
		}
	case profileDurationNanos:
		d.p.Duration = time.Duration(n)
	case profilePeriodType:
		t, err := d.valueType(f.data)
		d.period = t
		return err
	case profilePeriod:
		d.p.Period = n
	case profileComment:
		return repeated(f, func(x uint64) error {
			d.comment = append(d.comment, int64(x))
			return d.charge(8 + costString)
		})
	case profileDefaultSampleType:
		d.defType = n
	case profileDocURL:
		d.docURL = n
	}
	return nil
}

func (d *decoder) valueType(b []byte) (t rawType, err error) {
	err = fields(b, func(f field) error {
		switch f.key {
		case 1:
			t.typ = int64(f.num)
		case 2:
			t.unit = int64(f.num)
		}
		return nil
	})
	return t, err
}

// sample decodes one sample. It stores location ids less one, so that the usual ids 1, 2, 3, … are
// already indices.
func (d *decoder) sample(b []byte) error {
	// Every id takes at least a byte, so this is large enough.
	if len(d.ids) < len(b) {
		n := max(len(b), 2*len(d.ids))
		if err := d.charge(4 * int64(n-len(d.ids))); err != nil {
			return err
		}
		d.ids = make([]uint32, n)
	}
	ids := d.ids
	n, most := 0, uint32(0)
	d.values = d.values[:0]
	for len(b) > 0 {
		f, err := nextField(&b, false)
		if err != nil {
			return err
		}
		switch f.key {
		case 1:
			if f.wire != wireBytes {
				id, err := d.locationID(f.num)
				if err != nil {
					return err
				}
				ids[n] = id
				n++
				most = max(most, id)
				continue
			}
			m, largest, err := d.packedIDs(ids[n:], f.data)
			if err != nil {
				return err
			}
			n += m
			most = max(most, largest)
		case 2:
			if f.wire == wireVarint {
				d.values = append(d.values, int64(f.num))
				continue
			}
			for p := f.data; len(p) > 0; {
				x, m := uvarint(p)
				if m == 0 {
					return errVarint
				}
				p = p[m:]
				d.values = append(d.values, int64(x))
			}
		case 3:
			if err := d.label(f.data); err != nil {
				return err
			}
		}
	}
	if d.columns == nil {
		d.columns = make([]chunked[int64], len(d.values))
	}
	if len(d.values) != len(d.columns) || len(d.values) == 0 {
		return fmt.Errorf("it has %d values, the others have %d", len(d.values), len(d.columns))
	}
	for t, v := range d.values {
		d.columns[t].add(v)
	}
	return d.endSample(ids[:n], most)
}

// endSample stores a stack, whose largest id is most, and ends the run of labels.
func (d *decoder) endSample(ids []uint32, most uint32) error {
	if err := checkDepth(len(ids)); err != nil {
		return err
	}
	if most < bigID {
		d.maxID = max(d.maxID, most)
	}
	p := d.p
	before := p.pieces.size
	ref := p.pieces.put(ids, most)
	p.pieces.keep(ref)
	cost := int64(costSample + p.pieces.size - before)
	if len(p.labels) > 0 {
		for d.ends.n < d.stacks.n {
			d.ends.add(0)
			cost += 4
		}
		d.ends.add(uint32(len(p.labels)))
		cost += 4
	}
	d.stacks.add(ref)
	return d.charge(cost + 8*int64(len(d.values)))
}

// packedIDs decodes packed location ids into ids, which is long enough, and returns their number
// and the largest. Most of the bytes of a profile are decoded here.
func (d *decoder) packedIDs(ids []uint32, b []byte) (n int, most uint32, err error) {
	for i := 0; i < len(b); {
		x := uint64(b[i])
		i++
		if x >= 0x80 {
			if i+2 > len(b) {
				i--
				var m int
				if x, m = uvarint(b[i:]); m == 0 {
					return 0, 0, errVarint
				}
				i += m
			} else if c := uint64(b[i]); c < 0x80 {
				x = x&0x7f | c<<7
				i++
			} else if e := uint64(b[i+1]); e < 0x80 {
				x = x&0x7f | c&0x7f<<7 | e<<14
				i += 2
			} else {
				i--
				var m int
				if x, m = uvarint(b[i:]); m == 0 {
					return 0, 0, errVarint
				}
				i += m
			}
		}
		x--
		if x >= bigID {
			id, err := d.locationID(x + 1)
			if err != nil {
				return 0, 0, err
			}
			ids[n] = id
			n++
			most = max(most, id)
			continue
		}
		most = max(most, uint32(x))
		ids[n] = uint32(x)
		n++
	}
	return n, most, nil
}

// locationID returns what is stored for a location id until the tables are known.
func (d *decoder) locationID(x uint64) (uint32, error) {
	if x == 0 {
		return 0, errors.New("location id 0 is reserved")
	}
	if x-1 < bigID {
		return uint32(x - 1), nil
	}
	if id, ok := d.big[x]; ok {
		return id, nil
	}
	if d.big == nil {
		d.big = make(map[uint64]uint32)
	}
	if len(d.big) >= bigID-1 {
		return 0, errors.New("too many locations")
	}
	id := bigID + uint32(len(d.big))
	d.big[x] = id
	return id, d.charge(48)
}

func (d *decoder) label(b []byte) error {
	var key, str, unit, num uint64
	err := fields(b, func(f field) error {
		switch f.key {
		case 1:
			key = f.num
		case 2:
			str = f.num
		case 3:
			num = f.num
		case 4:
			unit = f.num
		}
		return nil
	})
	if err != nil {
		return err
	}
	if str == 0 && num == 0 && unit == 0 {
		return nil // an empty label
	}
	if max(key, str, unit) > math.MaxUint32 {
		return errors.New("label refers to a string that is missing")
	}
	d.p.labels = append(d.p.labels, label{uint32(key), uint32(str), uint32(unit), int64(num)})
	return d.charge(costLabel)
}

func (d *decoder) mapping(b []byte) error {
	m := Mapping{}
	var id uint64
	var strs [2]int64
	err := fields(b, func(f field) error {
		switch f.key {
		case 1:
			id = f.num
		case 2:
			m.Start = f.num
		case 3:
			m.Limit = f.num
		case 4:
			m.Offset = f.num
		case 5:
			strs[0] = int64(f.num)
		case 6:
			strs[1] = int64(f.num)
		case 7:
			m.HasFunctions = f.num != 0
		case 8:
			m.HasFilenames = f.num != 0
		case 9:
			m.HasLineNumbers = f.num != 0
		case 10:
			m.HasInlineFrames = f.num != 0
		}
		return nil
	})
	if err != nil {
		return err
	}
	d.p.Mappings = append(d.p.Mappings, m)
	d.mappingIDs = append(d.mappingIDs, id)
	d.mappingStrs = append(d.mappingStrs, strs)
	return d.charge(costMapping)
}

func (d *decoder) function(b []byte) error {
	var fn rawFunction
	for len(b) > 0 {
		f, err := nextField(&b, false)
		if err != nil {
			return err
		}
		switch f.key {
		case 1:
			fn.id = f.num
		case 2:
			fn.name = int64(f.num)
		case 3:
			fn.systemName = int64(f.num)
		case 4:
			fn.file = int64(f.num)
		case 5:
			fn.startLine = int64(f.num)
		}
	}
	d.functions.add(fn)
	return d.charge(costFunction)
}

func (d *decoder) location(b []byte) error {
	var l rawLocation
	for len(b) > 0 {
		f, err := nextField(&b, false)
		if err != nil {
			return err
		}
		switch f.key {
		case 1:
			l.id = f.num
		case 2:
			l.mapping = f.num
		case 3:
			l.address = f.num
		case 4:
			var ln rawLine
			for lb := f.data; len(lb) > 0; {
				lf, err := nextField(&lb, false)
				if err != nil {
					return err
				}
				switch lf.key {
				case 1:
					ln.function = lf.num
				case 2:
					ln.line = clamp32(int64(lf.num))
				case 3:
					ln.column = clamp32(int64(lf.num))
				}
			}
			d.lines.add(ln)
			if l.lines++; l.lines > maxInlined {
				return fmt.Errorf("more than %d functions are inlined into one another", maxInlined)
			}
			if err := d.charge(costLine); err != nil {
				return err
			}
		case 5:
			l.folded = f.num != 0
		}
	}
	if l.lines == 0 {
		d.lines.add(rawLine{none: true})
		l.lines = 1
	}
	d.locations.add(l)
	return d.charge(costLocation + costLine)
}

// Limits on how much inlining may expand stacks. Compilers inline some tens of functions into one
// another, C++ templates some hundreds; stacks of Go programs have one and a half times as many
// frames as locations.
const (
	maxInlined = 10_000  // lines of a location
	fewInlined = 16      // frames for each location of a stack, over all stacks
	baseFrames = 8 << 20 // this many for any profile
)

// checkFrames returns an error for profiles whose few bytes of stacks expand to an excessive number
// of frames, since each stack may pass through a location with many lines.
func (p *Profile) checkFrames() error {
	if !slices.ContainsFunc(p.Locations, func(l Location) bool { return l.Num > fewInlined }) {
		return nil
	}
	var frames, locations int64
	var stack []uint32
	for i := range p.stacks {
		stack = p.AppendStack(stack[:0], i)
		locations += int64(len(stack))
		for _, l := range stack {
			frames += int64(p.Locations[l].Num)
		}
	}
	if frames > baseFrames+fewInlined*locations {
		return fmt.Errorf("its stacks have %d frames in %d locations: more than any compiler inlines", frames,
			locations)
	}
	return nil
}

func clamp32(x int64) int32 {
	return int32(min(max(x, math.MinInt32), math.MaxInt32))
}
