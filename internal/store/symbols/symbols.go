package symbols

import (
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/whet-go/whet/internal/store/identity"
	"github.com/whet-go/whet/internal/store/packed"
	"github.com/whet-go/whet/internal/store/sql"
	"github.com/whet-go/whet/profile"
)

// A Scope is what stacks and frames belong to.
type Scope struct{ Tenant, Service string }

// Where returns the conditions for the rows of a service.
func (k Scope) Where() string {
	return "tenant=" + sql.Text(k.Tenant) + " AND service=" + sql.Text(k.Service)
}

// A Dictionary has stacks of a service, as far as this process has written or read them.
type Dictionary struct {
	mu     sync.Mutex
	d      *profile.Dictionary
	table  *profile.StackTable // what d has
	frames []uint64            // hashes, by number of the location
	stacks []uint64            // hashes, by number of the stack
	number map[uint64]uint32   // of a stack, by hash
	place  map[uint64]uint32   // number of a location, by hash
	// seen is up to which day the server keeps a frame or stack that this process has stored, by
	// number; 0: not stored. It may be shorter than frames and stacks.
	seenFrames, seenStacks []uint32
	old                    bool // some of them are over, but were stored by this batch
	buf                    []byte
	stack                  []uint32
	mappings               []string // packed, by number; "": not packed yet

	samples int64 // of the last answer; 0: none yet; protected by Cache.mu
}

// A Cache has the dictionaries of all services, up to a size.
type Cache struct {
	limit int64 // bytes

	mu    sync.Mutex
	known map[Scope]*Dictionary
	sizes map[Scope]int64
	size  int64
}

// NewCache returns a cache of a number of bytes.
func NewCache(limit int64) *Cache {
	return &Cache{limit: limit, known: map[Scope]*Dictionary{}, sizes: map[Scope]int64{}}
}

// Of returns the dictionary of a service.
func (c *Cache) Of(k Scope) *Dictionary {
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.known[k]
	if d == nil {
		d = &Dictionary{d: profile.NewDictionary(), number: map[uint64]uint32{}, place: map[uint64]uint32{}}
		d.table = d.d.Table()
		c.known[k] = d
	}
	return d
}

// Grown accounts for the size of a dictionary, and forgets others above the limit; one that is larger than that is
// forgotten itself. Chance decides which: a query of all services needs each in turn, so the one that was used least
// recently is needed next. Whoever uses a forgotten one may go on.
func (c *Cache) Grown(k Scope, size int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known[k] == nil {
		return
	}
	c.size += size - c.sizes[k]
	c.sizes[k] = size
	if size > c.limit {
		c.forget(k)
	}
	for other := range c.known { // in an order that differs each time
		if c.size <= c.limit {
			return
		}
		if other != k {
			c.forget(other)
		}
	}
}

func (c *Cache) forget(k Scope) {
	c.size -= c.sizes[k]
	delete(c.known, k)
	delete(c.sizes, k)
}

// mapping returns a mapping as rows have it.
func (d *Dictionary) mapping(i uint32) string {
	for len(d.mappings) < len(d.table.Mappings) {
		d.mappings = append(d.mappings, string(packed.AppendMapping(nil, &d.table.Mappings[len(d.mappings)])))
	}
	return d.mappings[i]
}

// Memory returns the approximate size in bytes. The caller has locked d.
func (d *Dictionary) Memory() int64 {
	return d.d.Memory() + 48*int64(len(d.stacks)) + 48*int64(len(d.frames))
}

// Add adds the stacks of a profile and returns the number of each sample's. The caller has locked d.
func (d *Dictionary) Add(p *profile.Profile) []uint32 {
	numbers := d.d.Add(p)
	if d.d.Counts() == d.table.Counts() {
		return numbers
	}
	d.table = d.d.Table()
	now := d.table.Counts()
	for i := len(d.frames); i < now.Locations; i++ {
		var h uint64
		h, d.buf = identity.Frame(d.table, uint32(i), d.buf)
		d.frames = append(d.frames, h)
		d.place[h] = uint32(i)
	}
	var stack []uint32
	for i := len(d.stacks); i < now.Stacks; i++ {
		d.buf = d.buf[:0]
		stack = d.table.AppendStack(stack[:0], uint32(i))
		for _, loc := range stack {
			d.buf = binary.LittleEndian.AppendUint64(d.buf, d.frames[loc])
		}
		h := identity.Of(d.buf)
		d.stacks = append(d.stacks, h)
		d.number[h] = uint32(i)
	}
	return numbers
}

// Missing returns the hashes that d does not have, each once. The caller has locked d.
func (d *Dictionary) Missing(stacks []uint64) []uint64 {
	var out []uint64
	seen := map[uint64]bool{}
	for _, h := range stacks {
		if _, ok := d.number[h]; !ok && !seen[h] {
			seen[h] = true
			out = append(out, h)
		}
	}
	return out
}

// A Frame is a row of the table of frames.
type Frame struct {
	Mapping string // as packed.AppendMapping wrote it; "" if there is none
	Address uint64 // in the mapping
	Lines   string // as identity.AppendLines wrote them
}

// Stacks are rows of stacks that were read, with their frames by number: a frame is in many of them.
type Stacks struct {
	d      *Dictionary
	ids    []uint64
	ends   []int    // of each stack, in places
	places []uint32 // numbers of frames
	frames []uint64 // hashes, by number
}

// Read returns the stacks that rows have, by their hashes: the frames of each, as eight bytes a frame. The caller has
// locked d until it has called Learn.
func (d *Dictionary) Read(rows map[uint64]string) (*Stacks, error) {
	size := 0
	for _, text := range rows {
		size += len(text) / 8
	}
	s := &Stacks{d: d, ids: make([]uint64, 0, len(rows)), ends: make([]int, 0, len(rows)), places: make([]uint32, 0, size)}
	numbers := map[uint64]uint32{}
	for h, text := range rows {
		if len(text)%8 != 0 {
			return nil, fmt.Errorf("stack %016x: %w", h, packed.ErrDamaged)
		}
		for ; text != ""; text = text[8:] {
			frame := binary.LittleEndian.Uint64([]byte(text[:8]))
			n, ok := numbers[frame]
			if !ok {
				n = uint32(len(s.frames))
				numbers[frame] = n
				s.frames = append(s.frames, frame)
			}
			s.places = append(s.places, n)
		}
		s.ids, s.ends = append(s.ids, h), append(s.ends, len(s.places))
	}
	return s, nil
}

// Unknown returns the frames that the dictionary does not have, each once.
func (s *Stacks) Unknown() (out []uint64) {
	for _, h := range s.frames {
		if _, ok := s.d.place[h]; !ok {
			out = append(out, h)
		}
	}
	return out
}

// Learn adds the stacks to the dictionary, with the frames that it does not have.
func (s *Stacks) Learn(frames map[uint64]Frame) error {
	l := learner{
		d: s.d, frames: frames, b: profile.NewBuilder(profile.ValueType{Type: "stacks", Unit: "count"}),
		starts: map[uint32]uint64{},
	}
	at := make([]uint32, len(s.frames))
	for i, h := range s.frames {
		var err error
		if at[i], err = l.add(h); err != nil {
			return fmt.Errorf("frame %016x: %w", h, err)
		}
	}
	for i, n := range s.places {
		s.places[i] = at[n]
	}
	from := 0
	for i, end := range s.ends {
		if err := l.b.Sample(s.places[from:end], nil, 1); err != nil {
			return fmt.Errorf("stack %016x: %w", s.ids[i], err)
		}
		from = end
	}
	for i, n := range s.d.Add(l.b.Profile(nil)) {
		if s.d.stacks[n] != s.ids[i] {
			return fmt.Errorf("stack %016x: %w: its content is not what was stored", s.ids[i], packed.ErrDamaged)
		}
	}
	return nil
}

// learner makes a profile of stacks that were read.
type learner struct {
	d      *Dictionary
	frames map[uint64]Frame
	b      *profile.Builder
	starts map[uint32]uint64 // addresses of the mappings in b
}

// mapping adds a mapping and returns its number and address in b, where an equal one may have been
// added with another address.
func (l *learner) mapping(m profile.Mapping) (number uint32, start uint64) {
	number = l.b.Mapping(m)
	if start, ok := l.starts[number]; ok {
		return number, start
	}
	l.starts[number] = m.Start
	return number, m.Start
}

// add adds a frame, one that d has or one that was read, and returns its number in b.
func (l *learner) add(h uint64) (uint32, error) {
	mapping, start := profile.None, uint64(0)
	if i, ok := l.d.place[h]; ok {
		t := l.d.table
		loc := t.Locations[i]
		if loc.Mapping != profile.None {
			m := t.Mappings[loc.Mapping]
			loc.Address -= m.Start
			mapping, start = l.mapping(m)
		}
		lines := append([]profile.Line{}, t.Lines[loc.First:loc.First+loc.Num]...)
		for j, line := range lines {
			if line.Function != profile.None {
				lines[j].Function = l.b.Function(t.Functions[line.Function])
			}
		}
		return l.b.Location(start+loc.Address, mapping, loc.Folded, lines...), nil
	}
	row, ok := l.frames[h]
	if !ok {
		return 0, fmt.Errorf("%w: it is missing", packed.ErrDamaged)
	}
	if row.Mapping != "" {
		r := &packed.Decoder{B: []byte(row.Mapping)}
		m := r.Mapping()
		if err := r.End(); err != nil {
			return 0, err
		}
		mapping, start = l.mapping(m)
	}
	lines, folded, err := identity.ReadLines(row.Lines, l.b)
	if err != nil {
		return 0, err
	}
	return l.b.Location(start+row.Address, mapping, folded, lines...), nil
}

// Lock locks d, for all methods that say so.
func (d *Dictionary) Lock() { d.mu.Lock() }

// Unlock ends what Lock began.
func (d *Dictionary) Unlock() { d.mu.Unlock() }

// Hash returns the hash of a stack by its number. The caller has locked d.
func (d *Dictionary) Hash(n uint32) uint64 { return d.stacks[n] }

// Profile returns a profile of stacks that d has, by their hashes, with the sample types of meta and the main mapping
// as rows have it. The caller has locked d.
func (d *Dictionary) Profile(
	meta *profile.Profile, main string, stacks []uint64, samples profile.Samples,
) (*profile.Profile, error) {
	samples.Stacks = make([]uint32, len(stacks))
	for i, h := range stacks {
		samples.Stacks[i] = d.number[h]
	}
	first := profile.None
	if main != "" {
		r := &packed.Decoder{B: []byte(main)}
		m := r.Mapping()
		if err := r.End(); err != nil {
			return nil, err
		}
		first = d.d.MainMapping(&profile.Profile{Mappings: []profile.Mapping{m}})
	}
	return d.table.Profile(meta, first, samples)
}

// A Row is a frame that is stored.
type Row struct {
	Frame
	ID uint64
}

// Begin prepares d for a profile whose rows are needed until a day. Those of days that are over may be gone, so they
// are stored again, once until Cache.ForgetOld. The caller has locked d, or owns it.
func (d *Dictionary) Begin(until, today uint32) {
	if until <= today && !d.old {
		d.forget(today)
		d.old = true
	}
}

// forget forgets which symbols are stored until a day that is over.
func (d *Dictionary) forget(today uint32) {
	for _, seen := range [][]uint32{d.seenStacks, d.seenFrames} {
		for i, until := range seen {
			if until <= today {
				seen[i] = 0
			}
		}
	}
}

// Unstored returns the frames of a stack, by its number, as the row of the stack has them, and rows for those frames
// that are not stored until a day. ok is false if the stack is stored; else all are taken for stored from now on. The
// caller has locked d, or owns it.
func (d *Dictionary) Unstored(n, until uint32, rows []Row) (frames string, _ []Row, ok bool) {
	for len(d.seenStacks) < len(d.stacks) {
		d.seenStacks = append(d.seenStacks, 0)
	}
	if d.seenStacks[n] >= until {
		return "", rows, false
	}
	d.seenStacks[n] = until
	for len(d.seenFrames) < len(d.frames) {
		d.seenFrames = append(d.seenFrames, 0)
	}
	d.stack = d.table.AppendStack(d.stack[:0], n)
	for _, loc := range d.stack {
		if d.seenFrames[loc] >= until {
			continue
		}
		d.seenFrames[loc] = until
		l := &d.table.Locations[loc]
		row := Row{ID: d.frames[loc], Frame: Frame{Address: l.Address}}
		if l.Mapping != profile.None {
			row.Address -= d.table.Mappings[l.Mapping].Start
			row.Mapping = d.mapping(l.Mapping)
		}
		d.buf = identity.AppendLines(d.buf[:0], d.table, l)
		row.Lines = string(d.buf)
		rows = append(rows, row)
	}
	d.buf = d.buf[:0]
	for _, loc := range d.stack {
		d.buf = binary.LittleEndian.AppendUint64(d.buf, d.frames[loc])
	}
	return string(d.buf), rows, true
}

// ForgetOld forgets which symbols are stored for profiles of days that are over: another process may delete them. The
// dictionaries must have one owner.
func (c *Cache) ForgetOld(today uint32) {
	for _, d := range c.known {
		if d.old {
			d.forget(today)
			d.old = false
		}
	}
}

// Has reports whether the dictionary of a service is not empty.
func (c *Cache) Has(k Scope) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sizes[k] > 0
}

// fewSamples is how many samples one thread reads in some milliseconds.
const fewSamples = 200_000

// Few reports whether the last answer of a service had few samples.
func (c *Cache) Few(k Scope) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.known[k]
	return d != nil && d.samples > 0 && d.samples <= fewSamples
}

// Answered remembers how many samples an answer of a service had.
func (c *Cache) Answered(k Scope, samples int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d := c.known[k]; d != nil {
		d.samples = samples
	}
}
