// Package clickhouse is the store on ClickHouse: one server, or a cluster whose shards each have the
// services that a hash assigns to them. Any number of processes read and write it.
//
//	profiles  a row per profile: tenant, service, kind, start, ID, series, what it shares with others
//	          of its kind, and columns of its samples: stack, labels, values
//	series    tenant, service, kind, labels
//	stacks    the frames of a stack
//	frames    mapping, address, functions and lines of a frame
//	results   documents of measurements, by commit
//	versions  the versions of the schema, with the time of the migration
//
// On a cluster each is a Distributed table over one named NAME_shard, which is read and written itself if the
// address names a server of each shard: a Distributed table takes three times as long. Series, stacks and frames are
// identified by a hash of their content within the tenant and service, so that no counter is shared.
// All tables keep the last of equal rows (ReplacingMergeTree): what is stored again is stored once.
// Since a profile is one row, it is there completely or not at all.
//
// Data flow when writing:
//
//  1. [Store.Write] checks limits and computes the IDs of a batch, and hands it to the writer, a
//     goroutine, which joins the batches that wait.
//  2. The rows of each shard are inserted at once: stacks and frames that this process has not stored
//     yet, then new series, then the profiles, so that no profile is seen without its symbols. An
//     insert is repeated after errors of the network, with a token by which the server recognizes it.
//
// Data flow when reading:
//
//  1. If a query has conditions for labels, the series of a tenant are matched here. The server selects
//     profiles and adds the values by stack, each shard its own services. A shard that has nothing of a
//     service still has to answer.
//  2. Stacks that are not known yet are read, and kept in a profile.Dictionary for each service. Those of
//     the first query of a service are read at once with the sums.
//  3. The sums become one profile for each service, and these are merged with profile.Merge.
//
// A shard that does not answer is an error, unless the context is one of store.AllowPartial or
// Options.AllowPartial is set; then each answer without it is reported, as a store.PartialError.
//
// A Store is safe for concurrent use. Memory is bounded by Options.Memory for dictionaries, by the
// limits for what is being written, and by the size of the result for queries. The package starts no
// server; clickhousetest does so for tests.
package clickhouse
