package scrape

import (
	"strings"
	"time"

	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store"
)

// A base is the previous profile of a kind, as the target sent it: that takes a small part of the
// memory of a decoded one.
type base struct {
	data []byte
	at   time.Time
}

// subtract replaces the data of p, which counts from the start of its program, by what has been
// counted since the last scrape. note says why there is none. data is what p was decoded from.
func (t *target) subtract(p *store.Profile, kind string, data []byte) (note string, err error) {
	previous, known := t.bases[kind]
	begin := p.Start
	defer func() {
		if !t.keepBase(kind, data, begin, previous) && !known && err == nil {
			note = "there is too little memory to subtract it from the next one"
		}
	}()
	if !known {
		return "the first one, which later ones are subtracted from", nil
	}
	const restarted = "the program was started again"
	last, err := decode(kind, previous.data)
	if err != nil {
		return restarted, nil //nolint:nilerr // it was decoded before, so this does not happen
	}
	if !sameProgram(p.Data, last) {
		return restarted, nil
	}
	diff, err := profile.Subtract(p.Data, last, false)
	if err == nil {
		diff, err = counters(diff)
	}
	if err != nil {
		return "", err
	}
	for i := range diff.NumSamples() {
		for typ := range diff.SampleTypes {
			if diff.Value(i, typ) < 0 { // counters do not decrease
				return restarted, nil
			}
		}
	}
	p.Data, p.Start, p.Duration = diff, previous.at, begin.Sub(previous.at)
	return "", nil
}

// sameProgram reports whether two profiles can be of one process: with the same files mapped.
func sameProgram(p, q *profile.Profile) bool {
	if len(p.Mappings) == 0 || len(q.Mappings) == 0 {
		return true
	}
	a, b := p.Mappings[0], q.Mappings[0]
	return a.File == b.File && a.BuildID == b.BuildID && a.Start == b.Start
}

// keepBase keeps what was scraped for the next time, and reports whether there was memory for it.
func (t *target) keepBase(kind string, data []byte, at time.Time, previous base) bool {
	t.job.e.bases.give(int64(cap(previous.data)))
	delete(t.bases, kind)
	if !t.job.e.bases.take(int64(len(data))) {
		return false
	}
	t.bases[kind] = base{append(make([]byte, 0, len(data)), data...), at} // bytes.Clone may take more
	return true
}

// dropBase forgets the previous profile of a kind.
func (t *target) dropBase(kind string) {
	t.job.e.bases.give(int64(cap(t.bases[kind].data)))
	delete(t.bases, kind)
}

// counters returns a profile with only the values that count: without those of the live heap, whose
// difference means nothing.
func counters(p *profile.Profile) (*profile.Profile, error) {
	var types []profile.ValueType
	for _, v := range p.SampleTypes {
		if !strings.HasPrefix(v.Type, "inuse_") {
			types = append(types, v)
		}
	}
	if len(types) == len(p.SampleTypes) || len(types) == 0 {
		return p, nil
	}
	// Merging keeps the types that both have.
	return profile.Merge(p, profile.NewBuilder(types...).Profile(&profile.Profile{
		DefaultSampleType: p.DefaultSampleType, PeriodType: p.PeriodType, Period: p.Period,
	}))
}
