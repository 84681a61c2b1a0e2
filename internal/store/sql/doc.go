// Package sql gives values to queries of ClickHouse: as literals, which nothing in a value can end, or as a
// table that is sent with the query.
package sql
