package failures

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/fix/workorder"
	"github.com/whet-go/whet/internal/tempfile"
)

// schema is the version of a file's JSON.
const schema = "whet.failures/1"

// Limits of a file.
const (
	maxEntries = 200
	maxText    = 16 << 10 // bytes of a diff or a reason
	maxFile    = 8 << 20  // bytes; larger ones were not written by this package
)

// A document is the content of a file.
type document struct {
	Schema  string  `json:"schema"`
	Dir     string  `json:"dir"` // of the module
	Entries []entry `json:"entries"`
}

// An entry is a candidate that was dropped.
type entry struct {
	File     string           `json:"file"`
	Function string           `json:"function"`
	Code     string           `json:"code"` // of the line
	Failed   workorder.Failed `json:"failed"`
}

// CacheDir returns the directory for Remember and On in the user's cache; "" if there is none.
func CacheDir() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(cache, "whet", "failures")
}

// canonical returns the absolute name of a directory, without symbolic links where that is possible.
func canonical(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

// fileOf returns the name of the file of a module.
func fileOf(cache, dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return filepath.Join(cache, hex.EncodeToString(sum[:8])+".json")
}

// Remember adds the candidates that were dropped to the file of their module. It does nothing if cache is "".
func Remember(cache string, r *fix.Result) error {
	var list []entry
	for i := range r.Attempts {
		a := &r.Attempts[i]
		if a.Finding.Tier != find.Proposed || a.Kept() || a.Diff == "" || len(a.Finding.Places) == 0 {
			continue
		}
		list = append(list, entry{
			File: a.Finding.Places[0].File, Function: a.Finding.Function, Code: a.Finding.Places[0].Code,
			Failed: workorder.Failed{Diff: clipped(a.Diff), Outcome: a.Outcome, Reason: clipped(a.Reason)},
		})
	}
	if cache == "" || len(list) == 0 {
		return nil
	}
	if err := add(cache, canonical(r.Dir), list); err != nil {
		return fmt.Errorf("remember candidates that failed: %w", err)
	}
	return nil
}

// clipped returns the beginning of a text.
func clipped(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + "…"
}

// add adds entries to a file, and drops older ones for the same change.
func add(cache, dir string, list []entry) error {
	d, err := read(cache, dir)
	if err != nil {
		d = nil // damaged: it is replaced
	}
	d = slices.DeleteFunc(d, func(old entry) bool {
		return slices.ContainsFunc(list, func(e entry) bool { return e.File == old.File && e.Failed.Diff == old.Failed.Diff })
	})
	d = append(d, list...)
	d = d[max(0, len(d)-maxEntries):]
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return err
	}
	_, err = tempfile.Replace(fileOf(cache, dir), func(w io.Writer) error {
		return json.NewEncoder(w).Encode(document{schema, dir, d})
	})
	return err
}

// read returns the entries of a module, the oldest first; none if nothing was remembered.
func read(cache, dir string) ([]entry, error) {
	file, err := os.Open(fileOf(cache, dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // was only read
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, err
	}
	var d document
	if err := json.Unmarshal(data, &d); err != nil {
		return nil, err
	}
	if len(data) > maxFile || d.Schema != schema || d.Dir != dir {
		return nil, fmt.Errorf("%s: schema %.40q of %.200q (want %q)", file.Name(), d.Schema, d.Dir, schema)
	}
	return d.Entries, nil
}

// On returns the candidates that were dropped for a line of a module, the last one first. Code is the source of the
// line. It returns none if cache is "".
func On(cache, dir, file, function, code string) ([]workorder.Failed, error) {
	if cache == "" {
		return nil, nil
	}
	all, err := read(cache, canonical(dir))
	if err != nil {
		return nil, fmt.Errorf("read candidates that failed: %w", err)
	}
	var list []workorder.Failed
	for _, e := range slices.Backward(all) {
		if e.File == file && e.Function == function && strings.TrimSpace(e.Code) == strings.TrimSpace(code) {
			list = append(list, e.Failed)
		}
	}
	return list, nil
}
