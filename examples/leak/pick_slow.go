//go:build !fast

package main

import "github.com/whet-go/whet/examples/leak/slow"

// What this build keeps its events in.
type history = slow.History

const maxLast = slow.MaxLast
