package machine

import (
	"runtime"
	"testing"
)

func TestLevel(t *testing.T) {
	level := Level()
	valid := map[string]bool{"v1": true, "v2": true, "v3": true, "v4": true}
	if valid[level] != (runtime.GOARCH == "amd64") {
		t.Errorf("level %q on %s", level, runtime.GOARCH)
	}
}
