package export

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/whet-go/whet/internal/trace/tracetest"
	"github.com/whet-go/whet/trace/index/indextest"
)

// A field is an encoded field of a message.
type field struct {
	number protowire.Number
	value  uint64
	bytes  []byte
}

// fieldsOf reads a message.
func fieldsOf(b []byte) (all []field, err error) {
	for len(b) > 0 {
		number, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return nil, protowire.ParseError(n)
		}
		b = b[n:]
		f := field{number: number}
		switch typ {
		case protowire.VarintType:
			f.value, n = protowire.ConsumeVarint(b)
		case protowire.Fixed64Type:
			f.value, n = protowire.ConsumeFixed64(b)
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(b)
		default:
			return nil, fmt.Errorf("field %d is of type %d", number, typ)
		}
		if n < 0 {
			return nil, protowire.ParseError(n)
		}
		b = b[n:]
		all = append(all, f)
	}
	return all, nil
}

// A sequence is what a reader knows about a packet sequence so far.
type sequence struct {
	cleared  bool
	interned map[protowire.Number]map[uint64]bool
	at       uint64
}

// A ruled reads a file packet by packet, like trace_processor's tokenizer, and checks the rules of
// trace_packet.proto and interned_data.proto.
type ruled struct {
	sequences map[uint64]*sequence
	tracks    map[uint64]bool
	events    int
	wakes     int
	refers    int // to interned texts
}

// read reads a file to its end, or to the first packet that breaks a rule.
func (r *ruled) read(file []byte) error {
	packets, err := fieldsOf(file)
	if err != nil {
		return err
	}
	for n, p := range packets {
		if p.number != 1 {
			return fmt.Errorf("field %d of the file", p.number)
		}
		fields, err := fieldsOf(p.bytes)
		if err != nil {
			return err
		}
		if err := r.packet(fields); err != nil {
			return fmt.Errorf("packet %d of %d: %w", n, len(packets), err)
		}
	}
	return nil
}

func (r *ruled) packet(fields []field) error {
	// The order of fields in a message has no meaning: a packet's interned data apply to the whole
	// packet.
	slices.SortStableFunc(fields, func(a, b field) int { return cmp.Compare(rank(a.number), rank(b.number)) })
	var s *sequence
	flags := uint64(0)
	for _, f := range fields {
		if f.number != 10 && s == nil {
			return fmt.Errorf("field %d without a sequence", f.number)
		}
		switch f.number {
		case 10: // trusted_packet_sequence_id
			if s = r.sequences[f.value]; s == nil {
				s = &sequence{}
				r.sequences[f.value] = s
			}
		case 13: // sequence_flags
			if flags = f.value; flags&1 != 0 { // SEQ_INCREMENTAL_STATE_CLEARED
				s.cleared, s.interned = true, map[protowire.Number]map[uint64]bool{}
			}
			if flags&2 != 0 && !s.cleared { // SEQ_NEEDS_INCREMENTAL_STATE
				return fmt.Errorf("it needs a state that was never cleared, and is dropped")
			}
		case 8: // timestamp
			if f.value < s.at {
				return fmt.Errorf("its time is %d, after %d", f.value, s.at)
			}
			s.at = f.value
		case 12: // interned_data
			if err := s.intern(f.bytes); err != nil {
				return err
			}
		case 60: // track_descriptor
			if err := r.descriptor(f.bytes); err != nil {
				return err
			}
		case 11: // track_event
			if flags&2 == 0 {
				return fmt.Errorf("an event that does not say that it needs what was interned")
			}
			if err := r.event(s, f.bytes); err != nil {
				return err
			}
		default:
			return fmt.Errorf("field %d", f.number)
		}
	}
	return nil
}

// rank returns the position at which a field of a packet is processed.
func rank(number protowire.Number) int {
	return slices.Index([]protowire.Number{10, 13, 8, 12, 60, 11}, number)
}

func (s *sequence) intern(b []byte) error {
	entries, err := fieldsOf(b)
	if err != nil {
		return err
	}
	for _, e := range entries {
		about, err := fieldsOf(e.bytes)
		if err != nil {
			return err
		}
		if len(about) != 2 || about[0].number != 1 || about[0].value == 0 || about[1].number != 2 ||
			len(about[1].bytes) == 0 {
			return fmt.Errorf("interned data %x", e.bytes)
		}
		if s.interned[e.number] == nil {
			s.interned[e.number] = map[uint64]bool{}
		}
		if s.interned[e.number][about[0].value] {
			return fmt.Errorf("%d of field %d is interned twice", about[0].value, e.number)
		}
		s.interned[e.number][about[0].value] = true
	}
	return nil
}

func (r *ruled) descriptor(b []byte) error {
	about, err := fieldsOf(b)
	if err != nil {
		return err
	}
	for _, f := range about {
		if f.number == 5 && !r.tracks[f.value] { // parent_uuid
			return fmt.Errorf("a track below track %d, which comes later", f.value)
		}
	}
	if about[0].number != 1 || about[0].value == 0 || r.tracks[about[0].value] {
		return fmt.Errorf("a track whose number is field %d, %d", about[0].number, about[0].value)
	}
	r.tracks[about[0].value] = true
	return nil
}

func (r *ruled) event(s *sequence, b []byte) error {
	fields, err := fieldsOf(b)
	if err != nil {
		return err
	}
	refer := func(in protowire.Number, id uint64) error {
		r.refers++
		if !s.interned[in][id] {
			return fmt.Errorf("it refers to %d of field %d, which is not interned yet", id, in)
		}
		return nil
	}
	r.events++
	for _, f := range fields {
		switch f.number {
		case 9: // type
			if f.value == 3 { // TYPE_INSTANT, of a wake-up
				r.wakes++
			}
		case 11: // track_uuid
			if !r.tracks[f.value] {
				return fmt.Errorf("an event of track %d, which is described later", f.value)
			}
		case 10: // name_iid, of event_names
			if err := refer(2, f.value); err != nil {
				return err
			}
		case 4: // debug_annotations
			about, err := fieldsOf(f.bytes)
			if err != nil {
				return err
			}
			for _, a := range about {
				in, ok := map[protowire.Number]protowire.Number{1: 3, 17: 29}[a.number] // name_iid, string_value_iid
				if !ok {
					continue
				}
				if err := refer(in, a.value); err != nil {
					return err
				}
			}
		default: // does not depend on earlier packets
		}
	}
	return nil
}

// interns returns 1 for a packet of interned data, and 0 for others.
func interns(packet field) int {
	fields, err := fieldsOf(packet.bytes)
	if err == nil && slices.ContainsFunc(fields, func(f field) bool { return f.number == 12 }) {
		return 1
	}
	return 0
}

// TestPacketRules reads exported packets in the order of the file: each text and track comes before its first use,
// and times do not go back, whether packets were sorted in memory or in runs of a temporary file.
func TestPacketRules(t *testing.T) {
	t.Parallel()
	x := tracetest.Index(t, indextest.Record(t, 500))
	var whole []byte
	for _, most := range []int{0, 1 << 12, 1 << 17} {
		for _, o := range []Options{{}, {From: x.Info.Duration / 3, To: x.Info.Duration / 2}} {
			var out bytes.Buffer
			result, err := writePerfetto(&out, x, o, most)
			if err != nil {
				t.Fatal(err)
			}
			r := &ruled{sequences: map[uint64]*sequence{}, tracks: map[uint64]bool{}}
			if err := r.read(out.Bytes()); err != nil {
				t.Errorf("%d bytes in memory, %+v: %v", most, o, err)
			}
			if int64(r.events-r.wakes) != 2*result.Slices+result.Counters || r.wakes == 0 && o.To == 0 ||
				int64(r.refers) < result.Slices {
				t.Errorf("%d events that refer to %d texts, of %+v", r.events, r.refers, result)
			}
			switch {
			case o.To > 0:
			case whole == nil:
				whole = bytes.Clone(out.Bytes())
			case !bytes.Equal(whole, out.Bytes()):
				t.Errorf("with %d bytes in memory the file is another", most)
			}
		}
	}
	// Violations of the rules are found.
	packets, err := fieldsOf(whole)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(){
		"as it was":                func() {},
		"the first packet is last": func() { packets = append(packets[1:], packets[0]) },
		"texts are last": func() {
			slices.SortStableFunc(packets, func(a, b field) int { return cmp.Compare(interns(a), interns(b)) })
		},
		"an event is first": func() {
			packets = slices.Concat(packets[:1], packets[len(packets)-1:], packets[1:len(packets)-1])
		},
		"the last two are exchanged with the middle": func() {
			n := len(packets)
			packets = slices.Concat(packets[:n/2], packets[n-2:], packets[n/2:n-2])
		},
	} {
		before := packets
		packets = slices.Clone(packets)
		change()
		var file []byte
		for _, p := range packets {
			file = protowire.AppendBytes(protowire.AppendTag(file, 1, protowire.BytesType), p.bytes)
		}
		packets = before
		r := &ruled{sequences: map[uint64]*sequence{}, tracks: map[uint64]bool{}}
		if err := r.read(file); (err == nil) != (name == "as it was") {
			t.Errorf("%s: %v", name, err)
		} else {
			t.Logf("%s: %v", name, err)
		}
	}
}
