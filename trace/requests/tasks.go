package requests

import (
	"cmp"
	"slices"
	"time"

	"github.com/whet-go/whet/trace/index"
)

// maxTasks bounds the user tasks that are followed: about 100 MB.
const maxTasks = 500_000

// A task is a user task that began and ended within the trace.
type task struct {
	id       uint64
	name     uint32
	creator  uint32 // goroutine
	from, to int64
}

// A stay is a time that a task was on a goroutine.
type stay struct {
	goroutine uint32
	from, to  int64
}

// A piece is a stay whose times are measured.
type piece struct {
	stay
	task  int32 // index into follower.tasks
	begin Times // what the goroutine had spent when it began
	times Times
	on    bool // its goroutine was on a processor when it ended
}

// A mark is where a piece begins or ends.
type mark struct {
	at    int64
	piece int32
	end   bool
}

// A follower measures what goroutines spend pieces of tasks on. It sums what a goroutine has spent
// in all, and takes the difference between a piece's end and its begin, so that each task costs the
// same, however many overlap.
type follower struct {
	x          *index.Index
	sites      *sites
	tasks      []task
	pieces     []piece
	goroutines map[uint32]*followed
}

// A followed goroutine has pieces.
type followed struct {
	marks []mark // remaining marks
	spent Times
}

// follower reads the tasks, if they are wanted, to follow each on the goroutine that began it.
func (f *requestFinder) follower() (*follower, error) {
	fw := &follower{x: f.x, sites: &f.sites, goroutines: map[uint32]*followed{}}
	if !f.o.Tasks {
		return fw, nil
	}
	if err := f.x.Records(index.Tasks, 0, f.x.Info.Duration, func(r *index.Record) bool {
		switch {
		case r.Value != index.Began|index.Ended || r.Goroutine == 0:
			f.result.Open++
		case !f.wanted(f.taskClass(r.Name), r.To):
		case len(fw.tasks) >= maxTasks:
			f.result.Dropped++
		default:
			fw.tasks = append(fw.tasks, task{r.Task, r.Name, r.Goroutine - 1, r.From, r.To})
		}
		return true
	}); err != nil {
		return nil, err
	}
	for i, t := range fw.tasks {
		fw.add(int32(i), stay{t.creator, t.from, t.to})
	}
	fw.sort()
	return fw, nil
}

func (f *requestFinder) taskClass(name uint32) string { return "task " + f.x.Name(name) }

func (fw *follower) add(task int32, s stay) {
	n := int32(len(fw.pieces))
	fw.pieces = append(fw.pieces, piece{stay: s, task: task})
	g := fw.goroutines[s.goroutine]
	if g == nil {
		g = &followed{}
		fw.goroutines[s.goroutine] = g
	}
	g.marks = append(g.marks, mark{s.from, n, false}, mark{s.to, n, true})
}

func (fw *follower) sort() {
	for _, g := range fw.goroutines {
		slices.SortFunc(g.marks, func(a, b mark) int {
			c := cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.piece, b.piece))
			if c == 0 && a.end != b.end {
				c = 1
				if b.end {
					c = -1
				}
			}
			return c
		})
	}
}

// span counts a span, and passes the marks in it.
func (fw *follower) span(s *index.Span) {
	g := fw.goroutines[s.Goroutine]
	if g == nil || len(g.marks) == 0 {
		return
	}
	at := site{}
	if s.Code != index.Running && s.Code != index.Runnable {
		at = fw.sites.of(s.Stack)
	}
	cause := causeOf(s.Code, fw.x.Code(s.Code), at)
	on := s.Code != index.Runnable && s.Code < index.Waiting
	for len(g.marks) > 0 && g.marks[0].at <= s.To {
		m := g.marks[0]
		g.marks = g.marks[1:]
		spent := g.spent
		spent[cause] += time.Duration(max(m.at-s.From, 0))
		fw.pass(m, &spent)
		fw.pieces[m.piece].on = on && s.From <= m.at
	}
	g.spent[cause] += time.Duration(s.To - s.From)
}

// pass begins or ends a piece.
func (fw *follower) pass(m mark, spent *Times) {
	p := &fw.pieces[m.piece]
	if !m.end {
		p.begin = *spent
		return
	}
	for c := range p.times {
		p.times[c] = spent[c] - p.begin[c]
	}
}

// finish ends the pieces that were open when their goroutines ended.
func (fw *follower) finish() {
	for _, g := range fw.goroutines {
		for _, m := range g.marks {
			fw.pass(m, &g.spent)
			fw.pieces[m.piece].on = false
		}
		g.marks = nil
	}
}

// requests returns the tasks with what they were spent on.
func (fw *follower) requests() []Request {
	list := make([]Request, len(fw.tasks))
	for i := range fw.pieces {
		p := &fw.pieces[i]
		r := &list[p.task]
		if r.To == 0 {
			r.From = p.from
		} else if r.stays == nil {
			r.stays = []stay{{r.Goroutine, r.From, r.To}}
		}
		if r.stays != nil {
			r.stays = append(r.stays, p.stay)
		}
		r.Goroutine, r.To = p.goroutine, p.to
		for c, d := range p.times {
			r.Times[c] += d
		}
	}
	for i := range list {
		r := &list[i]
		r.Times[Other] += r.Latency() - r.Times.Sum() // not covered by the trace
	}
	return list
}

// endTasks puts tasks in classes. Those that did not end on the goroutine that began them are
// followed again, on both.
func (f *requestFinder) endTasks(fw *follower) error {
	fw.finish()
	ends := &follower{x: f.x, sites: &f.sites, goroutines: map[uint32]*followed{}}
	var away []task // not seen to end on the goroutine that began them
	for i, r := range fw.requests() {
		if !fw.pieces[i].on {
			away = append(away, fw.tasks[i])
			continue
		}
		f.addTask(&fw.tasks[i], &r)
	}
	if len(away) == 0 {
		return nil
	}
	stays, err := f.handedOver(away)
	if err != nil {
		return err
	}
	ends.tasks = away
	for i := range away {
		for _, s := range stays[i] {
			ends.add(int32(i), s)
		}
	}
	ends.sort()
	if err := f.x.Spans(0, f.x.Info.Duration, func(s index.Span) bool {
		ends.span(&s)
		return true
	}); err != nil {
		return err
	}
	ends.finish()
	for i, r := range ends.requests() {
		f.addTask(&away[i], &r)
	}
	return nil
}

func (f *requestFinder) addTask(t *task, r *Request) {
	f.result.Tasks++
	f.add(f.taskClass(t.name), true, r)
}

// A successor is the goroutine that a task ended on.
type successor struct {
	goroutine uint32
	since     int64 // start of its time in the task
	last      int64 // when it was last seen in it
	signs     bool  // it has regions or logs
	others    bool  // other goroutines, started in the meantime, are candidates too
	known     bool
}

// handedOver returns which goroutines tasks were on: first the one that began the task, then the
// one that ended it. The latter is the one with the last region or log of the task; or else the
// only one that the first started during the task, and after other tasks that it began, and that
// lived until the task's end. If there is neither, the task stays with the first.
func (f *requestFinder) handedOver(tasks []task) ([][]stay, error) {
	byID, byCreator := map[uint64]int{}, map[uint32][]int{}
	for i, t := range tasks {
		byID[t.id] = i
		byCreator[t.creator] = append(byCreator[t.creator], i)
	}
	for _, list := range byCreator {
		slices.SortFunc(list, func(a, b int) int { return cmp.Compare(tasks[a].from, tasks[b].from) })
	}
	hands := make([]successor, len(tasks))
	for _, stream := range []index.Stream{index.Regions, index.Logs} {
		if err := f.x.Records(stream, 0, f.x.Info.Duration, func(r *index.Record) bool {
			if i, ok := byID[r.Task]; ok && r.Goroutine > 0 && r.Goroutine-1 != tasks[i].creator {
				hands[i].sign(&tasks[i], r)
			}
			return true
		}); err != nil {
			return nil, err
		}
	}
	began := map[uint32]int64{} // goroutines with signs
	for _, h := range hands {
		if h.known {
			began[h.goroutine] = 0
		}
	}
	if err := f.x.Goroutines(func(g *index.Goroutine) bool {
		if _, ok := began[g.Index]; ok {
			began[g.Index] = g.From
		}
		if list := byCreator[g.Parent-1]; g.Parent > 0 && !g.Old && len(list) > 0 {
			n, _ := slices.BinarySearchFunc(list, g.From+1, func(i int, at int64) int { return cmp.Compare(tasks[i].from, at) })
			if n > 0 {
				i := list[n-1]
				hands[i].child(&tasks[i], g)
			}
		}
		return true
	}); err != nil {
		return nil, err
	}
	all := make([][]stay, len(tasks))
	for i, h := range hands {
		t := &tasks[i]
		switch {
		case !h.known || h.others && !h.signs:
			all[i] = []stay{{t.creator, t.from, t.to}}
		default:
			since := h.since
			if at := began[h.goroutine]; h.signs && at >= t.from && at <= t.to {
				since = at
			}
			since = min(max(since, t.from), t.to)
			all[i] = []stay{{t.creator, t.from, since}, {h.goroutine, since, t.to}}
		}
	}
	return all, nil
}

// sign adds a region or log of the task on another goroutine than the one that began it.
func (h *successor) sign(t *task, r *index.Record) {
	if r.From > t.to {
		return
	}
	switch last := min(r.To, t.to); {
	case h.known && h.goroutine == r.Goroutine-1:
		h.since, h.last = min(h.since, r.From), max(h.last, last)
	case !h.known || last >= h.last:
		*h = successor{goroutine: r.Goroutine - 1, since: r.From, last: last, signs: true, known: true}
	}
}

// child adds a goroutine started by the one that began the task.
func (h *successor) child(t *task, g *index.Goroutine) {
	switch {
	case h.signs || g.From > t.to || g.To < t.to:
	case h.known:
		h.others = true
	default:
		*h = successor{goroutine: g.Index, since: g.From, known: true}
	}
}
