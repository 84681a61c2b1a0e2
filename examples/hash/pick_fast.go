//go:build fast

package main

import (
	"net/http"

	"github.com/whet-go/whet/examples/hash/fast"
)

// With -tags fast, the service is the fast one.

func handler() http.Handler { return fast.Handler() }

func answer(body []byte) ([]byte, error) { return fast.Answer(body) }

func sum(a, b string) string { return fast.Sum(a, b) }
