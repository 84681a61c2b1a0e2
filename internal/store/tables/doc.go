// Package tables writes the statements that create the tables of a store on ClickHouse: on one server, or on a
// cluster, where a Distributed table is over those of the shards.
//
//  1. A [Schema] says where the tables are. [Schema.Migrations] and [Schema.Versions] return statements, which may
//     be repeated.
//  2. [Schema.Expire] returns those by which the servers delete by themselves what is old.
//  3. [Schema.Stored] and [Schema.On] are for statements of others.
//
// A Schema is immutable. The package sends nothing.
package tables
