// Package stored answers queries of profiles over time, for the pages of `whet serve --store` and for
// programs.
//
// Data flow:
//
//  1. [API.Routes] lists the operations below /store: series, labels, profiles, timeline, regressions,
//     targets, and profiles in pprof's format. A request selects with a selector, a kind and a time;
//     the token that it has decides which tenant's profiles it sees.
//  2. The store merges, and package store or store/regressions computes; the answers are those of
//     `whet query --json`.
//  3. [API.Open] and [API.Types] are for all other views: a file named store:KIND{SELECTOR}@FROM/TO is
//     the merged profile.
//  4. With AllowPartial, [API.Allow] marks a request whose queries may lack shards that are down. The
//     answer has them in a header, in its documents, and in the warnings of views.
//
// An API has no state, and may be used by several goroutines. It writes nothing to the store: package
// ingest does.
package stored
