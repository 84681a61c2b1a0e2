package stored

import (
	"cmp"
	"fmt"
	"io/fs"
	"net/http"

	"github.com/whet-go/whet/internal/store/documents"
	"github.com/whet-go/whet/store"
)

// maxResults is how many results a list has at most. Their documents are read, too.
const maxResults = 1000

// errNoResults is the error of a server whose store has none.
var errNoResults = fmt.Errorf("this server keeps no results: %w", fs.ErrNotExist)

func (s *API) results(w http.ResponseWriter, r *http.Request) error {
	if s.Results == nil {
		return errNoResults
	}
	q, v, err := s.query(r)
	if err != nil {
		return err
	}
	n, err := number(v, 20, maxResults)
	if err != nil {
		return err
	}
	list, err := s.Results.Results(r.Context(), store.ResultQuery{
		Tenant: q.Tenant, Kind: q.Kind, Service: v.Get("service"), Revision: v.Get("commit"), From: q.From, To: q.To,
		Limit: cmp.Or(n, maxResults),
	})
	if err != nil {
		return err
	}
	doc := documents.NewResults(list, v.Get("documents") == "true")
	doc.Partial, doc.Warnings = partial(r.Context())
	return answer(w, doc)
}
