//go:build !fast

package main

import (
	"io"
	"net/http"

	"github.com/whet-go/whet/examples/tags/slow"
)

// The service is the slow one, unless it is built with -tags fast.

func newMetrics(conn io.Writer) *slow.Metrics { return slow.NewMetrics(conn) }

func handler(m *slow.Metrics) http.Handler { return slow.Handler(m) }

func clean(value string) string { return slow.Clean(value) }
