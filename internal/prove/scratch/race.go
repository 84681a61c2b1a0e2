package scratch

import (
	"context"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
)

// CanRace reports whether the go command can build with the race detector, which needs a C compiler.
func (m *Module) CanRace(ctx context.Context) bool {
	if slices.ContainsFunc(m.options.Flags, func(flag string) bool { return strings.HasPrefix(flag, "-race") }) {
		return false // the tests have just run with it
	}
	out, err := m.Go(ctx, nil, "env", "-json", "CC", "CGO_ENABLED", "GOOS", "GOARCH", "GOHOSTOS", "GOHOSTARCH")
	var env map[string]string
	if err != nil || json.Unmarshal([]byte(out), &env) != nil {
		return false
	}
	cc := strings.Fields(env["CC"])
	if len(cc) == 0 || env["CGO_ENABLED"] != "1" || env["GOOS"] != env["GOHOSTOS"] || env["GOARCH"] != env["GOHOSTARCH"] {
		return false
	}
	_, err = exec.LookPath(cc[0])
	return err == nil
}
