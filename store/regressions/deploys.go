package regressions

import (
	"time"
)

// findDeploys finds when most instances began to run another version, and numbers the epochs of
// cells. Cells of a version that is neither that of its epoch nor of a neighbor get no weight.
func (p *panel) findDeploys() {
	counts := make([]map[string]int, p.slots)
	for i, c := range p.cells {
		if counts[c.slot] == nil {
			counts[c.slot] = map[string]int{}
		}
		if c.weight > 0 {
			counts[c.slot][p.versions[i]]++
		}
	}
	type epoch struct {
		version    string
		start, end int // slots
	}
	var epochs []epoch
	for slot, by := range counts {
		best, n, all := "", 0, 0
		for v, k := range by {
			all += k
			if v != "" && (k > n || k == n && v < best) {
				best, n = v, k
			}
		}
		if 2*n <= all || n == 0 {
			continue
		}
		if len(epochs) == 0 || epochs[len(epochs)-1].version != best {
			epochs = append(epochs, epoch{best, slot, slot})
		}
		epochs[len(epochs)-1].end = slot
	}
	if len(epochs) > maxDeploys+1 {
		epochs = epochs[len(epochs)-maxDeploys-1:]
	}
	for i := range p.cells {
		c := &p.cells[i]
		if len(epochs) == 0 {
			break
		}
		best := -1
		for e, x := range epochs {
			if x.version != p.versions[i] {
				continue
			}
			if best < 0 || distance(c.slot, x.start, x.end) < distance(c.slot, epochs[best].start, epochs[best].end) {
				best = e
			}
		}
		if best < 0 {
			c.weight = 0
			continue
		}
		c.epoch = best
	}
	starts := make([]int, len(epochs))
	for e := range starts {
		starts[e] = p.slots
	}
	for _, c := range p.cells {
		// The first cell of a version belongs to its deploy, also before most instances have it.
		if c.weight > 0 && c.epoch < len(starts) {
			starts[c.epoch] = min(starts[c.epoch], c.slot)
		}
	}
	for e := 1; e < len(epochs); e++ {
		p.deploys = append(p.deploys, Deploy{
			At: p.from.Add(time.Duration(starts[e]) * p.step), Before: epochs[e-1].version, After: epochs[e].version,
			Label: p.label, RevisionBefore: p.revisions[epochs[e-1].version], RevisionAfter: p.revisions[epochs[e].version],
		})
		p.slotOf = append(p.slotOf, starts[e])
	}
	p.pair(len(epochs))
	p.compact()
}

// distance returns how far a slot is from a range.
func distance(slot, start, end int) int { return max(start-slot, slot-end, 0) }

// pair determines whether most cells are of instances that are there in several epochs.
func (p *panel) pair(epochs int) {
	if epochs < 2 {
		p.paired = true
		return
	}
	seen := make([]map[int]bool, p.instances)
	for _, c := range p.cells {
		if c.weight == 0 {
			continue
		}
		if seen[c.inst] == nil {
			seen[c.inst] = map[int]bool{}
		}
		seen[c.inst][c.epoch] = true
	}
	both, all := 0, 0
	for _, epochs := range seen {
		if len(epochs) > 0 {
			all++
		}
		if len(epochs) > 1 {
			both++
		}
	}
	p.paired = 2*both > all
}

// compact removes cells without weight, and numbers instances again.
func (p *panel) compact() {
	kept := 0
	number := map[int]int{}
	for i, c := range p.cells {
		if c.weight == 0 {
			continue
		}
		at, ok := number[c.inst]
		if !ok {
			at = len(number)
			number[c.inst] = at
		}
		c.inst = at
		p.cells[kept], p.versions[kept] = c, p.versions[i]
		for s := range p.subjects {
			x := &p.subjects[s]
			if x.share[kept] = x.share[i]; x.line {
				x.number[kept] = x.number[i]
			}
		}
		kept++
	}
	p.cells, p.versions, p.instances = p.cells[:kept], p.versions[:kept], len(number)
	for s := range p.subjects {
		x := &p.subjects[s]
		if x.share = x.share[:kept]; x.line {
			x.number = x.number[:kept]
		}
	}
}

// until returns a copy of p without the slots from end on.
func (p *panel) until(end int) *panel {
	q := *p
	q.slots, q.deploys, q.slotOf = end, nil, nil
	q.cells, q.versions = nil, nil
	q.subjects = make([]subject, len(p.subjects))
	for s, x := range p.subjects {
		x.share, x.number = nil, nil
		q.subjects[s] = x
	}
	for i, c := range p.cells {
		if c.slot >= end {
			continue
		}
		q.cells, q.versions = append(q.cells, c), append(q.versions, p.versions[i])
		for s, x := range p.subjects {
			if q.subjects[s].share = append(q.subjects[s].share, x.share[i]); x.line {
				q.subjects[s].number = append(q.subjects[s].number, x.number[i])
			}
		}
	}
	return &q
}
