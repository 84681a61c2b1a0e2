// Package share divides targets among processes that scrape them, by leases in their store.
//
// Data flow:
//
//  1. [Share.Run] takes a lease and renews it three times in its time, until its context ends; then it
//     releases it. Each renewal returns the members of the group whose leases have not ended: the view.
//  2. [Share.Owner] answers whose a target is: the member of the view with the greatest hash of its name
//     and the target (rendezvous hashing). So only the targets of a member that joins or leaves move.
//  3. Options.Changed is called when the answers change, and the scraper then begins and ends scrapes.
//
// # No target has two owners
//
// Members use the same time of a lease, T; that of others may be longer when one joins. A view is from a
// renewal that began at some time t, and is used until t + 0.9 T at most. A member that joins owns
// nothing for 1.2 T after its first renewal has returned: by then all views without it are out of use. If
// no lease of others is remembered, there are no such views, and it begins after T/3, when it has looked
// again. If it cannot renew meanwhile, the time begins anew.
//
// A member leaves the view when the store says that its lease has ended, which is T after the store had
// its last renewal; its own view is out of use before, so it has stopped by itself. Its targets move at
// the next renewal of the others, which they do when its lease ends. Time passes for a process that is
// stopped, too: [Share.Owner] looks at the clock, of which the one that has advanced more counts,
// monotonic or not.
//
// While no process can reach the store (store.ErrDown), none sees a lease end and none begins, so
// a view stays in use, and profiles are buffered. When the store is back, members come back one after
// the other. So a member that could not renew keeps those that it knew in its view for T.
//
// If only this process cannot reach the store, it stops, since others take its targets. Both at once is
// the one case in which two may scrape a target, for less than T: a store that is down so briefly that
// others do not notice, and then cannot be reached by one of them.
//
// The package trusts the store's clock to run evenly. Answers may be older than what was written before
// by T/5, which covers replicas; store/clickhouse bounds how far behind these may be. Members may differ
// for a moment in who the owner is; then the target has none.
//
// A Share is safe for concurrent use. It does not know what targets are, and contacts only the store.
package share
