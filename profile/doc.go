// Package profile is whet's profile engine: it decodes pprof profiles into columns, filters and
// aggregates them, builds call trees and graphs, and merges, subtracts and encodes them.
//
// Data flow:
//
//  1. [Read] inflates and decodes in one streaming pass; inflating and decoding run on two
//     goroutines. Legacy (non-protobuf) formats go through github.com/google/pprof/profile and are
//     then converted.
//  2. A [Profile] is columns: functions, lines and locations as flat tables; stacks as runs of
//     location indices, each packed into as few bytes as the largest index of the stack needs; and
//     one []int64 per sample type.
//  3. [Profile.View] binds a [Query] (sample type, filters, granularity) and compiles it to bitsets
//     and lookup tables over locations. It copies no samples.
//  4. The view's methods ([View.Nodes], [View.Own], [View.Graph], [View.Tree], [View.Stacks], …)
//     each make one pass over the stacks.
//
// Profiles and Views are immutable and safe for concurrent use. They own the slices that they
// return, which must not be modified.
//
// The package does not format anything for people, find source or binaries, or fetch profiles: see
// internal/report, source and collect.
package profile
