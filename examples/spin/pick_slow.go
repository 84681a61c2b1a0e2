//go:build !fast

package main

import "github.com/whet-go/whet/examples/spin/slow"

// The pool that runs the jobs of this build.
type pool = slow.Pool

func newPool(workers int) *pool { return slow.NewPool(workers) }
