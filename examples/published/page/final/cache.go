package main

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/labstack/echo"
)

// pageCache keeps rendered pages by what they were rendered from.
type pageCache struct {
	mu    sync.RWMutex
	pages map[string][]byte
}

var cache = &pageCache{pages: map[string][]byte{}}

func (p *pageCache) get(key string) ([]byte, bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	page, ok := p.pages[key]
	return page, ok
}

func (p *pageCache) put(key string, page []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pages[key] = page
}

// cached renders a page at the first request for it.
func cached(c echo.Context, key string, code int, name string, data func() interface{}) error {
	key = fmt.Sprintf("%s?%s", name, key)
	if page, ok := cache.get(key); ok {
		return c.HTMLBlob(code, page)
	}
	var buf bytes.Buffer
	if err := c.Echo().Renderer.Render(&buf, name, data(), c); err != nil {
		return err
	}
	cache.put(key, buf.Bytes())
	return c.HTMLBlob(code, buf.Bytes())
}
