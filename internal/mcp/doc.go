// Package mcp serves whet to assistants, by the Model Context Protocol: tools that record a service, find its
// expensive lines, and prove changes.
//
// Data flow:
//
//  1. [New] opens the roots, the directories that a server may read and run code of. [Server.Run]
//     serves one client on standard input and output, [Server.Serve] any number of them over HTTP,
//     with a token.
//  2. A tool checks its arguments (package guard), calls the engines as the command line does, and reduces
//     their document to a result that fits into the context of a model (package fit). The whole document
//     becomes a resource of the session (documents.go).
//  3. A patch is judged by package prove, in a copy of the module. Measurements share the CPUs, so
//     they wait for each other (queue.go). A proof goes on when its call returns before it has ended;
//     it ends with the session, or when it is canceled (job.go).
//  4. Candidates that failed are remembered for the session, and shown with the lines that they
//     change.
//
// A Server owns all that it starts, and stops it when it is closed. Clients are not trusted: the
// package limits what they can name, and how much they can send and receive. The code of a patch runs
// with the user's privileges, unless Options.Sandbox is set.
//
// The package does not measure or judge, and prints nothing.
package mcp
