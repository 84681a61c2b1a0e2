package fast

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/whet-go/whet/examples/page/shop"
)

// TestCacheForgetsWhatWasNotAskedForLongest compares a cache with a list in order of use.
func TestCacheForgetsWhatWasNotAskedForLongest(t *testing.T) {
	const fit = 10
	c := newCache(fit * (&cached{in: shop.Input{Visitor: "0"}, page: make([]byte, 100)}).size())
	var order []string // last asked for first
	random := rand.New(rand.NewPCG(1, 2))
	hits := 0
	for range 10_000 {
		visitor := strconv.Itoa(random.IntN(8))
		if random.IntN(4) == 0 {
			visitor = string(rune('a' + random.IntN(26)))
		}
		_, ok := c.get(shop.Input{Visitor: visitor})
		at := slices.Index(order, visitor)
		if ok != (at >= 0) {
			t.Fatalf("%s is kept: %v, want %v: %v", visitor, ok, at >= 0, order)
		}
		if ok {
			hits++
			order = slices.Delete(order, at, at+1)
		} else {
			c.add(shop.Input{Visitor: visitor}, make([]byte, 100))
		}
		order = slices.Insert(order, 0, visitor)
		order = order[:min(len(order), fit)]
	}
	if hits < 1000 || hits > 9000 {
		t.Errorf("%d of 10000 were kept: both should happen", hits)
	}
}

func TestCacheIsBounded(t *testing.T) {
	const room = 100_000
	c := newCache(room)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 5_000 {
		c.add(shop.Input{Visitor: strconv.Itoa(i)}, make([]byte, random.IntN(10_000)))
		sum := 0
		for e := c.byUse.Front(); e != nil; e = e.Next() {
			sum += e.Value.(*cached).size()
		}
		if sum != c.used || sum > room || len(c.pages) != c.byUse.Len() {
			t.Fatalf("after %d: %d bytes, counted as %d, in %d pages and %d keys", i, sum, c.used, c.byUse.Len(), len(c.pages))
		}
	}
	c.add(shop.Input{}, make([]byte, room)) // too long for it, all goes
	if c.used != 0 || len(c.pages) != 0 {
		t.Errorf("%d bytes of %d pages are left", c.used, len(c.pages))
	}
}

// TestCacheKeepsNoRequest adds a page for an input that is a small part of a
// large string, and the same page twice.
func TestCacheKeepsNoRequest(t *testing.T) {
	c := newCache(1 << 20)
	request := strings.Repeat("x", 1<<19) + "Ann"
	in := shop.Input{Visitor: request[1<<19:]}
	c.add(in, []byte("first"))
	c.add(in, []byte("second"))
	for kept := range c.pages {
		if unsafe.StringData(kept.Visitor) == unsafe.StringData(in.Visitor) {
			t.Error("the key is a part of the request")
		}
	}
	if page, ok := c.get(in); !ok || string(page) != "first" || len(c.pages) != 1 {
		t.Errorf("%q, %v of %d pages", page, ok, len(c.pages))
	}
}
