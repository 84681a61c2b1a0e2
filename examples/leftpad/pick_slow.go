//go:build !fast

package main

import (
	"io"
	"log"

	"github.com/whet-go/whet/examples/leftpad/slow"
)

// The service is the slow one, unless it is built with -tags fast.
type (
	Server = slow.Server
	StatsD = slow.StatsD
)

func newLog(w io.Writer) (l *log.Logger, closeLog func() error) { return slow.NewLog(w) }

func leftpad(text string, width int, fill rune) string { return slow.Leftpad(text, width, fill) }
