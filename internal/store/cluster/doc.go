// Package cluster reads and writes the tables of the shards of a ClickHouse cluster themselves. Through a Distributed
// table, a query takes three times as much CPU time, and an insert is decoded and sent twice.
//
// Data flow:
//
//  1. [Connect] prepares connections, and [Query] runs a query on one. [Code], [Broken] and [Temporary] say what an
//     error is.
//  2. [New] connects to each host of an address. [Topology.Current] asks them which shard each is, again after some
//     seconds, and returns a [Source]. It has shards if there is a host of each, and all of them answer.
//  3. [Source.Query] and [Source.Each] go to all shards at once. [Source.Of] leaves out those that have nothing of a
//     service; they still have to answer, see [Source.Alive].
//  4. [Topology.Places] returns the shards that Distributed tables give services to, for inserts.
//
// A Topology is safe for concurrent use; a Source is a value of one query. The package knows the names of tables, but
// no other columns than tenant and service.
package cluster
