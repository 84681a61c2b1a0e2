package workload

import (
	"cmp"
	"math"
	"net"
	"net/http"
	"slices"

	"github.com/whet-go/whet/internal/load/request"
)

// A Host is one server with the requests for it.
type Host struct {
	Scheme, Name string // Name includes the port
	Addresses    []net.Addr
	Endpoints    []*Endpoint // use Add to add one

	// Connections is the number of connections to the host, and Share its share of the rate, 0 to
	// 1. The function Share sets both.
	Connections int
	Share       float64

	cycle  []uint32 // endpoints in sending order, by weight
	weight int      // of all endpoints
}

// An Endpoint is a request, ready to send.
type Endpoint struct {
	Template *request.Template
	Method   string
	Header   http.Header
	Body     []byte
	Weight   int // how often the request is sent in proportion to the others; at least 1
	Row      int // in the table of targets
	Index    int // in Host.Endpoints; Add sets it
}

// Add adds a request to the host.
func (h *Host) Add(e Endpoint) {
	e.Index = len(h.Endpoints)
	h.Endpoints = append(h.Endpoints, &e)
	h.weight += e.Weight
}

// maxOrder bounds the length of a cycle of weighted requests.
const maxOrder = 1 << 16

// order returns a cycle in which each endpoint appears as often as its weight, evenly spread.
func (h *Host) order() []uint32 {
	scale := max(1, float64(h.weight)/maxOrder)
	type turn struct {
		at float64
		of uint32
	}
	var turns []turn
	for i, e := range h.Endpoints {
		n := max(int(math.Round(float64(e.Weight)/scale)), 1)
		for k := range n {
			turns = append(turns, turn{(float64(k) + 0.5) / float64(n), uint32(i)})
		}
	}
	slices.SortStableFunc(turns, func(a, b turn) int { return cmp.Compare(a.at, b.at) })
	order := make([]uint32, len(turns))
	for i, t := range turns {
		order[i] = t.of
	}
	return order
}

// Share prepares the hosts for pickers: it divides the connections and the rate among them by
// weight. Each host gets at least one connection. Share returns the number of all connections.
func Share(hosts []*Host, connections int) int {
	connections = max(connections, len(hosts))
	total := 0
	for _, h := range hosts {
		h.cycle = h.order()
		total += h.weight
	}
	left := connections
	for i, h := range hosts {
		h.Share = float64(h.weight) / float64(total)
		h.Connections = max(1, int(math.Round(float64(connections)*h.Share)))
		h.Connections = min(h.Connections, left-(len(hosts)-1-i))
		left -= h.Connections
	}
	hosts[0].Connections += left
	return connections
}

// A Picker iterates over the requests of a host and, for each of them, over the rows of the
// variables.
type Picker struct {
	*Host
	at   int
	rows []int // next row, per endpoint
	step int
}

// NewPicker returns picker k of n that share the requests and rows.
func NewPicker(h *Host, k, n int) Picker {
	p := Picker{Host: h, at: len(h.cycle) * k / n, rows: make([]int, len(h.Endpoints)), step: n}
	for i := range p.rows {
		p.rows[i] = k
	}
	return p
}

// Next returns the next request and the row to expand it with.
func (p *Picker) Next() (e *Endpoint, row int) {
	i := p.cycle[p.at]
	e, row = p.Endpoints[i], p.rows[i]
	if p.at++; p.at == len(p.cycle) {
		p.at = 0
	}
	p.rows[i] += p.step
	return e, row
}
