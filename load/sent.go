package load

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"maps"
	"net/http"
	"slices"
)

// A Sent describes the requests of a run without anything that may be secret: it has the names of
// header fields, but not their values, and the sizes of bodies and variables, but not their
// content.
type Sent struct {
	// Targets is the number of targets.
	Targets int `json:"targets"`
	// Headers are the names of the header fields that any target has, sorted.
	Headers []string `json:"headers,omitempty"`
	// Body is the size in bytes of the largest body, before variables are filled in.
	Body int64 `json:"body_bytes,omitempty"`
	// Variables are the names of the variables, Rows the number of their rows.
	Variables []string `json:"variables,omitempty"`
	Rows      int      `json:"rows,omitempty"`
	// SHA256 is a hex digest of the methods, addresses without passwords, names of header fields,
	// bodies and weights of all targets in order, and of the variables. Two loads with the same
	// digest sent the same requests, apart from the values of header fields.
	SHA256 string `json:"sha256"`
}

// digest hashes lists of texts, so that different lists have different hashes.
type digest struct{ hash.Hash }

func (d digest) number(n int) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(n))
	_, _ = d.Write(b[:]) // never fails
}

func (d digest) text(s []byte) {
	d.number(len(s))
	_, _ = d.Write(s)
}

// describe describes the requests of the plan.
func (p *plan) describe() Sent {
	s := Sent{}
	d := digest{sha256.New()}
	fields := map[string]bool{}
	for _, h := range p.hosts {
		s.Targets += len(h.Endpoints)
	}
	d.number(s.Targets)
	for _, h := range p.hosts {
		for _, e := range h.Endpoints {
			d.text([]byte(e.Method))
			d.text([]byte(e.Template.URL()))
			d.number(e.Weight)
			d.number(len(e.Header))
			for _, name := range slices.Sorted(maps.Keys(e.Header)) {
				d.text([]byte(name))
				fields[http.CanonicalHeaderKey(name)] = true
			}
			d.text(e.Body)
			s.Body = max(s.Body, int64(len(e.Body)))
		}
	}
	s.Headers = slices.Sorted(maps.Keys(fields))
	if v := p.Variables; v != nil {
		s.Variables, s.Rows = slices.Clone(v.Names), len(v.Rows)
		for _, row := range append([][]string{v.Names}, v.Rows...) {
			d.number(len(row))
			for _, value := range row {
				d.text([]byte(value))
			}
		}
	}
	s.SHA256 = hex.EncodeToString(d.Sum(nil))
	return s
}
