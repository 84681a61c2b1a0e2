package export

import (
	"bufio"
	"errors"
	"io"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/whet-go/whet/trace/index"
)

// Numbers of fields, of Perfetto's protos/perfetto/trace/*.proto.
const (
	tracePacket = 1

	packetTimestamp  = 8
	packetSequence   = 10 // trusted_packet_sequence_id
	packetEvent      = 11 // track_event
	packetInterned   = 12 // interned_data
	packetFlags      = 13 // sequence_flags
	packetDescriptor = 60 // track_descriptor

	descriptorUUID    = 1
	descriptorName    = 2
	descriptorProcess = 3
	descriptorParent  = 5 // parent_uuid
	descriptorCounter = 8

	processPID  = 1
	processName = 6

	counterUnit = 3

	eventAnnotation = 4 // debug_annotations
	eventType       = 9
	eventName       = 10 // name_iid
	eventTrack      = 11 // track_uuid
	eventValue      = 30 // counter_value
	eventFlows      = 47 // flow_ids
	eventFlowsEnd   = 48 // terminating_flow_ids

	annotationName     = 1  // name_iid
	annotationText     = 6  // string_value
	annotationTextOnce = 17 // string_value_iid

	internedEvents      = 2  // event_names
	internedAnnotations = 3  // debug_annotation_names
	internedTexts       = 29 // debug_annotation_string_values

	internedID   = 1
	internedText = 2
)

// Values of those fields.
const (
	sliceBegin   = 1
	sliceEnd     = 2
	instant      = 3
	counterEvent = 4

	stateCleared = 1 // sequence_flags: previously interned data is not used
	needsState   = 2

	unitCount = 2
	unitBytes = 3
)

// Perfetto writes a trace as packets of Perfetto, which ui.perfetto.dev and trace_processor open: a
// process for each group of tracks. Names, and the sites where goroutines wait, are written once.
// Packets are in the order of their times, as required within one sequence (trace_packet.proto);
// those without a time, which name tracks and texts, come first.
func Perfetto(w io.Writer, x *index.Index, o Options) (Result, error) {
	return writePerfetto(w, x, o, inMemory)
}

// writePerfetto writes a trace with at most the given number of bytes of packets in memory.
func writePerfetto(w io.Writer, x *index.Index, o Options, most int) (result Result, err error) {
	s, err := newSource(x, o)
	if err != nil {
		return Result{}, err
	}
	p := &perfetto{
		all:      sorter{most: most},
		counters: map[string]uint64{},
		events:   interning{field: internedEvents}, annotations: interning{field: internedAnnotations},
		texts: interning{field: internedTexts},
	}
	defer func() { err = errors.Join(err, p.all.close()) }()
	for g := processors; g < groups; g++ {
		if err := p.process(g, s.o.Name); err != nil {
			return s.result, err
		}
	}
	if err := s.draw(p); err != nil {
		return s.result, err
	}
	out := bufio.NewWriterSize(w, 64<<10)
	var head []byte
	if err := p.all.each(func(packet []byte) error {
		head = protowire.AppendTag(head[:0], tracePacket, protowire.BytesType)
		head = protowire.AppendVarint(head, uint64(len(packet)))
		_, _ = out.Write(head) // Flush has the first error
		_, err := out.Write(packet)
		return err
	}); err != nil {
		return s.result, err
	}
	return s.result, out.Flush()
}

// An interning numbers the texts of one field of InternedData.
type interning struct {
	field   protowire.Number
	numbers map[string]uint64
}

// number returns the number of a text; a new text is added to the interned data of the current
// packet.
func (i *interning) number(text string, interned *[]byte) uint64 {
	n, ok := i.numbers[text]
	if !ok {
		if i.numbers == nil {
			i.numbers = map[string]uint64{}
		}
		n = uint64(len(i.numbers) + 1)
		i.numbers[text] = n
		entry := appendNumber(nil, internedID, n)
		entry = appendText(entry, internedText, text)
		*interned = appendMessage(*interned, i.field, entry)
	}
	return n
}

type perfetto struct {
	all                        sorter
	begun                      bool
	events, annotations, texts interning
	counters                   map[string]uint64 // tracks

	packet, event, annotation, interned []byte

	flows   uint64           // the number of flows so far
	pending map[track]uint64 // the flow that ends in the next slice of a track
}

func appendNumber(b []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
}

func appendMessage(b []byte, field protowire.Number, message []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), message)
}

func appendText(b []byte, field protowire.Number, text string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), text)
}

// untimed is the time of packets without one: before all others, which count from 1 here.
const untimed = 0

// write adds a packet with a message, preceded by one with the texts that it is the first to use.
func (p *perfetto) write(at uint64, field protowire.Number, message []byte) error {
	if len(p.interned) > 0 {
		if err := p.put(untimed, packetInterned, p.interned); err != nil {
			return err
		}
		p.interned = p.interned[:0]
	}
	return p.put(at, field, message)
}

func (p *perfetto) put(at uint64, field protowire.Number, message []byte) error {
	p.packet = p.packet[:0]
	if at != untimed {
		p.packet = appendNumber(p.packet, packetTimestamp, at-1)
	}
	p.packet = appendMessage(p.packet, field, message)
	p.packet = appendNumber(p.packet, packetSequence, 1)
	flags := uint64(needsState)
	if !p.begun {
		p.begun = true
		flags |= stateCleared
	}
	p.packet = appendNumber(p.packet, packetFlags, flags)
	return p.all.add(at, p.packet)
}

// uuid returns a track's globally unique number: groups have one, and so have counters.
func (t track) uuid() uint64 { return uint64(t.group)<<40 + t.number }

// counterTrack is the first track of counters.
const counterTrack = uint64(groups) << 40

func (p *perfetto) process(g group, name string) error {
	about := appendNumber(nil, processPID, uint64(g))
	title := g.String()
	if name != "" {
		title += " of " + name
	}
	about = appendText(about, processName, title)
	d := appendNumber(nil, descriptorUUID, track{g, 0}.uuid())
	return p.write(untimed, packetDescriptor, appendMessage(d, descriptorProcess, about))
}

func (p *perfetto) track(t track, name string) error {
	d := appendNumber(nil, descriptorUUID, t.uuid())
	d = appendNumber(d, descriptorParent, track{t.group, 0}.uuid())
	return p.write(untimed, packetDescriptor, appendText(d, descriptorName, name))
}

func (p *perfetto) slice(t track, name string, from, to int64, args ...arg) error {
	e := appendNumber(p.event[:0], eventType, sliceBegin)
	e = appendNumber(e, eventTrack, t.uuid())
	e = appendNumber(e, eventName, p.events.number(name, &p.interned))
	for _, a := range args {
		p.annotation = appendNumber(p.annotation[:0], annotationName, p.annotations.number(a.name, &p.interned))
		if a.name == atPlace { // they are few, and long
			p.annotation = appendNumber(p.annotation, annotationTextOnce, p.texts.number(a.text, &p.interned))
		} else {
			p.annotation = appendText(p.annotation, annotationText, a.text)
		}
		e = appendMessage(e, eventAnnotation, p.annotation)
	}
	if id, ok := p.pending[t]; ok {
		delete(p.pending, t)
		e = protowire.AppendFixed64(protowire.AppendTag(e, eventFlowsEnd, protowire.Fixed64Type), id)
	}
	p.event = e
	if err := p.write(uint64(from)+1, packetEvent, e); err != nil {
		return err
	}
	e = appendNumber(p.event[:0], eventType, sliceEnd)
	e = appendNumber(e, eventTrack, t.uuid())
	p.event = e
	return p.write(uint64(to)+1, packetEvent, e)
}

// flow writes an instant on the track that a flow begins on; the next slice of the other one ends
// it.
func (p *perfetto) flow(from, to track, name string, at int64) error {
	if p.pending == nil {
		p.pending = map[track]uint64{}
	}
	p.flows++
	p.pending[to] = p.flows
	e := appendNumber(p.event[:0], eventType, instant)
	e = appendNumber(e, eventTrack, from.uuid())
	e = appendNumber(e, eventName, p.events.number(name, &p.interned))
	e = protowire.AppendFixed64(protowire.AppendTag(e, eventFlows, protowire.Fixed64Type), p.flows)
	p.event = e
	return p.write(uint64(at)+1, packetEvent, e)
}

func (p *perfetto) counter(name string, at int64, value uint64) error {
	uuid, ok := p.counters[name]
	if !ok {
		uuid = counterTrack + uint64(len(p.counters)+1)
		p.counters[name] = uuid
		unit := uint64(unitCount)
		if isBytes(name) {
			unit = unitBytes
		}
		d := appendNumber(nil, descriptorUUID, uuid)
		d = appendNumber(d, descriptorParent, track{collector, 0}.uuid())
		d = appendText(d, descriptorName, name)
		if err := p.write(untimed, packetDescriptor,
			appendMessage(d, descriptorCounter, appendNumber(nil, counterUnit, unit))); err != nil {
			return err
		}
	}
	e := appendNumber(p.event[:0], eventType, counterEvent)
	e = appendNumber(e, eventTrack, uuid)
	e = appendNumber(e, eventValue, value)
	p.event = e
	return p.write(uint64(at)+1, packetEvent, e)
}
