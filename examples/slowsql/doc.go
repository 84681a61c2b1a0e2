// Package slowsql is a driver of database/sql for examples: tables in memory that answer as late as a
// database across a network.
//
// It registers itself as "slowsql". The name of a database is a string of [Tables] and the time that
// each statement takes, as [Open] makes it. Three forms of statements are known, with columns by name
// and parameters written ?:
//
//	SELECT a, b FROM t [WHERE c = ?] [LIMIT 10]
//	INSERT INTO t (a, b) VALUES (?, ?)
//	UPDATE t SET a = ? WHERE b = ?
package slowsql
