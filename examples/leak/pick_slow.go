//go:build !fast

package main

import "github.com/whet-go/whet/examples/leak/slow"

// The storage of events in this build.
type history = slow.History

const maxLast = slow.MaxLast
