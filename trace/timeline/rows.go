package timeline

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strconv"

	"github.com/whet-go/whet/trace/index"
)

// A RowQuery selects rows.
type RowQuery struct {
	Type     string         // one of the types of rows
	Match    *regexp.Regexp // matches the kind or the name; nil means all
	From, To int64          // only those that exist in this window; To 0 means the end of the trace
	Order    string         // one of the orders; "" means ByTime
	Skip     int
	Limit    int // maximum number; 0 means 100; at most 10 000
}

// Orders of rows.
const (
	ByTime = "time" // first seen first
	Busy   = "busy" // longest running time in the whole trace first; of others: longest first
	Long   = "long" // longest life first; for tasks and requests: longest first
)

// A RowList is a page of rows.
type RowList struct {
	Type  string    `json:"type"`
	Total int       `json:"total"` // on all pages
	Rows  []RowInfo `json:"rows"`
}

// A RowInfo is a row.
type RowInfo struct {
	ID string `json:"id"` // of [SpanQuery]: g12, p0, m3, t7, r99, c4, u5
	// "goroutine 45", "P 0", "thread 4711", a task's type, "request 99", a range's or region's name
	Name string `json:"name"`
	Kind string `json:"kind"` // the function that a goroutine runs, the class of a request
	From int64  `json:"from"` // nanoseconds since the start of the trace
	To   int64  `json:"to"`
	// Goroutine is the ID of the goroutine of a request, or of the one that began a task; "" if
	// none.
	Goroutine string `json:"goroutine,omitempty"`
}

// Limits of lists.
const (
	maxLimit = 10_000
	maxReach = 100_000 // Skip + Limit
	maxLists = 8       // number of cached lists
)

// A key is what a list depends on.
type key struct {
	of, match, order string
	from, to         int64
}

// A list is the first of all matching rows, in order.
type list struct {
	key   key
	reach int // how many were requested
	total int
	rows  []entry
}

// An entry is a row before formatting.
type entry struct {
	score    int64  // highest first
	id       uint64 // then lowest first
	number   int64  // a goroutine's
	kind     uint32 // number in kinds, names or classes
	of       uint32 // the index + 1 of a request's or task's goroutine; 0 means none
	from, to int64
}

// Rows lists the rows that q selects. Its error wraps [ErrQuery] if q is invalid.
func (t *Timeline) Rows(ctx context.Context, q RowQuery) (RowList, error) {
	q.Limit, q.Order = cmp.Or(q.Limit, 100), cmp.Or(q.Order, ByTime)
	w, err := t.window(q.From, q.To, 1)
	if err != nil {
		return RowList{}, err
	}
	if i := slices.IndexFunc(rowTypes(), func(one rowType) bool { return one.name == q.Type }); i < 0 {
		return RowList{}, badQuery("unknown row type %q (want proc, thread, goroutine, task, request, range or region)",
			q.Type)
	}
	if q.Order != ByTime && q.Order != Busy && q.Order != Long {
		return RowList{}, badQuery("unknown row order %q (want time, busy or long)", q.Order)
	}
	if q.Skip < 0 || q.Limit < 1 || q.Limit > maxLimit || q.Skip > maxReach-q.Limit {
		return RowList{}, badQuery("invalid page of %d rows after %d (want 1 to %d rows, and a sum of at most %d)", q.Limit,
			q.Skip, maxLimit, maxReach)
	}
	l, err := t.list(ctx, q, w)
	if err != nil {
		return RowList{}, err
	}
	page := l.rows[min(q.Skip, len(l.rows)):min(q.Skip+q.Limit, len(l.rows))]
	answer := RowList{Type: q.Type, Total: l.total, Rows: make([]RowInfo, len(page))}
	for i, e := range page {
		answer.Rows[i] = t.info(q.Type, e)
	}
	return answer, nil
}

// list returns a cached list, or a new one.
func (t *Timeline) list(ctx context.Context, q RowQuery, w index.Window) (*list, error) {
	k := key{of: q.Type, order: q.Order, from: w.From, to: w.To}
	if q.Match != nil {
		k.match = q.Match.String()
	}
	t.mu.Lock()
	i := slices.IndexFunc(t.lists, func(l *list) bool {
		return l.key == k && (l.reach >= q.Skip+q.Limit || len(l.rows) == l.total)
	})
	if i >= 0 {
		l := t.lists[i]
		t.lists = slices.Insert(slices.Delete(t.lists, i, i+1), 0, l)
		t.mu.Unlock()
		return l, nil
	}
	t.mu.Unlock()
	best := &top{most: max(1000, 2*(q.Skip+q.Limit))}
	if err := t.each(ctx, q, w, best.add); err != nil {
		return nil, err
	}
	best.sort()
	l := &list{key: k, reach: best.most, total: best.total, rows: best.all}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lists = slices.DeleteFunc(t.lists, func(old *list) bool { return old.key == k })
	t.lists = slices.Insert(t.lists, 0, l)
	t.lists = t.lists[:min(len(t.lists), maxLists)]
	return l, nil
}

// top keeps the first entries in the order.
type top struct {
	most  int
	total int
	all   []entry // up to twice as many
	worst *entry  // the last one still kept, once there are too many
}

func better(a, b entry) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id)) }

func (t *top) add(e entry) {
	t.total++
	if t.worst != nil && better(e, *t.worst) > 0 {
		return
	}
	if t.all = append(t.all, e); len(t.all) >= 2*t.most {
		t.sort()
		t.worst = &entry{score: t.all[t.most-1].score, id: t.all[t.most-1].id}
	}
}

func (t *top) sort() {
	slices.SortFunc(t.all, better)
	t.all = t.all[:min(len(t.all), t.most)]
}

// each calls add with all rows that a query may select.
func (t *Timeline) each(ctx context.Context, q RowQuery, w index.Window, add func(entry)) error {
	consider := func(e entry, busy int64) {
		if e.from > w.To || e.to < w.From {
			return
		}
		switch q.Order {
		case ByTime:
			e.score = -e.from
		case Busy:
			e.score = busy
		case Long:
			e.score = e.to - e.from
		}
		add(e)
	}
	match := t.matcher(q)
	switch q.Type {
	case Proc, Thread:
		return t.eachLane(q, match, consider)
	case Goroutine:
		return t.eachGoroutine(ctx, w, match, consider)
	case Task:
		n := 0
		if err := t.x.Records(index.Tasks, w.From, w.To, func(r *index.Record) bool {
			if e := taskEntry(r); match(e) {
				consider(e, r.To-r.From)
			}
			n++
			return n%4096 != 0 || ctx.Err() == nil
		}); err != nil {
			return err
		}
		return ctx.Err()
	case Request:
		found, err := t.find()
		if err != nil {
			return err
		}
		for n := range found.all {
			if e := found.entry(n); match(e) {
				consider(e, e.to-e.from)
			}
		}
		return nil
	}
	for _, n := range t.x.Names(stream(q.Type)) {
		if e := nameEntry(n); match(e) {
			consider(e, int64(n.Time))
		}
	}
	return nil
}

// stream returns the stream of ranges or regions.
func stream(of string) index.Stream {
	if of == Region {
		return index.Regions
	}
	return index.Ranges
}

func goroutineEntry(g *index.Goroutine) entry {
	return entry{id: uint64(g.Index), number: g.ID, kind: g.Kind, from: g.From, to: g.To}
}

func taskEntry(r *index.Record) entry {
	return entry{id: r.Task, kind: r.Name, of: r.Goroutine, from: r.From, to: r.To}
}

func nameEntry(n index.Named) entry {
	return entry{id: uint64(n.Name), kind: n.Name, from: n.From, to: n.To}
}

// lanes returns the processors or threads: their number in the index is their position.
func (t *Timeline) lanes(of string) []entry {
	var all []entry
	if of == Thread {
		for _, one := range t.x.Threads() {
			all = append(all, entry{id: one.ID, from: one.From, to: one.To})
		}
		return all
	}
	for p := range t.x.Procs() {
		all = append(all, entry{id: uint64(p), to: t.x.Info.Duration})
	}
	return all
}

// matcher returns a function that reports whether an entry's kind or name matches. Kinds are
// matched once.
func (t *Timeline) matcher(q RowQuery) func(entry) bool {
	if q.Match == nil {
		return func(entry) bool { return true }
	}
	kinds := map[uint32]bool{}
	var name []byte
	return func(e entry) bool {
		switch q.Type {
		case Goroutine, Request:
			good, known := kinds[e.kind]
			if !known {
				good = q.Match.MatchString(t.info(q.Type, e).Kind)
				kinds[e.kind] = good
			}
			name = t.appendName(name[:0], q.Type, e)
			return good || q.Match.Match(name)
		}
		name = t.appendName(name[:0], q.Type, e)
		return q.Match.Match(name)
	}
}

// eachLane iterates over processors or threads.
func (t *Timeline) eachLane(q RowQuery, match func(entry) bool, consider func(entry, int64)) error {
	read := t.x.ProcRows
	if q.Type == Thread {
		read = t.x.ThreadRows
	}
	all := t.lanes(q.Type)
	busy := make([]int64, len(all))
	if q.Order == Busy {
		asked := make([]uint32, len(all))
		for i := range all {
			asked[i] = uint32(i)
		}
		rows, err := read(index.Window{To: t.x.Info.Duration, Width: 1}, asked)
		if err != nil {
			return err
		}
		for i := range rows {
			busy[i] = total(&rows[i])
		}
	}
	for i, e := range all {
		if match(e) {
			consider(e, busy[i])
		}
	}
	return nil
}

// total returns the time that a row is in any state.
func total(r *index.Row) int64 {
	sum := int64(0)
	for _, s := range r.Spans {
		sum += s.To - s.From
	}
	for _, p := range r.Parts {
		for _, s := range p.Times {
			sum += int64(s.Time)
		}
	}
	return sum
}

// eachGoroutine iterates over the goroutines that live in a window: there may be millions.
func (t *Timeline) eachGoroutine(ctx context.Context, w index.Window, match func(entry) bool,
	consider func(entry, int64),
) error {
	n := 0
	if err := t.x.Lives(w.From, w.To, func(g *index.Goroutine) bool {
		if e := goroutineEntry(g); match(e) {
			ran := int64(0)
			for _, s := range g.Times {
				if s.Code == index.Running || s.Code == index.Assist {
					ran += int64(s.Time)
				}
			}
			consider(e, ran)
		}
		n++
		return n%4096 != 0 || ctx.Err() == nil
	}); err != nil {
		return err
	}
	return ctx.Err()
}

// info formats an entry.
func (t *Timeline) info(of string, e entry) RowInfo {
	info := RowInfo{
		ID: formatID(of, e.id), Name: string(t.appendName(nil, of, e)),
		From: e.from, To: e.to,
	}
	switch of {
	case Goroutine:
		info.Kind = t.kinds[e.kind]
	case Request:
		info.Kind = t.class(e.kind)
	}
	if e.of > 0 {
		info.Goroutine = formatID(Goroutine, uint64(e.of-1))
	}
	return info
}

func (t *Timeline) appendName(b []byte, of string, e entry) []byte {
	switch of {
	case Goroutine:
		return strconv.AppendInt(append(b, "goroutine "...), e.number, 10)
	case Proc:
		return strconv.AppendUint(append(b, "P "...), e.id, 10)
	case Thread:
		return strconv.AppendUint(append(b, "thread "...), e.id, 10)
	case Request:
		return strconv.AppendUint(append(b, "request "...), e.id, 10)
	}
	return append(b, t.x.Name(e.kind)...)
}
