//go:build fast

package main

import "github.com/whet-go/whet/examples/spin/fast"

// The pool that runs the jobs of this build.
type pool = fast.Pool

func newPool(workers int) *pool { return fast.NewPool(workers) }
