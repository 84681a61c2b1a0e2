package server

import (
	"net/http"
	"strconv"

	"github.com/whet-go/whet/trace/timeline"
)

// details registers the answers about parts of a timeline.
func (a *api) details(mux *http.ServeMux) {
	mux.Handle("/api/marks", answer(a.marks))
	mux.Handle("/api/stays", answer(a.stays))
	mux.Handle("/api/stacks", answer(a.stacks))
	mux.Handle("/api/classes", answer(a.classes))
	mux.Handle("/api/utilization", answer(a.utilization))
}

func (a *api) marks(r *http.Request, p *params) (any, error) {
	q := timeline.MarkQuery{Width: int(p.number("width", 1, maxWidth, 1000)), IDs: p.ids()}
	q.From, q.To = p.window(a.duration)
	if p.err != nil {
		return nil, p.err
	}
	return a.t.Marks(r.Context(), q)
}

func (a *api) stays(r *http.Request, p *params) (any, error) {
	q := timeline.StayQuery{
		IDs: p.ids(), State: int(p.number("state", -1, 1<<16, -1)), Limit: int(p.number("limit", 1, maxRows, 100)),
	}
	q.From, q.To = p.window(a.duration)
	if p.err != nil {
		return nil, p.err
	}
	return a.t.Stays(r.Context(), q)
}

func (a *api) stacks(r *http.Request, p *params) (any, error) {
	q := timeline.StackQuery{IDs: p.ids(), By: p.text("by")}
	q.From, q.To = p.window(a.duration)
	if p.err != nil {
		return nil, p.err
	}
	return a.t.Stacks(r.Context(), q)
}

func (a *api) classes(*http.Request, *params) (any, error) { return a.t.Classes() }

func (a *api) utilization(r *http.Request, _ *params) (any, error) {
	return a.t.Utilization(r.Context())
}

// manyStacks answers with the stacks of these numbers, in order.
func (a *api) manyStacks(ids []string, p *params) (any, error) {
	all := make([][]timeline.Frame, len(ids))
	for i, id := range ids {
		n, err := strconv.ParseUint(id, 10, 32)
		if err != nil {
			p.fail("ids", strconv.Quote(id[:min(len(id), 20)])+" is not the number of a stack")
			break
		}
		all[i] = a.t.Frames(uint32(n))
	}
	return all, p.err
}
