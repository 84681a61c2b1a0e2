package work

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/recording"
)

// An Error says why nothing can be counted.
type Error struct {
	Side   string // the recording; "" when it is about both
	Reason string
	Cure   string // what to do about it, if anything
}

func (e *Error) Error() string {
	if e.Side == "" {
		return e.Reason
	}
	return e.Side + ": " + e.Reason
}

// Hint returns what to do about it.
func (e *Error) Hint() string { return e.Cure }

// PerRequest reports whether values of a sample type grow with requests: costs do, what
// is there at one moment does not.
func PerRequest(sampleType string) bool {
	switch sampleType {
	case "goroutine", "goroutineleak", "threadcreate", "inuse_space", "inuse_objects":
		return false
	}
	return true
}

// window returns when the named profile of a recording was taken.
func window(m *recording.Meta, profile string) (from, to time.Time, err error) {
	i := slices.IndexFunc(m.Parts, func(p recording.Part) bool { return p.Name == "profiles/"+profile+".pb.gz" })
	if i < 0 {
		return from, to, &Error{Reason: fmt.Sprintf("it does not hold when its %s profile was taken", profile), Cure: loadFlag}
	}
	p := &m.Parts[i]
	switch {
	case strings.Contains(p.Note, "restart"):
		return from, to, &Error{Reason: "the target restarted while it was recorded"}
	case p.Start.IsZero() || p.End.IsZero():
		return from, to, &Error{Reason: fmt.Sprintf("it does not hold when its %s profile was taken", profile), Cure: loadFlag}
	case !p.End.After(p.Start):
		return from, to, &Error{Reason: fmt.Sprintf("its %s profile is of one moment, or counts from the program's start", profile)}
	}
	return p.Start, p.End, nil
}
