//go:build !fast

package main

import (
	"net/http"

	"github.com/whet-go/whet/examples/hash/slow"
)

// The service is the slow one, unless it is built with -tags fast.

func handler() http.Handler { return slow.Handler() }

func answer(body []byte) ([]byte, error) { return slow.Answer(body) }

func sum(a, b string) string { return slow.Sum(a, b) }
