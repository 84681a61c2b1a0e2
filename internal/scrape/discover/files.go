package discover

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/whet-go/whet/internal/scrape/relabel"
)

// DefaultFileRefresh is how often files are read again.
const DefaultFileRefresh = 10 * time.Second

// maxFile is the size of the largest file of targets, in bytes.
const maxFile = 8 << 20

// Files reads targets from files in the format of Prometheus's file_sd_configs, JSON or YAML, and
// again when they change.
type Files struct {
	Patterns []string // names of files, or patterns of filepath.Glob
	Refresh  time.Duration
}

// String returns the names.
func (f *Files) String() string { return "files " + strings.Join(f.Patterns, ", ") }

// Run implements Source. A file that cannot be read keeps the targets that it had; one that is gone
// has none.
func (f *Files) Run(ctx context.Context, update func([]map[string]string, error)) {
	last := map[string][]map[string]string{} // by file
	repeat(ctx, f.Refresh, func(context.Context) {
		var errs []error
		found := map[string][]map[string]string{}
		var names []string
		for _, pattern := range f.Patterns {
			matches, err := filepath.Glob(pattern)
			if err == nil && len(matches) == 0 {
				err = errors.New("no such file")
			}
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", pattern, err))
			}
			names = append(names, matches...)
		}
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			targets, err := ReadFile(name)
			if err != nil {
				errs = append(errs, err)
				targets = last[name]
			}
			found[name] = targets
		}
		last = found
		var all []map[string]string
		for _, name := range slices.Compact(names) {
			all = append(all, found[name]...)
		}
		if len(all) > MaxTargets {
			errs, all = append(errs, errTooMany()), all[:MaxTargets]
		}
		update(all, errors.Join(errs...))
	})
}

// ReadFile reads a file of targets:
//
//   - targets: [10.0.0.1:6060, 10.0.0.2:6060]
//     labels: {region: eu}
//
// Errors begin with the name of the file, and the line if it is known.
func ReadFile(name string) ([]map[string]string, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // only read
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("it has more than %d bytes", maxFile)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return parseFile(name, data)
}

func parseFile(name string, data []byte) ([]map[string]string, error) {
	var groups []struct { // JSON is YAML
		Targets []string          `yaml:"targets"`
		Labels  map[string]string `yaml:"labels"`
	}
	d := yaml.NewDecoder(strings.NewReader(string(data)))
	d.KnownFields(true)
	if err := d.Decode(&groups); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var all []map[string]string
	for i, g := range groups {
		for label, value := range g.Labels {
			if !relabel.ValidName(label) || len(value) > relabel.MaxValue {
				return nil, fmt.Errorf("%s: group %d: invalid label %.60q", name, i+1, label)
			}
		}
		for _, address := range g.Targets {
			if err := CheckAddress(address); err != nil {
				return nil, fmt.Errorf("%s: group %d: %w", name, i+1, err)
			}
			if len(all) == MaxTargets {
				return nil, fmt.Errorf("%s: %w", name, errTooMany())
			}
			one := map[string]string{}
			for k, v := range g.Labels {
				one[k] = v
			}
			one[Address], one["__meta_filepath"] = address, name
			all = append(all, one)
		}
	}
	return all, nil
}

// CheckAddress returns an error unless address is HOST or HOST:PORT.
func CheckAddress(address string) error {
	host := address
	if strings.Contains(address, ":") && !(strings.Count(address, ":") > 1 && !strings.HasPrefix(address, "[")) {
		h, port, err := net.SplitHostPort(address)
		if err != nil || port == "" {
			return badAddress(address)
		}
		for _, c := range port {
			if c < '0' || c > '9' || len(port) > 5 {
				return badAddress(address)
			}
		}
		host = h
	}
	if host == "" || len(host) > 255 || strings.ContainsAny(host, "/@?#%\\\"' \t\r\n<>") {
		return badAddress(address)
	}
	return nil
}

// badAddress does not show what may be a password.
func badAddress(address string) error {
	if strings.Contains(address, "@") {
		return errors.New("an address has a user or a password (want HOST:PORT; authorization takes a token)")
	}
	return fmt.Errorf("%.100q is not an address (want HOST:PORT)", address)
}
