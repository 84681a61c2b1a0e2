package recording_test

import (
	"strings"
	"testing"

	"github.com/whet-go/whet/recording"
)

func TestRevision(t *testing.T) {
	t.Parallel()
	hash := strings.Repeat("0f", 20)
	if got := (*recording.Build)(nil).Revision(); got != "" {
		t.Errorf("without build information: %q", got)
	}
	for want, settings := range map[string][]recording.BuildSetting{
		"":              {{Key: "vcs", Value: "git"}},
		hash:            {{Key: "vcs.revision", Value: hash}, {Key: "vcs.modified", Value: "false"}},
		hash + "+dirty": {{Key: "vcs.modified", Value: "true"}, {Key: "vcs.revision", Value: hash}},
	} {
		if got := (&recording.Build{Settings: settings}).Revision(); got != want {
			t.Errorf("%v: %q, want %q", settings, got, want)
		}
	}
	for _, value := range []string{"", "abc", "HEAD", "--all", hash + hash + "0", "0123456 0123456"} {
		b := &recording.Build{Settings: []recording.BuildSetting{{Key: "vcs.revision", Value: value}}}
		if got := b.Revision(); got != "" {
			t.Errorf("%q is the revision %q", value, got)
		}
	}
}
