package peers

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/whet-go/whet/load"
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

// startBusy has each of the two processors wanted by a busy loop at low priority, as by a
// compiler in the background, until the benchmark ends.
func startBusy(b *testing.B) {
	b.Helper()
	if _, err := exec.LookPath("nice"); err != nil {
		b.Skip("needs nice")
	}
	for _, cpu := range []string{clientCPU, serverCPU} {
		cmd := exec.Command("nice", "-n", "10", "taskset", "-c", cpu, os.Args[0])
		cmd.Env = append(os.Environ(), beBusy+"=1", "GOMAXPROCS=1")
		stdin, err := cmd.StdinPipe()
		if err != nil {
			b.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() {
			_ = stdin.Close()
			_ = cmd.Wait()
		})
	}
}

// BenchmarkLoadBusy is [BenchmarkLoadPlain] with a busy loop at nice 10 on each processor.
func BenchmarkLoadBusy(b *testing.B) {
	needTwoCPUs(b)
	whet, err := whetBinary()
	if err != nil {
		b.Fatal(err)
	}
	a := loadServer(b)
	startBusy(b)
	gs := append([]generator{whetGenerator(whet, load.IOUring), whetGenerator(whet, load.Epoll)}, peersOf(false)...)
	for _, n := range []int{16, 256} {
		b.Run(fmt.Sprintf("connections=%d", n), func(b *testing.B) { duel(b, gs, a.Plain, n, false) })
	}
}
