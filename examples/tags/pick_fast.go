//go:build fast

package main

import (
	"io"
	"net/http"

	"github.com/whet-go/whet/examples/tags/fast"
)

// With -tags fast, the service is the fast one.

func newMetrics(conn io.Writer) *fast.Metrics { return fast.NewMetrics(conn) }

func handler(m *fast.Metrics) http.Handler { return fast.Handler(m) }

func clean(value string) string { return fast.Clean(value) }
