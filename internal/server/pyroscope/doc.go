// Package pyroscope answers queries in Pyroscope's API, querier.v1, from a store: Grafana's Pyroscope
// data source works on it.
//
// Data flow:
//
//  1. connect decodes a call (Connect, gRPC or gRPC-Web; protobuf or JSON) into a message of package
//     wire. Options.Allow has found the tenant before.
//  2. [scope] translates: profile types such as memory:alloc_space:bytes:space:bytes become kinds and
//     sample types, the label service_name becomes the service, and times are milliseconds.
//  3. The store merges, and the result becomes a flame graph (flame.go), a series (series.go) or a
//     pprof profile (select.go).
//
// The older API for single flame graphs, /pyroscope/render and /pyroscope/render-diff, is answered from
// the same (render.go), as JSON, and a call graph in the language of Graphviz (dot.go).
//
// # What differs
//
// The names of labels are as the store has them: letters, digits and underscores. The profile type
// memory is both the kind heap and the kind allocs. Formats of the merged profile are FLAMEGRAPH, DOT
// and PPROF; TREE and asynchronous queries are refused as unimplemented, as is preparing a profile
// for PGO, which whet pgo does. Exemplars are part of heatmaps only: a series with them is refused.
//
// # Bounds
//
// A request has at most maxRequest bytes, a flame graph maxNodes nodes, and a series maxMerges
// merges. What would exceed them is an error: a partial answer would be a wrong one.
//
// A Handler is safe for concurrent use. It writes nothing.
package pyroscope
