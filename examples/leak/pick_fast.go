//go:build fast

package main

import "github.com/whet-go/whet/examples/leak/fast"

// The storage of events in this build.
type history = fast.History

const maxLast = fast.MaxLast
