// Command servers shows what whet says about popular servers of other authors, as anyone installs them:
// each is recorded under load for nine seconds, and the results go to docs/measured/servers.md.
// `make servers` runs it, from the module's root, with whet built.
//
//  1. The servers, their versions, configuration and load are fixed (servers.go). The module is
//     downloaded from the module proxy and copied into a new repository below -work, where its command
//     is built. Nothing of others is part of this repository: only names, versions, addresses and
//     configuration in our own words.
//  2. whet starts the server on loopback, loads and records it (run.go).
//  3. `whet find --dependencies` names what costs, and proposes changes in the module and in copies of
//     its dependencies. `whet fix --dependencies` tries them within -time.
//  4. Results go to docs/measured/servers/results.json after each server, and the page is rendered from
//     them (results.go, page.go). A test renders it again and compares, so every figure on it was
//     measured. What a reader saw at the first look is a sentence for each server in servers.go.
//
// A server with results for its version is not measured again unless it is named or -again is set.
// whet runs as a program, as for its users; child processes end with this one. Only this command
// downloads modules, tests never do.
package main
