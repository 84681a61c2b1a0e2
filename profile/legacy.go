package profile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	gprofile "github.com/google/pprof/profile"
)

// looksLegacy reports whether the first bytes are those of a format before protobuf: binary CPU
// profiles begin with a zero word, all others are text. A protobuf profile has control bytes (keys
// and lengths) early on.
func looksLegacy(head []byte) bool {
	if len(head) >= 8 && (bytes.Equal(head[:4], make([]byte, 4)) || bytes.Equal(head[:8], make([]byte, 8))) {
		return true
	}
	n := 0
	for _, c := range head[:min(len(head), 24)] {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' || c >= 0x7f {
			return false
		}
		n++
	}
	return n >= 8
}

// legacy passes the whole input to google/pprof's parser.
func (d *decoder) legacy() (p *Profile, err error) {
	if err := d.charge(legacyCost(d.win)); err != nil {
		return nil, err
	}
	data := append([]byte(nil), d.win...)
	for {
		b, err := d.src.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, d.readError(err)
		}
		// Before it is stored, and before the parser, which has no limit, reads it.
		if err := d.charge(legacyCost(b)); err != nil {
			return nil, err
		}
		data = append(data, b...)
	}
	defer func() {
		if r := recover(); r != nil {
			p, err = nil, fmt.Errorf("legacy profile: malformed: %v", r)
		}
	}()
	g, err := gprofile.ParseData(data)
	if err != nil {
		return nil, fmt.Errorf("neither a protobuf profile nor one of the older formats: %w", err)
	}
	p, err = fromGoogle(g)
	if err != nil {
		return nil, err
	}
	p.pruneUninteresting()
	p.computeKeys()
	p.memory = d.used
	return p, nil
}

// fromGoogle converts google/pprof's representation.
func fromGoogle(g *gprofile.Profile) (*Profile, error) {
	p := &Profile{
		DefaultSampleType: g.DefaultSampleType,
		Period:            g.Period,
		Duration:          time.Duration(g.DurationNanos),
		Comments:          g.Comments,
		DocURL:            g.DocURL,
		DropFrames:        g.DropFrames,
		KeepFrames:        g.KeepFrames,
		values:            make([][]int64, len(g.SampleType)),
	}
	if g.TimeNanos != 0 {
		p.Time = time.Unix(0, g.TimeNanos).UTC()
	}
	if g.PeriodType != nil {
		p.PeriodType = ValueType{g.PeriodType.Type, g.PeriodType.Unit}
	}
	for _, t := range g.SampleType {
		p.SampleTypes = append(p.SampleTypes, ValueType{t.Type, t.Unit})
	}
	if len(p.SampleTypes) == 0 {
		return nil, errors.New("it has no sample types")
	}
	mappings := make(map[*gprofile.Mapping]uint32)
	for i, m := range g.Mapping {
		mappings[m] = uint32(i)
		p.Mappings = append(p.Mappings, Mapping{
			Start: m.Start, Limit: m.Limit, Offset: m.Offset, File: m.File, BuildID: m.BuildID,
			HasFunctions: m.HasFunctions, HasFilenames: m.HasFilenames,
			HasLineNumbers: m.HasLineNumbers, HasInlineFrames: m.HasInlineFrames,
		})
	}
	functions := make(map[*gprofile.Function]uint32)
	for i, f := range g.Function {
		functions[f] = uint32(i)
		p.Functions = append(p.Functions, Function{f.Name, f.SystemName, f.Filename, f.StartLine})
	}
	locations := make(map[*gprofile.Location]uint32)
	for i, l := range g.Location {
		locations[l] = uint32(i)
		loc := Location{Address: l.Address, Mapping: None, First: uint32(len(p.Lines)), Folded: l.IsFolded}
		if l.Mapping != nil {
			loc.Mapping = mappings[l.Mapping]
		}
		for _, ln := range l.Line {
			p.Lines = append(p.Lines, Line{functions[ln.Function], clamp32(ln.Line), clamp32(ln.Column)})
		}
		if len(l.Line) == 0 {
			p.Lines = append(p.Lines, Line{Function: None})
		}
		loc.Num = uint32(len(p.Lines)) - loc.First
		p.Locations = append(p.Locations, loc)
	}
	b := newLabelBuilder(p)
	var stack []uint32
	for _, s := range g.Sample {
		if err := checkDepth(len(s.Location)); err != nil {
			return nil, err
		}
		stack = stack[:0]
		most := uint32(0)
		for _, l := range s.Location {
			stack = append(stack, locations[l])
			most = max(most, locations[l])
		}
		ref := p.pieces.put(stack, most)
		p.pieces.keep(ref)
		p.stacks = append(p.stacks, ref)
		for t, v := range s.Value {
			p.values[t] = append(p.values[t], v)
		}
		for _, key := range sortedKeys(s.Label) {
			for _, v := range s.Label[key] {
				b.add(Label{Key: key, Str: v})
			}
		}
		for _, key := range sortedKeys(s.NumLabel) {
			units := s.NumUnit[key]
			for i, v := range s.NumLabel[key] {
				l := Label{Key: key, Num: v, Numeric: true}
				if i < len(units) {
					l.Unit = units[i]
				}
				b.add(l)
			}
		}
		b.endSample()
	}
	b.finish()
	p.base = len(p.stacks)
	return p, nil
}
