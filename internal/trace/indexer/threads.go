package indexer

import (
	"golang.org/x/exp/trace"

	"github.com/whet-go/whet/internal/trace/indexfile"
	"github.com/whet-go/whet/trace/model"
)

// threads follows which thread has which processor.
type threads struct {
	all     []model.Thread
	byID    map[trace.ThreadID]uint32
	mounted []mounted // by processor
	meter   meter
}

// mounted is a processor that a thread has.
type mounted struct {
	thread uint32 // number + 1, over the whole trace; 0: no thread has it
	since  int64
}

// begin starts the stay of a processor on a thread.
func (t *threads) begin(p trace.ProcID, id trace.ThreadID, now int64) {
	if p < 0 || p >= indexfile.MaxLanes || id < 0 {
		return
	}
	n, ok := t.byID[id]
	if !ok {
		if len(t.all) >= indexfile.MaxLanes {
			return
		}
		if t.byID == nil {
			t.byID = map[trace.ThreadID]uint32{}
		}
		n = uint32(len(t.all))
		t.byID[id] = n
		t.all = append(t.all, model.Thread{ID: uint64(id), From: now})
	}
	for len(t.mounted) <= int(p) {
		t.mounted = append(t.mounted, mounted{})
	}
	t.mounted[p] = mounted{n + 1, now}
	t.meter.run(int64(n), indexfile.UseRunning, now)
}

// end ends the stay of a processor on a thread, and returns the record of it.
func (t *threads) end(p trace.ProcID, now int64) (r model.Record, had bool) {
	if p < 0 || int(p) >= len(t.mounted) || t.mounted[p].thread == 0 {
		return model.Record{}, false
	}
	m := t.mounted[p]
	t.mounted[p] = mounted{}
	t.meter.stop(int64(m.thread-1), now)
	one := &t.all[m.thread-1]
	one.To = now
	return model.Record{From: m.since, To: now, Proc: uint32(p + 1), Thread: one.ID + 1}, true
}
