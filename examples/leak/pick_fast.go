//go:build fast

package main

import "github.com/whet-go/whet/examples/leak/fast"

// What this build keeps its events in.
type history = fast.History

const maxLast = fast.MaxLast
