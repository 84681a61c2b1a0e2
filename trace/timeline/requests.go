package timeline

import (
	"cmp"
	"slices"

	"github.com/whet-go/whet/trace/requests"
)

// found is the requests of a trace, the slowest of each class.
type found struct {
	all     []request // in the order of their begins: the number of a request is its index
	classes []string
	infos   []ClassInfo
}

// A request is what is kept of one.
type request struct {
	from, to         int64
	goroutine, class uint32
}

// slowest is how many requests of each class are rows.
const slowest = 1000

func (f *found) entry(n int) entry {
	r := &f.all[n]
	return entry{id: uint64(n), kind: r.class, of: r.goroutine + 1, from: r.from, to: r.to}
}

// find returns the requests. It searches for them once, on one goroutine at a time.
func (t *Timeline) find() (*found, error) {
	t.finding.Lock()
	defer t.finding.Unlock()
	t.mu.Lock()
	known := t.requests
	t.mu.Unlock()
	if known != nil {
		return known, nil
	}
	result, err := requests.Find(t.x, requests.Options{Slowest: slowest})
	if err != nil {
		return nil, err
	}
	f := &found{infos: []ClassInfo{}}
	for class, c := range result.Classes {
		f.classes = append(f.classes, c.Name)
		f.infos = append(f.infos, classInfo(&c))
		for _, r := range c.Slowest {
			f.all = append(f.all, request{r.From, r.To, r.Goroutine, uint32(class)})
		}
	}
	slices.SortFunc(f.all, func(a, b request) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.goroutine, b.goroutine))
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	t.requests = f
	return f, nil
}

// class returns the name of a class, once requests have been found.
func (t *Timeline) class(n uint32) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.requests.classes[n]
}
