package sql

import (
	"context"

	native "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/ext"
)

// Naming returns a context in which a query has the table named, of numbers: the server takes a third of
// the time that it needs for as many literals.
func Naming(ctx context.Context, all []uint64) (context.Context, error) {
	t, err := ext.NewTable("named", ext.Column("id", "UInt64"))
	if err != nil {
		return nil, err
	}
	for _, x := range all {
		if err := t.Append(x); err != nil {
			return nil, err
		}
	}
	return native.Context(ctx, native.WithExternalTable(t)), nil
}
