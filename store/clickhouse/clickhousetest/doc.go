// Package clickhousetest starts ClickHouse servers for tests, from the Python package chdb, which
// contains the whole server.
//
//  1. [Start] finds the server in the user's cache, or downloads it with pip: 180 MB, only if the
//     environment variable CI or [DownloadVariable] is set. Without a server the error is an
//     [Unavailable], and tests skip.
//  2. Each shard is a process on loopback with free ports and a separate directory. Several form a
//     cluster, with ZooKeeper if [Options] say so and it is installed.
//  3. [Servers.Stop] ends them; [Servers.Kill] and [Servers.Run] end and start one of them.
//
// The methods are not safe for concurrent use. It is for tests: no data survives Stop.
package clickhousetest
