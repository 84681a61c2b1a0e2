package readall

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing/iotest"

	"test/values"
)

// Handle answers.
func Handle(w http.ResponseWriter, r *http.Request) string {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 600)) // want `r.ContentLength is its size`
	return fmt.Sprintf("%q %v %v", body, body == nil, err)
}

func get(resp *http.Response) ([]byte, error) {
	defer resp.Body.Close()
	return io.ReadAll( // want `resp.ContentLength`
		io.LimitReader(resp.Body, 1<<20),
	)
}

func plain(r *http.Request) string {
	body, _ := io.ReadAll((r.Body)) // want `r.ContentLength`
	return string(body)
}

func Try(r *rand.Rand) string {
	body := func() io.ReadCloser {
		text := strings.Repeat(values.String(r), 1+r.IntN(20))
		var in io.Reader = strings.NewReader(text)
		switch r.IntN(4) {
		case 0:
			in = iotest.HalfReader(in)
		case 1:
			in = iotest.DataErrReader(in)
		case 2:
			in = io.MultiReader(in, iotest.ErrReader(errors.New("cut off")))
		}
		return io.NopCloser(in)
	}
	length := func() int64 { return []int64{-1, 0, 1, 511, 512, 600, 1 << 16, 1<<16 + 1, 1 << 40}[r.IntN(9)] }
	got, err := get(&http.Response{Body: body(), ContentLength: length()})
	return fmt.Sprintln(Handle(nil, &http.Request{Body: body(), ContentLength: length()}),
		string(got), err, plain(&http.Request{Body: body(), ContentLength: length()}))
}

func both(_ http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		return
	}
	_, _ = io.ReadAll(r.Body) // want `r.ContentLength`
}
