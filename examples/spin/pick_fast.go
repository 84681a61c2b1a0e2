//go:build fast

package main

import "github.com/whet-go/whet/examples/spin/fast"

// What this build has its jobs run by.
type pool = fast.Pool

func newPool(workers int) *pool { return fast.NewPool(workers) }
