//go:build unix

package index

import (
	"bytes"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/whet-go/whet/trace/index/indextest"
)

// limitFiles limits the size of files to a number of bytes, which has the effect of a full disk; ""
// means no limit.
func limitFiles(bytes string) error {
	if bytes == "" {
		return nil
	}
	n, err := strconv.ParseUint(bytes, 10, 32)
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGXFSZ) // writing fails instead
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &l); err != nil {
		return err
	}
	l.Cur = n
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &l)
}

// TestFull has no space for an index, or for its end.
func TestFull(t *testing.T) {
	t.Parallel()
	data := indextest.Record(t, 4_000)
	name := filepath.Join(t.TempDir(), "whole")
	if _, err := Build(t.Context(), bytes.NewReader(data), name, Options{}); err != nil {
		t.Fatal(err)
	}
	whole, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, limit := range []int64{0, 1 << 10, whole.Size() / 2, whole.Size() - 1} {
		dir := t.TempDir()
		cmd, stdin, stdout := start(t, filepath.Join(dir, "x"), strconv.FormatInt(limit, 10))
		go func() {
			_, _ = stdin.Write(data) // the process may end before it has read everything
			_ = stdin.Close()
		}()
		text, err := io.ReadAll(stdout)
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err == nil || !strings.Contains(string(text), "write trace index") ||
			!strings.Contains(string(text), "file too large") {
			t.Errorf("%d bytes of %d: %v, %s", limit, whole.Size(), err, text)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
			t.Errorf("%d bytes of %d: left behind: %v, %v", limit, whole.Size(), entries, err)
		}
	}
}
