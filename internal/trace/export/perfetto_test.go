package export_test

import (
	"bytes"
	"cmp"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/whet-go/whet/internal/trace/export"
)

// A message is a message of protocol buffers, by field number.
type message struct {
	numbers map[protowire.Number][]uint64
	bytes   map[protowire.Number][][]byte
}

// decode reads a message whose fields have only these types.
func decode(t *testing.T, b []byte) message {
	t.Helper()
	m := message{map[protowire.Number][]uint64{}, map[protowire.Number][][]byte{}}
	for len(b) > 0 {
		field, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		b = b[n:]
		switch typ {
		case protowire.VarintType:
			v, n := protowire.ConsumeVarint(b)
			if n < 0 {
				t.Fatal(protowire.ParseError(n))
			}
			m.numbers[field] = append(m.numbers[field], v)
			b = b[n:]
		case protowire.Fixed64Type:
			v, n := protowire.ConsumeFixed64(b)
			if n < 0 {
				t.Fatal(protowire.ParseError(n))
			}
			m.numbers[field] = append(m.numbers[field], v)
			b = b[n:]
		case protowire.BytesType:
			v, n := protowire.ConsumeBytes(b)
			if n < 0 {
				t.Fatal(protowire.ParseError(n))
			}
			m.bytes[field] = append(m.bytes[field], v)
			b = b[n:]
		default:
			t.Fatalf("field %d is of type %d", field, typ)
		}
	}
	return m
}

func (m message) number(field protowire.Number) uint64 {
	if len(m.numbers[field]) == 0 {
		return 0
	}
	return m.numbers[field][0]
}

func (m message) text(field protowire.Number) string {
	if len(m.bytes[field]) == 0 {
		return ""
	}
	return string(m.bytes[field][0])
}

// packets reads Perfetto's packets, as trace_processor does. Numbers of fields are written out, as they are in
// Perfetto's own files of 2026: trace_packet.proto, track_descriptor.proto, track_event.proto, interned_data.proto.
type packets struct {
	groups, tracks map[uint64]string
	parents        map[uint64]uint64
	counters       map[uint64]string
	interned       map[protowire.Number]map[uint64]string
	open           map[uint64][]int // slices that have begun, by track
	events         []event
	drawn          drawn
	seen           int
	flows          map[uint64]uint64 // when each began
	ended          int               // flows
}

func (p *packets) packet(t *testing.T, m message) {
	t.Helper()
	p.seen++
	if m.number(10) != 1 || m.number(13)&2 == 0 || (m.number(13)&1 == 1) != (p.seen == 1) {
		t.Fatalf("packet %d: sequence %d, flags %d", p.seen, m.number(10), m.number(13))
	}
	for _, b := range m.bytes[12] { // interned_data
		for field, entries := range decode(t, b).bytes {
			for _, e := range entries {
				entry := decode(t, e)
				if p.interned[field] == nil {
					p.interned[field] = map[uint64]string{}
				}
				if _, ok := p.interned[field][entry.number(1)]; ok {
					t.Fatalf("%d of field %d is interned twice", entry.number(1), field)
				}
				p.interned[field][entry.number(1)] = entry.text(2)
			}
		}
	}
	for _, b := range m.bytes[60] { // track_descriptor
		p.descriptor(t, decode(t, b))
	}
	for _, b := range m.bytes[11] { // track_event
		p.events = append(p.events, event{m.number(8), decode(t, b)})
	}
}

// An event is a track event with its time.
type event struct {
	at uint64
	message
}

func (p *packets) descriptor(t *testing.T, d message) {
	t.Helper()
	uuid, parent := d.number(1), d.number(5)
	switch {
	case len(d.bytes[3]) > 0: // process
		about := decode(t, d.bytes[3][0])
		if about.number(1) == 0 {
			t.Fatal("a process without a number")
		}
		p.groups[uuid] = about.text(6)
	case p.groups[parent] == "" || d.text(2) == "":
		t.Fatalf("track %d, %q, is below %d, which is not there", uuid, d.text(2), parent)
	case len(d.bytes[8]) > 0: // counter
		p.counters[uuid] = d.text(2)
	default:
		if _, ok := p.tracks[uuid]; ok {
			t.Fatalf("track %d is there twice", uuid)
		}
		p.tracks[uuid], p.parents[uuid] = d.text(2), parent
	}
}

func (p *packets) event(t *testing.T, at uint64, e message) {
	t.Helper()
	uuid := e.number(11)
	switch e.number(9) {
	case 1: // TYPE_SLICE_BEGIN
		s := slice{p.groups[p.parents[uuid]], p.tracks[uuid], p.interned[2][e.number(10)], int64(at), -1, map[string]string{}}
		if s.group == "" || s.track == "" || s.name == "" {
			t.Fatalf("a slice without a name: %+v", s)
		}
		for _, b := range e.bytes[4] { // debug_annotations
			a := decode(t, b)
			text := a.text(6) + p.interned[29][a.number(17)]
			if name := p.interned[3][a.number(1)]; name == "" || text == "" {
				t.Fatalf("an annotation %q: %q", name, text)
			} else {
				s.args[name] = text
			}
		}
		for _, id := range e.numbers[48] { // terminating_flow_ids
			if began, ok := p.flows[id]; !ok || began != at || s.name != "runnable" {
				t.Fatalf("flow %d ends at %d in %q; it began at %d", id, at, s.name, began)
			}
			p.ended++
		}
		p.open[uuid] = append(p.open[uuid], len(p.drawn.slices))
		p.drawn.slices = append(p.drawn.slices, s)
	case 2: // TYPE_SLICE_END
		open := p.open[uuid]
		if len(open) == 0 {
			t.Fatalf("track %q: a slice ends that did not begin", p.tracks[uuid])
		}
		p.drawn.slices[open[len(open)-1]].to = int64(at)
		p.open[uuid] = open[:len(open)-1]
	case 3: // TYPE_INSTANT
		if len(e.numbers[47]) != 1 || p.tracks[uuid] == "" || p.interned[2][e.number(10)] != "wakes" {
			t.Fatalf("an instant of track %q with flows %v", p.tracks[uuid], e.numbers[47])
		}
		p.flows[e.numbers[47][0]] = at
	case 4: // TYPE_COUNTER
		if p.counters[uuid] == "" || len(e.numbers[30]) != 1 {
			t.Fatalf("counter %q: %v, %q at %d", p.counters[uuid], e.numbers, e.bytes, at)
		}
		p.drawn.counters[p.counters[uuid]]++
	default:
		t.Fatalf("an event of type %d", e.number(9))
	}
}

// TestPerfetto reads an export in Perfetto's format.
func TestPerfetto(t *testing.T) {
	x := indexed(t)
	for name, o := range windows(x) {
		t.Run(name, func(t *testing.T) {
			o.Name = "" // groups then have default names
			var out bytes.Buffer
			result, err := export.Perfetto(&out, x, o)
			if err != nil {
				t.Fatal(err)
			}
			p := &packets{
				groups: map[uint64]string{}, tracks: map[uint64]string{}, parents: map[uint64]uint64{},
				counters: map[uint64]string{},
				interned: map[protowire.Number]map[uint64]string{}, open: map[uint64][]int{},
				drawn: drawn{counters: map[string]int{}}, flows: map[uint64]uint64{},
			}
			file := decode(t, out.Bytes())
			if len(file.bytes) != 1 || len(file.numbers) != 0 {
				t.Fatalf("a file of fields %q, %v", file.bytes, file.numbers)
			}
			for _, b := range file.bytes[1] {
				p.packet(t, decode(t, b))
			}
			if !slices.IsSortedFunc(p.events, func(a, b event) int { return cmp.Compare(a.at, b.at) }) {
				t.Error("packets are not in the order of their times")
			}
			for _, e := range p.events {
				p.event(t, e.at, e.message)
			}
			for uuid, open := range p.open {
				if len(open) > 0 {
					t.Errorf("track %q: %d slices do not end", p.tracks[uuid], len(open))
				}
			}
			if result.Slices != int64(len(p.drawn.slices)) {
				t.Errorf("%+v, %d slices", result, len(p.drawn.slices))
			}
			if p.ended != len(p.flows) || name == "all" && p.ended < 45 {
				t.Errorf("%d wake-ups begin, %d end", len(p.flows), p.ended)
			}
			check(t, x, o, p.drawn)
		})
	}
}
