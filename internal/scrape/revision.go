package scrape

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/store"
)

// agentName is where whet's agent says what it runs in, next to the profiles.
const agentName = "whet"

// noAgentFor is how long a target without whet's agent is not asked again, unless it fails.
const noAgentFor = time.Hour

// agentFacts are what is known of the agent of a target.
type agentFacts struct {
	missing  time.Time // when it had none
	revision string    // the last one
}

// revision returns the commit that a target's program is built from; "" if it does not say. The answer is
// for the profile that was just read: it comes over the same connection, so from the same process.
func (t *target) revision(ctx context.Context, c *session) string {
	if t.labels.Get(store.RevisionLabel) != "" {
		return ""
	}
	if n := c.dials.Load(); n != c.asked {
		c.revision, c.asked = t.askRevision(ctx, c), n
	}
	return c.revision
}

func (t *target) askRevision(ctx context.Context, c *session) string {
	if at := t.agent.missing; !c.suspect && !at.IsZero() && time.Since(at) < noAgentFor {
		return ""
	}
	data, err := t.get(ctx, c, agentName, 0)
	if gone(err) || errors.Is(err, errRoom) {
		return t.agent.revision // the profile was read, so the next scrape finds out
	}
	t.agent = agentFacts{missing: time.Now()}
	if err != nil {
		return ""
	}
	defer t.job.e.answers.give(int64(cap(data)))
	var info struct {
		GoVersion string           `json:"go_version"`
		Build     *recording.Build `json:"build"`
	}
	if err := json.Unmarshal(data, &info); err != nil || info.GoVersion == "" {
		return "" // another handler answers there
	}
	t.agent = agentFacts{revision: info.Build.Revision()}
	return t.agent.revision
}
