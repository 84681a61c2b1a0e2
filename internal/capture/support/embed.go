package support

import "embed"

//go:embed value.go plan.go redact.go copy.go recorder.go cpu_unix.go cpu_other.go
var files embed.FS

// Files returns the source that is compiled into the program, by file name. It imports only the standard library, and
// its package is named support.
func Files() (map[string][]byte, error) {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for _, e := range entries {
		if out[e.Name()], err = files.ReadFile(e.Name()); err != nil {
			return nil, err
		}
	}
	return out, nil
}
