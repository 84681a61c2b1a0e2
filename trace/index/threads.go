package index

import "golang.org/x/exp/trace"

// A Thread is an operating system thread that had a processor.
type Thread struct {
	ID       uint64
	From, To int64 // nanoseconds since the start of the trace: when it first and last had one
}

// threads follows which thread has which processor.
type threads struct {
	all     []Thread
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
	if p < 0 || p >= maxLanes || id < 0 {
		return
	}
	n, ok := t.byID[id]
	if !ok {
		if len(t.all) >= maxLanes {
			return
		}
		if t.byID == nil {
			t.byID = map[trace.ThreadID]uint32{}
		}
		n = uint32(len(t.all))
		t.byID[id] = n
		t.all = append(t.all, Thread{ID: uint64(id), From: now})
	}
	for len(t.mounted) <= int(p) {
		t.mounted = append(t.mounted, mounted{})
	}
	t.mounted[p] = mounted{n + 1, now}
	t.meter.run(int64(n), useRunning, now)
}

// end ends the stay of a processor on a thread, and returns the record of it.
func (t *threads) end(p trace.ProcID, now int64) (r Record, had bool) {
	if p < 0 || int(p) >= len(t.mounted) || t.mounted[p].thread == 0 {
		return Record{}, false
	}
	m := t.mounted[p]
	t.mounted[p] = mounted{}
	t.meter.stop(int64(m.thread-1), now)
	one := &t.all[m.thread-1]
	one.To = now
	return Record{From: m.since, To: now, Proc: uint32(p + 1), Thread: one.ID + 1}, true
}
