// Package handlers queries the pprof handlers of a running server over HTTP, and the whet agent
// among them.
//
// Data flow:
//
//  1. [New] prepares a [Client] for an address, with credentials; [Client.Discover] finds the
//     directory of the handlers below it. [Open] does both, [Find] tries several addresses.
//  2. [Client.Snapshot], [Client.CPUProfile], [Client.Trace] and [Client.Flight] fetch profiles and
//     traces. An [Answer] is kept in a temporary file, checked only at its beginning. CPUProfile
//     and Trace can end early: they half-close the connection, net/http's server then ends the
//     handler, which sends what it has.
//  3. [Client.Allocated], [Client.CPU], [Client.MemStats] and [Client.State] return what the
//     target's runtime and its agent count; [Client.Slow] waits for slow requests.
//
// Every answer is limited in size, and [Client.Limit] bounds all of them together. Errors name the
// handler's address without credentials and carry a hint: the flag or the line of code that helps.
// Credentials are sent to the target's host only; redirects to another one are refused.
//
// A Client is safe for concurrent use once its handlers are found. The package decodes no profiles
// and records nothing: see package collect.
package handlers
