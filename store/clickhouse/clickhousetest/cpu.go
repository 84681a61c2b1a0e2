package clickhousetest

import (
	"errors"
	"time"

	"github.com/whet-go/whet/internal/procfs"
)

// CPU returns the CPU time of all shards since each was started last.
func (s *Servers) CPU() (used time.Duration, err error) {
	for _, x := range s.shards {
		one, failed := procfs.CPU(x.cmd.Process.Pid)
		used, err = used+one, errors.Join(err, failed)
	}
	return used, err
}
