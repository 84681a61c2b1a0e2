package profile

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
)

// Write encodes the profile as gzipped protobuf, which every reader of pprof profiles accepts. A
// diff base's samples (IsBase) keep their negated values and get the label pprof::base=true, as in
// pprof.
func (p *Profile) Write(w io.Writer) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return err
	}
	if err := p.writeUncompressed(z); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return fmt.Errorf("write profile: %w", err)
	}
	return nil
}

// writeUncompressed is Write without the gzip layer.
func (p *Profile) writeUncompressed(w io.Writer) error {
	e := &encoder{w: w, ids: map[string]uint64{"": 0}, strs: []string{""}}
	e.profile(p)
	if e.err != nil {
		return fmt.Errorf("write profile: %w", e.err)
	}
	return nil
}

const encodeFlush = 256 << 10

type encoder struct {
	w     io.Writer
	err   error
	out   []byte // finished messages
	msg   []byte // the message being built
	sub   []byte // a message inside it
	stack []uint32
	ids   map[string]uint64
	strs  []string
}

func (e *encoder) str(s string) uint64 {
	id, ok := e.ids[s]
	if !ok {
		id = uint64(len(e.strs))
		e.ids[s] = id
		e.strs = append(e.strs, s)
	}
	return id
}

func num(b []byte, key int, x uint64) []byte {
	if x == 0 {
		return b
	}
	b = binary.AppendUvarint(b, uint64(key)<<3|wireVarint)
	return binary.AppendUvarint(b, x)
}

func flag(b []byte, key int, x bool) []byte {
	if !x {
		return b
	}
	return num(b, key, 1)
}

func data(b []byte, key int, x []byte) []byte {
	b = binary.AppendUvarint(b, uint64(key)<<3|wireBytes)
	b = binary.AppendUvarint(b, uint64(len(x)))
	return append(b, x...)
}

// end closes the top-level message being built.
func (e *encoder) end(key int) {
	e.out = data(e.out, key, e.msg)
	e.msg = e.msg[:0]
	if len(e.out) >= encodeFlush {
		e.flush()
	}
}

func (e *encoder) flush() {
	if e.err == nil {
		_, e.err = e.w.Write(e.out)
	}
	e.out = e.out[:0]
}

func (e *encoder) valueType(t ValueType) {
	e.msg = num(e.msg, 1, e.str(t.Type))
	e.msg = num(e.msg, 2, e.str(t.Unit))
}

func (e *encoder) profile(p *Profile) {
	for _, t := range p.SampleTypes {
		e.valueType(t)
		e.end(profileSampleType)
	}
	for i := range p.stacks {
		e.sample(p, i)
		e.end(profileSample)
	}
	for i, m := range p.Mappings {
		b := num(e.msg, 1, uint64(i)+1)
		b = num(b, 2, m.Start)
		b = num(b, 3, m.Limit)
		b = num(b, 4, m.Offset)
		b = num(b, 5, e.str(m.File))
		b = num(b, 6, e.str(m.BuildID))
		b = flag(b, 7, m.HasFunctions)
		b = flag(b, 8, m.HasFilenames)
		b = flag(b, 9, m.HasLineNumbers)
		e.msg = flag(b, 10, m.HasInlineFrames)
		e.end(profileMapping)
	}
	for i, l := range p.Locations {
		b := num(e.msg, 1, uint64(i)+1)
		if l.Mapping != None {
			b = num(b, 2, uint64(l.Mapping)+1)
		}
		b = num(b, 3, l.Address)
		for _, ln := range p.Frames(uint32(i)) {
			if ln.Function == None {
				continue
			}
			e.sub = num(e.sub[:0], 1, uint64(ln.Function)+1)
			e.sub = num(e.sub, 2, uint64(int64(ln.Line)))
			e.sub = num(e.sub, 3, uint64(int64(ln.Column)))
			b = data(b, 4, e.sub)
		}
		e.msg = flag(b, 5, l.Folded)
		e.end(profileLocation)
	}
	for i, f := range p.Functions {
		b := num(e.msg, 1, uint64(i)+1)
		b = num(b, 2, e.str(f.Name))
		b = num(b, 3, e.str(f.SystemName))
		b = num(b, 4, e.str(f.File))
		e.msg = num(b, 5, uint64(f.StartLine))
		e.end(profileFunction)
	}
	e.out = num(e.out, profileDropFrames, e.str(p.DropFrames))
	e.out = num(e.out, profileKeepFrames, e.str(p.KeepFrames))
	if !p.Time.IsZero() {
		e.out = num(e.out, profileTimeNanos, uint64(p.Time.UnixNano()))
	}
	e.out = num(e.out, profileDurationNanos, uint64(p.Duration))
	if p.PeriodType != (ValueType{}) {
		e.valueType(p.PeriodType)
		e.end(profilePeriodType)
	}
	e.out = num(e.out, profilePeriod, uint64(p.Period))
	for _, c := range p.Comments {
		e.sub = binary.AppendUvarint(e.sub[:0], e.str(c))
		e.out = data(e.out, profileComment, e.sub)
	}
	e.out = num(e.out, profileDefaultSampleType, e.str(p.DefaultSampleType))
	e.out = num(e.out, profileDocURL, e.str(p.DocURL))
	for _, s := range e.strs {
		e.msg = append(e.msg, s...)
		e.end(profileStringTable)
	}
	e.flush()
}

func (e *encoder) sample(p *Profile, i int) {
	e.sub = e.sub[:0]
	e.stack = p.stack(i).appendTo(e.stack[:0])
	for _, loc := range e.stack {
		e.sub = binary.AppendUvarint(e.sub, uint64(loc)+1)
	}
	if len(e.sub) > 0 {
		e.msg = data(e.msg, 1, e.sub)
	}
	e.sub = e.sub[:0]
	for t := range p.values {
		e.sub = binary.AppendUvarint(e.sub, uint64(p.values[t][i]))
	}
	e.msg = data(e.msg, 2, e.sub)
	for _, l := range p.labelRun(i) {
		e.sub = num(e.sub[:0], 1, e.str(p.strings[l.key]))
		e.sub = num(e.sub, 2, e.str(p.strings[l.str]))
		e.sub = num(e.sub, 3, uint64(l.num))
		e.sub = num(e.sub, 4, e.str(p.strings[l.unit]))
		e.msg = data(e.msg, 3, e.sub)
	}
	if p.IsBase(i) {
		e.sub = num(e.sub[:0], 1, e.str("pprof::base"))
		e.sub = num(e.sub, 2, e.str("true"))
		e.msg = data(e.msg, 3, e.sub)
	}
}
