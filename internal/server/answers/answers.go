package answers

import (
	"bytes"
	"container/list"
	"maps"
	"net/http"
	"sync"
)

// A Recorder is an http.ResponseWriter that keeps what it is given.
type Recorder struct {
	Status int // 200 unless WriteHeader has set another one
	Body   bytes.Buffer
	header http.Header
}

// NewRecorder returns an empty recorder.
func NewRecorder() *Recorder { return &Recorder{Status: http.StatusOK, header: http.Header{}} }

// Header implements http.ResponseWriter.
func (r *Recorder) Header() http.Header { return r.header }

// WriteHeader implements http.ResponseWriter.
func (r *Recorder) WriteHeader(status int) { r.Status = status }

// Write implements http.ResponseWriter.
func (r *Recorder) Write(b []byte) (int, error) { return r.Body.Write(b) }

// Send writes what was kept to w.
func (r *Recorder) Send(w http.ResponseWriter) { send(w, r.header, r.Status, r.Body.Bytes()) }

// send writes an answer to w.
func send(w http.ResponseWriter, header http.Header, status int, body []byte) {
	maps.Copy(w.Header(), header)
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may be gone
}

// A Cache keeps answers, those that were used last, up to a size.
type Cache struct {
	limit int // bytes

	mu    sync.Mutex
	size  int
	known map[string]*list.Element
	used  list.List // of *kept, the last used first
}

// kept is a good answer.
type kept struct {
	key    string
	header http.Header
	body   []byte
}

func (k *kept) size() int { return len(k.key) + len(k.body) }

// New returns a cache of at most limit bytes. An answer of more than a quarter of that is not kept.
func New(limit int) *Cache { return &Cache{limit: limit, known: map[string]*list.Element{}} }

// Serve answers with what is kept for a key or, if there is nothing, with what h writes. It returns the error of h,
// which then has not answered.
func (c *Cache) Serve(w http.ResponseWriter, key string, h func(http.ResponseWriter) error) error {
	if k := c.get(key); k != nil {
		send(w, k.header, http.StatusOK, k.body)
		return nil
	}
	r := NewRecorder()
	if err := h(r); err != nil {
		return err
	}
	if r.Status == http.StatusOK {
		c.put(&kept{key, r.header, bytes.Clone(r.Body.Bytes())}) // without what the buffer has too much
	}
	send(w, r.header, r.Status, r.Body.Bytes())
	return nil
}

func (c *Cache) get(key string) *kept {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.known[key]
	if e == nil {
		return nil
	}
	c.used.MoveToFront(e)
	return e.Value.(*kept)
}

func (c *Cache) put(k *kept) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known[k.key] != nil || k.size() > c.limit/4 {
		return
	}
	c.known[k.key] = c.used.PushFront(k)
	for c.size += k.size(); c.size > c.limit; {
		old := c.used.Remove(c.used.Back()).(*kept)
		delete(c.known, old.key)
		c.size -= old.size()
	}
}
