package main

import (
	"context"
	"sort"
	"strings"
	"sync"
	"time"
)

// visits knows who was here in the last minute.
type visits struct {
	mu   sync.Mutex
	seen map[string]time.Time
}

func (v *visits) add(session string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	now := time.Now()
	v.seen[session] = now
	for other, last := range v.seen {
		if now.Sub(last) > time.Minute {
			delete(v.seen, other)
		}
	}
}

// popular counts what is looked at and sold.
type popular struct {
	mu    sync.Mutex
	count map[int64]int64
}

type counted struct {
	Product int64 `json:"product"`
	Count   int64 `json:"count"`
}

func (p *popular) add(product, count int64) {
	p.mu.Lock()
	p.count[product] += count
	p.mu.Unlock()
}

// top returns the most popular products.
func (p *popular) top(n int) []counted {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]counted, 0, len(p.count))
	for product, count := range p.count {
		list = append(list, counted{product, count})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Count > list[j].Count })
	return list[:min(n, len(list))]
}

// search remembers what it found.
type search struct {
	mu      sync.RWMutex
	results map[string][]product
}

func (s *search) find(ctx context.Context, repo *repository, words string) ([]product, error) {
	s.mu.RLock()
	list, ok := s.results[words]
	s.mu.RUnlock()
	if ok {
		return list, nil
	}
	all, err := repo.all(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		for word := range strings.FieldsSeq(words) {
			if strings.Contains(p.Name, word) {
				list = append(list, p)
				break
			}
		}
	}
	s.mu.Lock()
	s.results[words] = list
	s.mu.Unlock()
	return list, nil
}

// trail has what was done, for the auditors.
type trail struct {
	mu     sync.Mutex
	events []event
}

type event struct {
	at   time.Time
	who  string
	what string
}

func (t *trail) add(who, what string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.events = append(t.events, event{at: time.Now(), who: who, what: what})
}
