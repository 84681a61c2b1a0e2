package ab

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"
)

// journalSchema is the schema of a journal's first line.
const journalSchema = "whet.bench-journal/1"

// A Journal holds the pairs of a run, from which a later run can continue.
type Journal struct {
	Identity string
	Unit     string
	Plan     Plan
	// Size is where the last complete line ends, in bytes. The rest is truncated, and must be cut
	// before more is written.
	Size    int64
	entries []entry
}

// pairs counts the journal's pairs.
func (j *Journal) pairs() int { return len(j.entries) }

// journalHead is a journal's first line; every other line is an entry.
type journalHead struct {
	Schema   string `json:"schema"`
	Identity string `json:"identity"`
	Unit     string `json:"unit"`
	Plan     Plan   `json:"plan"`
}

type entry struct {
	Subject  string        `json:"subject"`
	A        Values        `json:"a"`
	B        Values        `json:"b"`
	Elapsed  time.Duration `json:"elapsed_ns"`
	Unpinned bool          `json:"free,omitempty"` // not pinned, although the plan is
}

// Limits on a journal that is read.
const (
	maxJournalLine    = 64 << 10
	maxJournalEntries = 1_000_000
)

// A JournalError reports a journal that cannot be continued.
type JournalError struct {
	Line int // 0 means the journal as a whole
	Err  error
}

// Error includes the line, if there is one.
func (e *JournalError) Error() string {
	if e.Line == 0 {
		return "journal: " + e.Err.Error()
	}
	return fmt.Sprintf("journal: line %d: %v", e.Line, e.Err)
}

// Unwrap returns the cause.
func (e *JournalError) Unwrap() error { return e.Err }

// Hint returns what to do next.
func (e *JournalError) Hint() string { return "start over, without --continue" }

// ReadJournal reads what Run wrote. The last line may be truncated: the run may have been killed
// while it was written. Its errors are a *JournalError and those of r.
func ReadJournal(r io.Reader) (*Journal, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxJournalLine)
	size, whole := int64(0), true
	lines.Split(func(data []byte, atEOF bool) (int, []byte, error) {
		n, line, err := bufio.ScanLines(data, atEOF)
		if n > 0 {
			if whole = data[n-1] == '\n'; whole {
				size += int64(n)
			}
		}
		return n, line, err
	})
	if !lines.Scan() {
		if err := lines.Err(); err != nil {
			return nil, &JournalError{1, err}
		}
		return nil, &JournalError{0, errors.New("is empty")}
	}
	if !whole {
		return nil, &JournalError{1, errors.New("is truncated")}
	}
	var head journalHead
	if err := json.Unmarshal(lines.Bytes(), &head); err != nil {
		return nil, &JournalError{1, err}
	}
	if head.Schema != journalSchema {
		return nil, &JournalError{1, fmt.Errorf("unknown schema %q (want %s)", head.Schema, journalSchema)}
	}
	j := &Journal{Identity: head.Identity, Unit: head.Unit, Plan: head.Plan}
	for n := 2; lines.Scan() && whole; n++ {
		var e entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, &JournalError{n, err}
		}
		if err := e.check(); err != nil {
			return nil, &JournalError{n, err}
		}
		if len(j.entries) == maxJournalEntries {
			return nil, &JournalError{n, fmt.Errorf("more than %d pairs", maxJournalEntries)}
		}
		j.entries = append(j.entries, e)
	}
	if err := lines.Err(); err != nil {
		return nil, &JournalError{0, err}
	}
	j.Size = size
	return j, nil
}

func (e *entry) check() error {
	if len(e.A) > maxUnits || len(e.B) > maxUnits {
		return fmt.Errorf("more than %d units", maxUnits)
	}
	if e.Elapsed < 0 || e.Elapsed > math.MaxInt64/maxJournalEntries {
		return fmt.Errorf("elapsed %v", e.Elapsed)
	}
	return nil
}

// resume takes over the pairs of an earlier run. Pairs of subjects that no longer exist are
// dropped.
func (r *runner) resume(j *Journal) error {
	if j.Identity != r.Identity {
		return &JournalError{0, errors.New("belongs to other builds")}
	}
	if j.Unit != r.Unit && (j.Unit != r.Instead || j.Unit == "") {
		return &JournalError{0, fmt.Errorf("measures %s (want %s)", j.Unit, r.Unit)}
	}
	r.Unit = j.Unit
	if !j.Plan.valid() {
		return &JournalError{1, fmt.Errorf("plan %v", j.Plan)}
	}
	if j.Plan.Pinned && len(r.allowed) == 0 || j.Plan.Together && len(r.allowed) < 2 {
		return &JournalError{1, fmt.Errorf("plan %v: there are %d CPUs to pin to", j.Plan, len(r.allowed))}
	}
	byName := make(map[string]*subject, len(r.subjects))
	for _, s := range r.subjects {
		byName[s.Name()] = s
	}
	r.plan, r.planned = j.Plan, true
	r.journal.begun = true
	for _, e := range j.entries {
		if s := byName[e.Subject]; s != nil && len(s.pairs) < maxPairs {
			s.pairs = append(s.pairs, pair{e.A, e.B})
			s.elapsed += e.Elapsed
			s.known, s.unpinned = true, e.Unpinned
		}
	}
	for _, s := range r.subjects {
		r.before += s.elapsed
		if len(s.pairs) > 0 {
			r.look(s)
		}
	}
	return nil
}

// journalWriter writes a journal. A continued journal does not get a second head.
type journalWriter struct {
	to    io.Writer
	begun bool
}

func (w *journalWriter) start(head journalHead) error {
	if w.begun {
		return nil
	}
	head.Schema = journalSchema
	return w.line(head)
}

func (w *journalWriter) add(e entry) error { return w.line(e) }

func (w *journalWriter) line(v any) error {
	if w.to == nil {
		return nil
	}
	data, err := json.Marshal(v)
	if err == nil {
		_, err = w.to.Write(append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write journal: %w", err)
	}
	return nil
}
