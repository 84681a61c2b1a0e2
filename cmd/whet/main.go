// Command whet loads a Go service, records it, and names the lines of your own
// code that cost.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/whet-go/whet/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := cli.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
