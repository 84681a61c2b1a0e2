package workbench

import (
	"testing"

	"github.com/whet-go/whet/internal/golden"
	"github.com/whet-go/whet/internal/server/openapi"
	"github.com/whet-go/whet/internal/server/problem"
	"github.com/whet-go/whet/internal/server/stored"
)

// TestWireTypes keeps the types of the pages those of Go.
func TestWireTypes(t *testing.T) {
	var ops []openapi.Operation
	for _, r := range (&Server{}).routes() {
		ops = append(ops, r.Operation)
	}
	for _, r := range (&stored.API{}).Routes() {
		ops = append(ops, r.Operation)
	}
	for _, r := range (&Server{}).timelineRoutes() {
		ops = append(ops, r.Operation)
	}
	doc := openapi.Document("whet", "1", apiBase, problem.Problem{}, ops)
	golden.Check(t, "../../../ui/src/api/v1.ts", openapi.TypeScript(doc))
}
