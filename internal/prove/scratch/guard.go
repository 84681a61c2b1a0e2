package scratch

import (
	"cmp"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/whet-go/whet/internal/procfs"
	"github.com/whet-go/whet/internal/procgroup"
	"github.com/whet-go/whet/unit"
)

// Limits of what a command that runs code of the module may use.
const (
	// maxDisk is the number of bytes that it may write to the copy, or half of what is free if that is less.
	maxDisk = 8 << 30
	// maxProcesses is the number of processes in its group, unless Options.Processes is set.
	maxProcesses = 500
)

// How often the limits are checked: rarely while a process is measured, because that takes time.
const (
	guardInterval   = 250 * time.Millisecond
	measureInterval = time.Second
)

// A guard ends a command that fills the disk, or starts processes without end.
type guard struct {
	dir       string // of the copy
	disk      int64
	processes int
	free      int64 // at the beginning
}

func (m *Module) newGuard() *guard {
	g := &guard{
		dir: m.Temp, disk: maxDisk, processes: cmp.Or(m.options.Processes, maxProcesses), free: freeSpace(m.Temp),
	}
	if g.free > 0 {
		g.disk = min(g.disk, g.free/2)
	}
	return g
}

// run runs a command. killed is why it was killed; "" if it was not.
func (g *guard) run(cmd *exec.Cmd) (killed string, err error) {
	if err := cmd.Start(); err != nil {
		return "", err
	}
	done, why := make(chan struct{}), make(chan string, 1)
	go func() { why <- g.watch(cmd.Process.Pid, done, guardInterval) }()
	err = cmd.Wait()
	close(done)
	return <-why, err
}

// Watch checks a process that leads a group and is measured, until ended is closed. It kills the group if that fills
// the disk or starts processes without end, and returns why; "" if it did not.
func (m *Module) Watch(pid int, ended <-chan struct{}) (killed string) {
	return m.newGuard().watch(pid, ended, measureInterval)
}

// watch checks the group that a process leads until done is closed. It returns why it was killed; "" if it was not.
func (g *guard) watch(pid int, done <-chan struct{}, interval time.Duration) (why string) {
	ticks := time.NewTicker(interval)
	defer ticks.Stop()
	for {
		select {
		case <-done:
			return ""
		case <-ticks.C:
		}
		if why = g.exceeded(pid); why != "" {
			procgroup.Signal(pid, procgroup.Kill)
			return why
		}
	}
}

// exceeded returns which limit the group of a process exceeds; "" for none.
func (g *guard) exceeded(pid int) string {
	// Other programs use space, too: only if much of it is gone, the files are counted.
	if free := freeSpace(g.dir); free > 0 && g.free-free > g.disk && sizeOf(g.dir) > g.disk {
		return fmt.Sprintf("it wrote more than %v to the disk", unit.Bytes(g.disk))
	}
	if n := groupSize(pid); n > g.processes {
		return fmt.Sprintf("%d of its processes ran at once", n)
	}
	return ""
}

// sizeOf returns the size of the files in a directory.
func sizeOf(dir string) (size int64) {
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return nil //nolint:nilerr // what cannot be read is not counted
		}
		if info, err := entry.Info(); err == nil {
			size += info.Size()
		}
		return nil
	})
	return size
}

// groupSize returns the number of processes in the group that a process leads; 0 if that is unknown.
func groupSize(leader int) (n int) {
	for _, pid := range procfs.PIDs() {
		if stat, err := procfs.ReadStat(pid); err == nil && stat.Group == leader {
			n++
		}
	}
	return n
}
