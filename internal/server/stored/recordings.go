package stored

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/store/documents"
	"github.com/whet-go/whet/internal/store/remote"
	"github.com/whet-go/whet/store"
)

// RecordingRoot is the directory of stored recordings in the names of files, which views read:
// stored/ID.whet.
const RecordingRoot = "stored"

// MaxFetched is how many stored recordings are kept as files for views.
const MaxFetched = 16

// maxRecordings is how many recordings a list has at most.
const maxRecordings = 10_000

// errNoRecordings is the error of a server whose store has none.
var errNoRecordings = fmt.Errorf("this server keeps no recordings: %w", fs.ErrNotExist)

func (s *API) recordings(w http.ResponseWriter, r *http.Request) error {
	if s.Recordings == nil {
		return errNoRecordings
	}
	q, v, err := s.query(r)
	if err != nil {
		return err
	}
	n, err := number(v, 100, maxRecordings)
	if err != nil {
		return err
	}
	list, err := s.Recordings.Recordings(r.Context(), q, cmp.Or(n, maxRecordings))
	if err != nil {
		return err
	}
	doc := documents.NewRecordings(list)
	doc.Partial, doc.Warnings = partial(r.Context())
	return answer(w, doc)
}

// recording answers with a file. If it turns out to be damaged after the answer has begun, the connection is
// closed, so that the client does not take a part for all of it.
func (s *API) recording(w http.ResponseWriter, r *http.Request) error {
	if s.Recordings == nil {
		return errNoRecordings
	}
	id, err := store.ParseID(r.URL.Query().Get("id"))
	if err != nil {
		return &diag.Error{Op: "id", Err: err, Kind: diag.Usage, Hint: s.Base + "/store/recordings lists them"}
	}
	begun := false
	_, err = s.Recordings.ReadRecording(r.Context(), s.tenant(r), id, func(rec store.Recording) {
		data, err := json.Marshal(rec)
		if err != nil {
			data = []byte("{}") // not possible: all values are text or numbers
		}
		h := w.Header()
		h.Set(remote.MetaHeader, strconv.QuoteToASCII(string(data)))
		h.Set("Content-Type", "application/octet-stream")
		h.Set("Content-Length", strconv.FormatInt(rec.Size, 10))
		h.Set("Content-Disposition", `attachment; filename="`+id.String()+`.whet"`)
		begun = true
	}, w)
	if err != nil && begun {
		panic(http.ErrAbortHandler)
	}
	return err
}

// Fetch returns what writes a stored recording by the base name of its file, for files.Set.AddFetched.
func Fetch(ctx context.Context, from store.RecordingStore) func(name string, w io.Writer) error {
	return func(name string, w io.Writer) error {
		id, err := store.ParseID(strings.TrimSuffix(name, ".whet"))
		if err != nil {
			return &diag.Error{Op: "file", Err: err, Kind: diag.Usage, Hint: "the page of the store lists recordings"}
		}
		ctx, cancel := context.WithTimeout(ctx, fetchTime)
		defer cancel()
		_, err = from.ReadRecording(ctx, "", id, nil, w)
		return err
	}
}

// fetchTime bounds reading a recording for views.
const fetchTime = time.Minute
