package scratch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/whet-go/whet/internal/tempfile"
)

// TrialEnv returns environment variables for processes that run code of the module. They place
// temporary files, caches and the home directory in the copy. Those of the go command keep their
// values.
func (m *Module) TrialEnv() []string {
	home := m.trialDir("home")
	env := append(m.TempEnv(),
		"HOME="+home, "USERPROFILE="+home, "APPDATA="+home, "LOCALAPPDATA="+home,
		"XDG_CACHE_HOME="+filepath.Join(home, ".cache"), "XDG_CONFIG_HOME="+filepath.Join(home, ".config"),
		"XDG_DATA_HOME="+filepath.Join(home, ".local", "share"), "XDG_STATE_HOME="+filepath.Join(home, ".local", "state"),
	)
	return append(env, m.goEnv...)
}

// TempEnv returns only the variables for temporary files.
func (m *Module) TempEnv() []string {
	temp := m.trialDir("tmp")
	return []string{"TMPDIR=" + temp, "TMP=" + temp, "TEMP=" + temp}
}

// trialDir returns a directory for processes that run code of the module. Names are short, since
// names of Unix sockets must be.
func (m *Module) trialDir(name string) string { return filepath.Join(m.Temp, name+m.trial) }

// Second returns the same copy with other directories for what code under trial writes, so that two
// commands can run it at the same time.
func (m *Module) Second() (*Module, error) {
	other := *m
	other.trial += "2"
	return &other, other.ClearTrial()
}

// Copy returns another copy of the module as it is now, where its code can run while files are written to m.
// It is in m's Temp; Close removes it before m.
func (m *Module) Copy(ctx context.Context) (*Module, error) {
	other := *m
	other.lock, other.originals = nil, map[string][]byte{}
	var err error
	if other.Temp, err = tempfile.Directory(m.Temp, "copy", ""); err != nil {
		return nil, err
	}
	other.root = filepath.Join(other.Temp, "copy")
	rel, err := filepath.Rel(m.root, m.Dir)
	if err != nil {
		return nil, err
	}
	other.Dir = filepath.Join(other.root, rel)
	other.overlays = overlaysIn(other.Temp)
	files, err := allFiles(m.root)
	if err == nil {
		err = copyFiles(ctx, other.root, m.root, files)
	}
	if err = errors.Join(err, other.ClearTrial()); err != nil {
		return nil, errors.Join(err, other.Close())
	}
	return &other, nil
}

// prepareTrial makes the directories for processes that run code of the module, and finds the
// settings of the go command and of git that depend on the home directory.
func (m *Module) prepareTrial(ctx context.Context) error {
	for _, name := range []string{"home", "tmp"} {
		if err := os.MkdirAll(m.trialDir(name), 0o700); err != nil {
			return err
		}
	}
	cmd := m.command(ctx, nil, "env", []string{"-json", "GOCACHE", "GOENV", "GOMODCACHE", "GOPATH"})
	out, err := cmd.Output()
	if err != nil {
		return err
	}
	values := map[string]string{}
	if err := json.Unmarshal(out, &values); err != nil {
		return err
	}
	for name, value := range values {
		m.goEnv = append(m.goEnv, name+"="+value)
	}
	slices.Sort(m.goEnv)
	if home, err := os.UserHomeDir(); err == nil && os.Getenv("GIT_CONFIG_GLOBAL") == "" {
		if name := filepath.Join(home, ".gitconfig"); isFile(name) { // tests that commit need a name
			m.goEnv = append(m.goEnv, "GIT_CONFIG_GLOBAL="+name)
		}
	}
	return nil
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// ClearTrial removes the files that processes with code of the module have left.
func (m *Module) ClearTrial() error {
	var errs []error
	for _, name := range []string{"home", "tmp"} {
		dir := m.trialDir(name)
		errs = append(errs, removeAll(dir), os.MkdirAll(dir, 0o700))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("remove temporary files of the code under trial: %w", err)
	}
	return nil
}

// removeAll removes a directory, if necessary after making directories in it writable.
func removeAll(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			err = os.Chmod(name, 0o700)
		}
		return err
	})
	return os.RemoveAll(dir)
}
