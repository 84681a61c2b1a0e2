// Package jobs runs work that takes longer than a request, and reports its progress to any number of
// readers.
//
// Data flow:
//
//  1. [Manager.Start] runs a function on a goroutine. What it reports becomes numbered events.
//  2. [Manager.Follow] returns the events after a number and then each new one, so that a reader whose
//     connection broke continues where it was.
//  3. [Manager.Cancel] ends the context of a job, which then ends early with what it has. A job that
//     did not finish can be started again by [Manager.Resume], with the same request.
//
// A Manager is safe for concurrent use. It keeps the last jobs in memory, and nothing on disk. The
// package does not know what jobs do.
package jobs
