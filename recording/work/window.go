package work

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/recording"
)

// uncounted returns the error for a recording in which requests cannot be counted. The hint may be
// "".
func uncounted(reason, hint string) error {
	return &diag.Error{Err: errors.New(reason), Hint: hint}
}

// PerRequest reports whether the values of a sample type grow with the number of requests, as costs
// do, unlike what exists at one moment.
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
		return from, to, uncounted(fmt.Sprintf("it does not record when its %s profile was taken", profile), loadFlag)
	}
	p := &m.Parts[i]
	switch {
	case strings.Contains(p.Note, "restart"):
		return from, to, uncounted("the target restarted while it was recorded", "")
	case p.Start.IsZero() || p.End.IsZero():
		return from, to, uncounted(fmt.Sprintf("it does not record when its %s profile was taken", profile), loadFlag)
	case !p.End.After(p.Start):
		return from, to, uncounted(fmt.Sprintf("its %s profile is of one moment, or counts from the program's start",
			profile), "")
	}
	return p.Start, p.End, nil
}
