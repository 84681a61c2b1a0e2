package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// A source is a change in the form of internal/power's corpus: functions of a module that get the text of a newer
// version.
type source struct {
	Name      string   `json:"name"`
	Module    string   `json:"module"`
	A         string   `json:"a"` // versions
	B         string   `json:"b"`
	Functions []string `json:"functions"`
	Label     string   `json:"label"`

	dir string // with the directory corpus that has the case
}

// sources are changes by name.
type sources map[string]*source

// readSources reads the corpora of directories.
func readSources(dirs ...string) (sources, error) {
	all := sources{}
	for _, dir := range dirs {
		names, err := filepath.Glob(filepath.Join(dir, "corpus", "*.json"))
		if err != nil {
			return nil, err
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("read cases: %q has no corpus/*.json", dir)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			var list []*source
			if err := json.Unmarshal(data, &list); err != nil {
				return nil, fmt.Errorf("read cases %q: %w", name, err)
			}
			for _, s := range list {
				if old := all[s.Name]; old != nil {
					return nil, fmt.Errorf("read cases %q: %s is in %q, too", name, s.Name, filepath.Join(old.dir, "corpus"))
				}
				s.dir = dir
				all[s.Name] = s
			}
		}
	}
	return all, nil
}

// of returns the change of a case.
func (all sources) of(c *testCase) (*source, error) {
	s := all[c.Name]
	switch {
	case s == nil:
		return nil, fmt.Errorf("case %s: no corpus has it", c.Name)
	case s.Module == "" || len(s.Functions) == 0:
		return nil, fmt.Errorf("case %s: it names no module, or no functions", c.Name)
	case s.Label != "same":
		return nil, fmt.Errorf("case %s: its label is %q (want same)", c.Name, s.Label)
	}
	return s, nil
}

// key returns a hash of a case's change, and of its benchmark if that is carried.
func (s *session) key(c *testCase) (string, error) {
	from, err := s.changes.of(c)
	if err != nil {
		return "", err
	}
	parts := []any{from.Module, from.A, from.B, from.Functions}
	if b := s.carried[c.Name]; b != nil {
		parts = append(parts, b.dir, string(b.file))
	}
	text, err := json.Marshal(parts)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))[:12], nil
}
