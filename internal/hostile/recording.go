package hostile

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"strings"
)

// A part is one file of a recording.
type part struct {
	name string
	data []byte
}

func deflated(data []byte) []byte {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestSpeed) // a valid level
	_, _ = w.Write(data)                         // a buffer does not fail
	_ = w.Close()
	return b.Bytes()
}

// header returns a part's zip header: the local one or, with at, that of the index.
func header(p part, packed int, flags uint16, at int) []byte {
	var b []byte
	le := binary.LittleEndian
	if at < 0 {
		b = append(b, "PK\x03\x04\x14\x00"...)
	} else {
		b = append(b, "PK\x01\x02\x14\x00\x14\x00"...)
	}
	b = le.AppendUint16(b, flags)
	b = append(b, 8, 0, 0, 0, 0, 0) // deflated; no time
	b = le.AppendUint32(b, crc32.ChecksumIEEE(p.data))
	b = le.AppendUint32(b, uint32(packed))
	b = le.AppendUint32(b, uint32(len(p.data)))
	b = le.AppendUint16(b, uint16(len(p.name)))
	if at < 0 {
		b = append(b, 0, 0)
	} else {
		b = append(b, make([]byte, 12)...)
		b = le.AppendUint32(b, uint32(at))
	}
	return append(b, p.name...)
}

// archive returns the parts as a zip file.
func archive(parts ...part) []byte {
	var b, index []byte
	for _, p := range parts {
		packed := deflated(p.data)
		index = append(index, header(p, len(packed), 0, len(b))...)
		b = append(append(b, header(p, len(packed), 0, -1)...), packed...)
	}
	return append(append(b, index...), end(len(parts), len(index), len(b))...)
}

func end(parts, index, at int) []byte {
	le := binary.LittleEndian
	e := []byte("PK\x05\x06\x00\x00\x00\x00")
	e = le.AppendUint16(le.AppendUint16(e, uint16(parts)), uint16(parts))
	e = le.AppendUint32(le.AppendUint32(e, uint32(index)), uint32(at))
	return append(e, 0, 0)
}

const meta = `{"version":1,"created":"2026-01-01T00:00:00Z","duration_ns":1000000000,` +
	`"target":{"kind":"url","address":"http://h/"},"parts":[]}`

// Recording returns a recording with the given CPU profile, compressed only by the archive.
func Recording(cpu []byte) []byte {
	return archive(part{"start.json", []byte(meta)}, part{"profiles/cpu.pb.gz", cpu}, part{"recording.json", []byte(meta)})
}

// RecordingOf returns a recording with text in all its strings.
func RecordingOf(text string) []byte {
	q, _ := json.Marshal(text) // a string cannot fail
	quoted := string(q)
	m := fmt.Sprintf(`{"version":1,"whet":%[1]s,"created":"2026-01-01T00:00:00Z","duration_ns":1000000000,
"target":{"kind":"url","address":%[1]s},"go_version":%[1]s,"goos":%[1]s,"goarch":%[1]s,"command_line":[%[1]s],
"build":{"path":%[1]s,"main":{"path":%[1]s,"version":%[1]s},"settings":[{"key":%[1]s,"value":%[1]s}]},"own":[%[1]s],
"parts":[{"name":%[1]s,"kind":"json","bytes":1,"note":%[1]s,"path":%[1]s}],
"missing":[{"part":%[1]s,"reason":%[1]s,"hint":%[1]s},{"part":"mutex","reason":%[1]s,"hint":%[1]s}]}`, quoted)
	cpu := Gzip(Strings(text))
	parts := []part{{"start.json", []byte(m)}}
	for _, name := range []string{"cpu", "heap", "allocs", "block", "goroutine", "goroutineleak"} {
		parts = append(parts, part{"profiles/" + name + ".pb.gz", cpu})
	}
	return archive(append(parts, part{"memstats.end.txt", []byte("# Alloc = " + text + "\n")},
		part{"process.json", []byte(`{"pid":1,"start":{"cmd":` + quoted + `}}`)},
		part{"load.json", []byte(`{"targets":[` + quoted + `]}`)},
		part{"code.json", []byte(`{"schema":` + quoted + `}`)}, part{"recording.json", []byte(m)})...)
}

// Manifest returns a recording whose recording.json lists n parts that do not exist.
func Manifest(n int) []byte {
	var b strings.Builder
	b.WriteString(`{"version":1,"created":"2026-01-01T00:00:00Z","duration_ns":1,"target":{"kind":"url"},"parts":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name":"p%d"}`, i)
	}
	b.WriteString("]}")
	return archive(part{"start.json", []byte(meta)}, part{"profiles/cpu.pb.gz", Gzip(Bomb(1))},
		part{"recording.json", []byte(b.String())})
}

// Headers returns a recording without an index: local headers of n parts whose sizes follow data
// that does not exist.
func Headers(n int) []byte {
	var b []byte
	for range n {
		b = append(b, header(part{name: "a"}, 0, 1<<3, -1)...)
	}
	return b
}

// Overlap returns a recording of n profiles that are all the same bytes of the file.
func Overlap(n int) []byte {
	cpu := part{"profiles/cpu.pb.gz", Bomb(1 << 20)}
	packed := deflated(cpu.data)
	b := append(header(cpu, len(packed), 0, -1), packed...)
	at := len(b)
	var index []byte
	for i := range n {
		cpu.name = fmt.Sprintf("profiles/p%d/cpu.pb.gz", i)
		index = append(index, header(cpu, len(packed), 0, 0)...)
	}
	return append(append(b, index...), end(n, len(index), at)...)
}

// Inflating returns a recording of a few MB whose CPU profile, valid and compressed only by the
// archive, has mib MiB. The archive does not contain that size.
func Inflating(mib int) []byte {
	piece := bytes.Repeat(message(nil).bytes(2, sample(1)), 1<<17)
	packed := flushed(head())
	packed = append(packed, bytes.Repeat(flushed(piece), mib*(1<<20)/len(piece)+1)...)
	packed = append(packed, deflated(nil)...) // the end
	var b, index []byte
	parts := 0
	for _, p := range []part{
		{"start.json", []byte(meta)},
		{"profiles/cpu.pb.gz", head()},
		{"recording.json", []byte(meta)},
	} {
		data := deflated(p.data)
		if strings.HasPrefix(p.name, "profiles/") {
			data = packed
		}
		index = append(index, header(p, len(data), 0, len(b))...)
		b = append(append(b, header(p, len(data), 0, -1)...), data...)
		parts++
	}
	return append(append(b, index...), end(parts, len(index), len(b))...)
}

// flushed deflates data so that more can follow, without references to earlier data.
func flushed(data []byte) []byte {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestSpeed) // a level that there is
	_, _ = w.Write(data)                         // a buffer does not fail
	_ = w.Flush()
	return b.Bytes()
}

// Escape is the name of a file that no command may write.
const Escape = "whet-escaped"

// Names returns a recording whose parts, including source files, have names that lead outside.
func Names() []byte {
	cpu := Gzip(Bomb(10))
	m := strings.Replace(meta, `"parts":[]`,
		`"parts":[{"name":"source/../../../`+Escape+`","kind":"source","path":"/../../`+Escape+
			`","bytes":1},{"name":"source/x.go","kind":"source","path":"../../../`+Escape+`","bytes":1}]`, 1)
	parts := []part{{"start.json", []byte(m)}, {"profiles/cpu.pb.gz", cpu}, {"source/x.go", []byte("x")}}
	for _, name := range []string{
		"../" + Escape, "../../../../../../" + Escape, "/" + Escape, "source/../../../" + Escape,
		"profiles/../../" + Escape, `..\..\` + Escape, "source//" + Escape, "source/\x00" + Escape,
		"profiles/../heap.pb.gz",
	} {
		parts = append(parts, part{name, cpu})
	}
	return archive(append(parts, part{"recording.json", []byte(m)})...)
}
