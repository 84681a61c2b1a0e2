package fleet

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"sync"
	"text/template"
	"time"
)

type Position struct {
	Vehicle string   `json:"vehicle"`
	Lat     float64  `json:"lat"`
	Lon     float64  `json:"lon"`
	Speed   float64  `json:"speed"`
	Tags    []string `json:"tags"`
	seen    time.Time
}

func kindOf(message []byte) (string, error) {
	var head map[string]json.RawMessage
	if err := json.NewDecoder(bytes.NewReader(message)).Decode(&head); err != nil {
		return "", err
	}
	var kind string
	err := json.Unmarshal(head["kind"], &kind)
	return kind, err
}

func parsePosition(message []byte) (p Position, err error) {
	err = json.Unmarshal(message, &p)
	return p, err
}

// Tracker knows the latest position of each vehicle.
type Tracker struct {
	sync.RWMutex
	latest map[string]Position
}

func NewTracker() *Tracker { return &Tracker{latest: make(map[string]Position)} }

func (t *Tracker) Move(p Position) {
	p.seen = time.Now()
	t.Lock()
	defer t.Unlock()
	t.latest[p.Vehicle] = p
	for name, old := range t.latest {
		if p.seen.Sub(old.seen) > 10*time.Minute {
			delete(t.latest, name)
		}
	}
}

// Snapshot returns all positions.
func (t *Tracker) Snapshot() []Position {
	t.Lock()
	var all []Position
	for _, p := range t.latest {
		all = append(all, p)
	}
	t.Unlock()
	return all
}

// Geocoder finds addresses.
type Geocoder struct {
	base  string
	mutex sync.Mutex
	known map[string]string
}

func (g *Geocoder) Lookup(at string) (string, error) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if known := g.known[at]; known != "" {
		return known, nil
	}
	text, err := g.ask(g.base + "?at=" + url.QueryEscape(at))
	if err == nil {
		g.known[at] = text
	}
	return text, err
}

func (g *Geocoder) ask(address string) (string, error) {
	res, err := http.Get(address)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return string(text), err
}

// Journal has all messages.
type Journal struct {
	guard   sync.Mutex
	entries []entry
}

type entry struct {
	kind string
	raw  []byte
	when time.Time
}

func (j *Journal) Write(kind string, raw []byte) {
	j.guard.Lock()
	j.entries = append(j.entries, entry{kind, raw, time.Now()})
	j.guard.Unlock()
}

// Alarms are passed on by a worker.
type Alarms struct {
	queue chan string
	stop  chan struct{}
	ticks chan int
	sum   int
}

func NewAlarms() *Alarms {
	a := &Alarms{queue: make(chan string, 64), stop: make(chan struct{}), ticks: make(chan int, 64)}
	go a.work()
	go a.count()
	return a
}

func (a *Alarms) Raise(text string) { a.queue <- text }

func (a *Alarms) work() {
	for {
		select {
		case <-a.stop:
			return
		case text := <-a.queue:
			a.ticks <- len(text)
		default:
			runtime.Gosched()
		}
	}
}

func (a *Alarms) count() {
	for {
		idle := time.NewTimer(time.Second)
		select {
		case n := <-a.ticks:
			a.sum += n
		case <-idle.C:
			a.sum = 0
		}
		idle.Stop()
	}
}

// Report is a page about a company.
type Report struct {
	Page     string
	Company  string
	Vehicles []Vehicle
}

func (r Report) Render() ([]byte, error) {
	text, err := os.ReadFile(r.Page)
	if err != nil {
		return nil, err
	}
	t, err := template.New("report").Parse(string(text))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, r)
	return out.Bytes(), err
}
