package workbench

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// assets are the files of the pages.
type assets struct {
	files map[string]asset // by path, with a slash at its begin
}

type asset struct {
	kind         string
	plain, gzip  []byte
	tag          string
	neverChanges bool // its name has the hash of its content
}

// newAssets reads the files of the pages, and compresses them.
func newAssets(fsys fs.FS) (*assets, error) {
	a := &assets{files: map[string]asset{}}
	err := fs.WalkDir(fsys, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		kind := mime.TypeByExtension(path.Ext(name))
		if kind == "" {
			kind = "application/octet-stream"
		}
		sum := sha256.Sum256(data)
		f := asset{
			kind: kind, plain: data, tag: `"` + hex.EncodeToString(sum[:8]) + `"`,
			neverChanges: strings.HasPrefix(name, "assets/"),
		}
		var z bytes.Buffer
		zw := gzip.NewWriter(&z)
		if _, err := zw.Write(data); err != nil {
			return err
		}
		if err := zw.Close(); err != nil {
			return err
		}
		if z.Len() < len(data) {
			f.gzip = z.Bytes()
		}
		a.files["/"+name] = f
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the pages: %w", err)
	}
	if _, ok := a.files["/index.html"]; !ok {
		return nil, errors.New("read the pages: there is no index.html")
	}
	return a, nil
}

// isDocument reports whether a view has the styles and keys of a saved page, and so a separate
// document. ui/src/state/route.ts lists the same views.
func isDocument(path string) bool {
	switch path {
	case "/timeline", "/load", "/bench":
		return true
	}
	return false
}

// ServeHTTP implements http.Handler. Paths of views are those of index.html, which shows them.
func (a *assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "unsupported method", http.StatusMethodNotAllowed)
		return
	}
	f, ok := a.files[r.URL.Path]
	if !ok {
		if path.Ext(r.URL.Path) != "" {
			http.NotFound(w, r)
			return
		}
		f = a.files["/index.html"]
		if d, ok := a.files["/document.html"]; ok && isDocument(r.URL.Path) {
			f = d
		}
	}
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("ETag", f.tag)
	h.Set("Vary", "Accept-Encoding")
	h.Set("Cache-Control", "no-cache")
	if f.neverChanges {
		h.Set("Cache-Control", "max-age=31536000, immutable")
	}
	if r.Header.Get("If-None-Match") == f.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	data := f.plain
	if f.gzip != nil && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		data = f.gzip
	}
	h.Set("Content-Length", strconv.Itoa(len(data)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(data) // the client may be gone
	}
}
