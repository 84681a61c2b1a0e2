package indexer

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/whet-go/whet/internal/trace/indexfile"
	"github.com/whet-go/whet/trace/model"
	"github.com/whet-go/whet/trace/stacks"
)

// A kind is the goroutines that run one function.
type kind struct {
	number  uint32
	name    uint32 // of the start function
	count   int64  // goroutines
	created int64  // those created within the trace
	ended   int64
	life    int64 // total, within the trace
	stays   [model.MaxCodes]*stays
	all     *kinds
}

// stays are the spans of a kind in one state.
type stays struct {
	count, total, max int64
	hist              *hdrhistogram.Histogram // nil beyond maxHists
}

// kinds holds all kinds.
type kinds struct {
	all    []*kind
	byRoot map[uint32]*kind // by the stack of the start function alone
	byName map[uint32]*kind
	names  *names
	hists  int
}

// maxHists bounds the number of histograms, which take about 40 KB each.
const maxHists = 1000

// maxKinds bounds the number of kinds, which take about 2 KB each.
const maxKinds = 1 << 14

// longest is the longest stay that histograms distinguish.
const longest = int64(time.Hour)

// of returns the kind of a goroutine whose stack has this root.
func (k *kinds) of(root uint32, table *stacks.Table) *kind {
	if one, ok := k.byRoot[root]; ok {
		return one
	}
	name := ""
	if frames := table.Frames(root); len(frames) > 0 {
		name = frames[0].Func
	}
	one := k.named(name)
	if k.byRoot == nil {
		k.byRoot = map[uint32]*kind{}
	}
	k.byRoot[root] = one
	return one
}

// unknown returns the kind of goroutines without a known stack.
func (k *kinds) unknown() *kind { return k.named("") }

func (k *kinds) named(name string) *kind {
	if len(k.all) >= maxKinds {
		name = tooMany
	}
	id := k.names.of(name)
	if one, ok := k.byName[id]; ok {
		return one
	}
	if k.byName == nil {
		k.byName = map[uint32]*kind{}
	}
	one := &kind{number: uint32(len(k.all)), name: id, all: k}
	k.all, k.byName[id] = append(k.all, one), one
	return one
}

// stay counts a span.
func (k *kind) stay(code model.Code, took int64) {
	s := k.stays[code]
	if s == nil {
		s = &stays{}
		if k.all.hists < maxHists {
			s.hist = hdrhistogram.New(1, longest, 2)
			k.all.hists++
		}
		k.stays[code] = s
	}
	s.count++
	s.max = max(s.max, took)
	if s.hist != nil {
		_ = s.hist.RecordValue(min(max(took, 1), longest))
	}
}

// goroutine counts a goroutine that has ended or was last seen, and its time in all states.
func (k *kind) goroutine(g *goroutine, end int64) {
	k.count++
	k.life += end - g.begin
	if !g.old {
		k.created++
	}
	if g.died {
		k.ended++
	}
	for _, s := range g.sums {
		if k.stays[s.Code] == nil {
			k.stays[s.Code] = &stays{} // its spans came before its name
		}
		k.stays[s.Code].total += int64(s.Time)
	}
}

// tables returns the kinds in the form of the index.
func (k *kinds) tables() []indexfile.Kind {
	all := make([]indexfile.Kind, len(k.all))
	for i, one := range k.all {
		all[i] = indexfile.Kind{Name: one.name, Kind: model.Kind{
			Count: one.count, Created: one.created, Ended: one.ended, Life: time.Duration(one.life),
		}}
		for code, s := range one.stays {
			if s != nil {
				all[i].Stays = append(all[i].Stays, s.table(model.Code(code)))
			}
		}
	}
	return all
}

// table returns stays in the form of the index.
func (s *stays) table(code model.Code) model.Stays {
	out := model.Stays{Code: code, Count: s.count, Total: time.Duration(s.total), Max: time.Duration(s.max)}
	if s.hist != nil {
		quantile := func(q float64) time.Duration { return time.Duration(min(s.hist.ValueAtPercentile(q), s.max)) }
		out.P50, out.P90, out.P99 = quantile(50), quantile(90), quantile(99)
	}
	return out
}
