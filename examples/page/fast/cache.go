package fast

import (
	"container/list"
	"strings"
	"sync"

	"github.com/whet-go/whet/examples/page/shop"
)

// A cache keeps the most recently requested pages. A page in it is never changed, nor
// is one that was in it.
type cache struct {
	room int // bytes

	mu    sync.Mutex
	used  int // bytes of all pages
	pages map[shop.Input]*list.Element
	byUse list.List // of *cached, most recently requested first
}

type cached struct {
	in   shop.Input
	page []byte
}

// overhead is about what a page takes in addition to its bytes: keys, list and map.
const overhead = 512

func (c *cached) size() int { return cap(c.page) + len(c.in.Visitor) + overhead }

func newCache(room int) *cache { return &cache{room: room, pages: make(map[shop.Input]*list.Element)} }

func (c *cache) get(in shop.Input) (page []byte, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.pages[in]
	if !ok {
		return nil, false
	}
	c.byUse.MoveToFront(e)
	return e.Value.(*cached).page, true
}

// add keeps the page for in, unless another goroutine has rendered it meanwhile, and
// drops others that no longer fit.
func (c *cache) add(in shop.Input, page []byte) {
	// The strings are parts of the request, which could be much longer.
	in = shop.Input{Visitor: strings.Clone(in.Visitor), Group: strings.Clone(in.Group), Order: strings.Clone(in.Order)}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.pages[in]; ok {
		return
	}
	kept := &cached{in, page}
	c.pages[in] = c.byUse.PushFront(kept)
	c.used += kept.size()
	for c.used > c.room {
		oldest := c.byUse.Remove(c.byUse.Back()).(*cached)
		delete(c.pages, oldest.in)
		c.used -= oldest.size()
	}
}
