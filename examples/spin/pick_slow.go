//go:build !fast

package main

import "github.com/whet-go/whet/examples/spin/slow"

// What this build has its jobs run by.
type pool = slow.Pool

func newPool(workers int) *pool { return slow.NewPool(workers) }
