package workload

import (
	"slices"
	"testing"
)

// weighted returns a host with a request of each weight.
func weighted(weights ...int) *Host {
	h := &Host{}
	for _, w := range weights {
		h.Add(Endpoint{Weight: w})
	}
	return h
}

func TestOrder(t *testing.T) {
	order := weighted(3, 1, 2).order()
	counts := map[uint32]int{}
	for _, i := range order {
		counts[i]++
	}
	if len(order) != 6 || counts[0] != 3 || counts[1] != 1 || counts[2] != 2 {
		t.Errorf("order %v", order)
	}
	for i := 1; i < len(order); i++ {
		if order[i] == 0 && order[i-1] == 0 {
			t.Errorf("order %v is not spread", order)
		}
	}
	heavy := weighted(1, 10_000_000).order()
	if n := len(heavy); n > 2*maxOrder || slices.Index(heavy, 0) < 0 {
		t.Errorf("a cycle of %d", n)
	}
}

// TestPicker shares the requests and rows of a host among three pickers: together they return the
// requests by weight, and for each request every row once.
func TestPicker(t *testing.T) {
	h := weighted(1, 2)
	Share([]*Host{h}, 1)
	taken := map[int]map[int]int{0: {}, 1: {}}
	for k := range 3 {
		p := NewPicker(h, k, 3)
		for range 6 {
			e, row := p.Next()
			taken[e.Index][row]++
		}
	}
	for i, want := range []int{6, 12} {
		if len(taken[i]) != want {
			t.Errorf("request %d was taken with rows %v; want %d rows", i, taken[i], want)
		}
		for row, n := range taken[i] {
			if n != 1 || row >= want {
				t.Errorf("request %d was taken %d times with row %d of %d", i, n, row, want)
			}
		}
	}
}

func TestShare(t *testing.T) {
	for _, test := range []struct {
		weights     []int // of one request on each host
		connections int
		want        []int
	}{
		{[]int{1}, 5, []int{5}},
		{[]int{1, 1}, 5, []int{3, 2}},
		{[]int{1, 8}, 9, []int{1, 8}},
		{[]int{1, 100}, 4, []int{1, 3}},
		{[]int{1, 1, 1}, 1, []int{1, 1, 1}},
	} {
		var hosts []*Host
		for _, w := range test.weights {
			hosts = append(hosts, weighted(w))
		}
		total := Share(hosts, test.connections)
		var got []int
		sum, share := 0, 0.0
		for _, h := range hosts {
			got = append(got, h.Connections)
			sum += h.Connections
			share += h.Share
		}
		if !slices.Equal(got, test.want) || total != sum || share < 0.999 || share > 1.001 {
			t.Errorf("weights %v share %d connections as %v of %d, and %g of the rate; want %v", test.weights,
				test.connections, got, total, share, test.want)
		}
	}
}
