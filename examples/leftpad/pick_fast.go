//go:build fast

package main

import (
	"io"
	"log"

	"github.com/whet-go/whet/examples/leftpad/fast"
)

// With -tags fast, the service is the fast one.
type (
	Server = fast.Server
	StatsD = fast.StatsD
)

func newLog(w io.Writer) (l *log.Logger, closeLog func() error) { return fast.NewLog(w) }

func leftpad(text string, width int, fill rune) string { return fast.Leftpad(text, width, fill) }
