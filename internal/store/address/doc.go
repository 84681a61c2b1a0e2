// Package address reads the addresses of stores on ClickHouse.
//
//  1. [Parse] reads clickhouse://user@host:9000/database, checks it, and reads the files that it names.
//  2. The store connects with what an [Address] has. Its String has no secrets.
//
// An Address does not change after Parse. The package does not connect.
package address
