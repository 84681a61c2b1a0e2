package buffer

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"time"

	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store"
)

// First bytes of files of profiles and of recordings.
const (
	magic          = "whet-buffer 1\n"
	recordingMagic = "whet-buffer-recording 1\n"
)

// Limits of what is decoded.
const (
	maxHeader  = 1 << 20
	maxDecoded = 256 << 20 // of one profile
)

// header is what is written of a profile, apart from its data.
type header struct {
	Tenant   string        `json:"tenant,omitempty"`
	Service  string        `json:"service"`
	Kind     string        `json:"kind"`
	Labels   store.Labels  `json:"labels"`
	Start    time.Time     `json:"start"`
	Duration time.Duration `json:"duration_ns"`
}

// encode returns the file of the first n profiles: all, or those that fit into a file.
func encode(tenant string, profiles []store.Profile) (data []byte, n int, err error) {
	out := []byte(magic)
	for i := range profiles {
		p := &profiles[i]
		head, err := json.Marshal(header{tenant, p.Service, p.Kind, p.Labels, p.Start, p.Duration})
		if err != nil {
			return nil, 0, err
		}
		var body bytes.Buffer
		if err := p.Data.Write(&body); err != nil {
			return nil, 0, err
		}
		out = appendSection(appendSection(out, head), body.Bytes())
		if n++; len(out) > maxFile {
			break
		}
	}
	return appendSum(appendSection(out, nil)), n, nil
}

func appendSection(out, b []byte) []byte {
	out = binary.LittleEndian.AppendUint32(out, uint32(len(b))) //nolint:gosec // limited by memory for answers
	return append(out, b...)
}

func appendSum(out []byte) []byte {
	return binary.LittleEndian.AppendUint32(out, crc32.Checksum(out, crc32.MakeTable(crc32.Castagnoli)))
}

// recordingHeader is what is written of a recording, apart from its content.
type recordingHeader struct {
	Tenant    string          `json:"tenant,omitempty"`
	Recording store.Recording `json:"recording"`
}

func encodeRecording(tenant string, r *store.Recording, content []byte) ([]byte, error) {
	head, err := json.Marshal(recordingHeader{tenant, *r})
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(recordingMagic)+len(head)+len(content)+12)
	return appendSum(appendSection(appendSection(append(out, recordingMagic...), head), content)), nil
}

// decodeRecording reads what encodeRecording wrote. The content shares memory with data.
func decodeRecording(data []byte) (*Recording, error) {
	s, err := openSections(data, recordingMagic)
	if err != nil {
		return nil, err
	}
	head, err := s.next()
	if err != nil {
		return nil, err
	}
	if len(head) > maxHeader {
		return nil, fmt.Errorf("a header has %d bytes", len(head))
	}
	var h recordingHeader
	if err := json.Unmarshal(head, &h); err != nil {
		return nil, err
	}
	content, err := s.next()
	if err != nil {
		return nil, err
	}
	if len(s.rest) > 0 {
		return nil, errors.New("it has bytes after the recording")
	}
	return &Recording{Tenant: h.Tenant, Recording: h.Recording, Content: content}, nil
}

var errShort = errors.New("it ends early")

// sections are the parts of a file.
type sections struct{ rest []byte }

// openSections verifies a file's first bytes and its checksum.
func openSections(data []byte, magic string) (*sections, error) {
	if len(data) < len(magic)+8 {
		return nil, errShort
	}
	body, sum := data[:len(data)-4], binary.LittleEndian.Uint32(data[len(data)-4:])
	if string(body[:len(magic)]) != magic {
		return nil, errors.New("it is not a file of this version's buffer")
	}
	if crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)) != sum {
		return nil, errors.New("the checksum is wrong")
	}
	return &sections{body[len(magic):]}, nil
}

func (s *sections) next() ([]byte, error) {
	if len(s.rest) < 4 {
		return nil, errShort
	}
	n := int64(binary.LittleEndian.Uint32(s.rest))
	if n > int64(len(s.rest)-4) {
		return nil, errShort
	}
	out := s.rest[4 : 4+n]
	s.rest = s.rest[4+n:]
	return out, nil
}

// decode reads what encode wrote.
func decode(data []byte) (*Batch, error) {
	s, err := openSections(data, magic)
	if err != nil {
		return nil, err
	}
	b := &Batch{}
	for {
		head, err := s.next()
		if err != nil {
			return nil, err
		}
		if len(head) == 0 {
			break
		}
		if len(head) > maxHeader {
			return nil, fmt.Errorf("a header has %d bytes", len(head))
		}
		var h header
		if err := json.Unmarshal(head, &h); err != nil {
			return nil, err
		}
		data, err := s.next()
		if err != nil {
			return nil, err
		}
		p, err := profile.Read(bytes.NewReader(data), profile.ReadOptions{MaxBytes: maxDecoded})
		if err != nil {
			return nil, err
		}
		b.Tenant = h.Tenant
		b.Profiles = append(b.Profiles, store.Profile{
			Service: h.Service, Kind: h.Kind, Labels: h.Labels, Start: h.Start, Duration: h.Duration, Data: p,
		})
	}
	if len(s.rest) > 0 || len(b.Profiles) == 0 {
		return nil, errors.New("it has no profiles, or bytes after them")
	}
	return b, nil
}
