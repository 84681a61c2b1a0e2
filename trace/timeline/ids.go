package timeline

import (
	"slices"

	"github.com/whet-go/whet/trace/index"
)

// maxIDs bounds the rows of one answer.
const maxIDs = 1000

// requestedRows are the rows of one type, each once, with their positions in the answer.
type requestedRows struct {
	numbers []uint64
	at      map[uint64][]int
}

// ask groups IDs by type.
func ask(ids []string) (map[string]*requestedRows, error) {
	if len(ids) > maxIDs {
		return nil, badQuery("%d rows requested; the limit is %d", len(ids), maxIDs)
	}
	byType := map[string]*requestedRows{}
	for i, id := range ids {
		of, n, err := parseID(id)
		if err != nil {
			return nil, err
		}
		a := byType[of.name]
		if a == nil {
			a = &requestedRows{at: map[uint64][]int{}}
			byType[of.name] = a
		}
		if a.at[n] == nil {
			a.numbers = append(a.numbers, n)
		}
		a.at[n] = append(a.at[n], i)
	}
	return byType, nil
}

// RowsByID returns the rows with these IDs, at most 1000, in the same order.
func (t *Timeline) RowsByID(ids []string) ([]RowInfo, error) {
	byType, err := ask(ids)
	if err != nil {
		return nil, err
	}
	infos := make([]RowInfo, len(ids))
	for of, a := range byType {
		all, err := t.entries(of, a.numbers)
		if err != nil {
			return nil, err
		}
		for i, e := range all {
			info := t.info(of, e)
			for _, at := range a.at[a.numbers[i]] {
				infos[at] = info
			}
		}
	}
	return infos, nil
}

// indexes returns the numbers that the index has for rows of one of its types. All must exist.
func (t *Timeline) indexes(of string, numbers []uint64) ([]uint32, error) {
	var exists func(n uint64) (uint32, bool)
	switch of {
	case Thread:
		exists = func(n uint64) (uint32, bool) {
			at := slices.IndexFunc(t.x.Threads(), func(one index.Thread) bool { return one.ID == n })
			return uint32(at), at >= 0
		}
	case Range, Region:
		exists = func(n uint64) (uint32, bool) {
			return uint32(n), slices.ContainsFunc(t.x.Names(stream(of)), func(one index.Named) bool {
				return uint64(one.Name) == n
			})
		}
	default:
		count := uint64(t.count(of))
		exists = func(n uint64) (uint32, bool) { return uint32(n), n < count }
	}
	at := make([]uint32, len(numbers))
	for i, n := range numbers {
		var ok bool
		if at[i], ok = exists(n); !ok {
			return nil, none(of, n)
		}
	}
	return at, nil
}

func none(of string, n uint64) error {
	return badQuery("row %q: the trace does not have this %s", formatID(of, n), of)
}

// entries returns the rows of one type with these numbers.
func (t *Timeline) entries(of string, numbers []uint64) ([]entry, error) {
	switch of {
	case Request:
		return t.requestEntries(numbers)
	case Task:
		return t.taskEntries(numbers)
	}
	places, err := t.indexes(of, numbers)
	if err != nil {
		return nil, err
	}
	all := make([]entry, len(places))
	switch of {
	case Goroutine:
		gs, err := t.x.GoroutinesAt(places)
		if err != nil {
			return nil, err
		}
		for i, g := range gs {
			all[i] = goroutineEntry(g)
		}
	case Proc, Thread:
		lanes := t.lanes(of)
		for i, at := range places {
			all[i] = lanes[at]
		}
	case Range, Region:
		names := t.x.Names(stream(of))
		for i, at := range places {
			all[i] = nameEntry(names[slices.IndexFunc(names, func(one index.Named) bool { return one.Name == at })])
		}
	}
	return all, nil
}

func (t *Timeline) requestEntries(numbers []uint64) ([]entry, error) {
	found, err := t.find()
	if err != nil {
		return nil, err
	}
	all := make([]entry, len(numbers))
	for i, n := range numbers {
		if n >= uint64(len(found.all)) {
			return nil, none(Request, n)
		}
		all[i] = found.entry(int(n))
	}
	return all, nil
}

func (t *Timeline) taskEntries(numbers []uint64) ([]entry, error) {
	all := make([]entry, len(numbers))
	for i, n := range numbers {
		r, err := t.x.Task(n)
		if err != nil {
			return nil, err
		}
		if r == nil {
			return nil, none(Task, n)
		}
		all[i] = taskEntry(r)
	}
	return all, nil
}
