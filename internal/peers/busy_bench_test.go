//go:build unix

package peers

import (
	"io"
	"os"
	"os/exec"
	"testing"
)

// beBusy makes this binary a busy loop, until its input ends.
const beBusy = "WHET_PEERS_BUSY"

func busy() {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	for n := 0; ; n++ {
		_ = n
	}
}

// startBusy runs a busy loop at low priority on each of the two CPUs, like a compiler in the
// background, until the benchmark ends.
func startBusy(b *testing.B) {
	b.Helper()
	if _, err := exec.LookPath("nice"); err != nil {
		b.Skip("needs nice")
	}
	for _, cpu := range []string{clientCPU, serverCPU} {
		startSelf(b, beBusy+"=1", "nice", "-n", "10", "taskset", "-c", cpu)
	}
}
