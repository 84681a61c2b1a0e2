package workbench

import (
	"archive/zip"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/hostile"
	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/server/access"
)

// A sparse is a file in which blocks of zeros take no space.
type sparse struct{ *os.File }

func (s sparse) Write(p []byte) (int, error) {
	for _, b := range p {
		if b != 0 {
			return s.File.Write(p)
		}
	}
	_, err := s.Seek(int64(len(p)), io.SeekCurrent)
	return len(p), err
}

// zeros reads as zeros.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// largeRecording writes a recording of size bytes: a real one, whose execution trace is that long and
// cannot be read.
func largeRecording(t *testing.T, file string, size int64) {
	t.Helper()
	from, err := zip.OpenReader(recordingFile)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = from.Close() }() // was only read
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(sparse{f})
	for _, part := range from.File {
		if part.Name == "trace.out" {
			continue
		}
		if err := w.Copy(part); err != nil {
			t.Fatal(err)
		}
	}
	long, err := w.CreateHeader(&zip.FileHeader{Name: "trace.out", Method: zip.Store})
	if err == nil {
		_, err = io.CopyN(long, zeros{}, size)
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestLargeRecording reads of a recording of 2 GB only what a view needs, and explains a part that cannot
// be shown.
func TestLargeRecording(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "large.whet")
	largeRecording(t, file, 2<<30)
	if fi, err := os.Stat(file); err != nil || fi.Size() < 2<<30 {
		t.Fatal(fi, err)
	}
	s, _ := serveDir(t, dir, access.Options{})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if f := get[File](t, s, "/api/v1/file?file=large.whet"); f.Meta == nil || !f.Trace || f.File.Bytes < 2<<30 {
		t.Errorf("%+v", f)
	}
	if o := get[Overview](t, s, "/api/v1/overview?file=large.whet"); len(o.Lines) == 0 {
		t.Errorf("no lines: %+v", o)
	}
	if w := ask(s, http.MethodGet, "/api/v1/flame?file=large.whet&format=packed", ""); w.Code != http.StatusOK {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	w := ask(s, http.MethodGet, "/api/v1/timeline/trace?file=large.whet", "")
	if w.Code < 400 || !strings.Contains(w.Body.String(), "large.whet") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 256<<20 {
		t.Errorf("%d MB were allocated for views of small parts", used>>20)
	}
}

// TestManyLabels bounds the answers about a profile with a million labels, and says so.
func TestManyLabels(t *testing.T) {
	n := 1_000_000
	if testing.Short() {
		n = 10_000
	}
	dir := t.TempDir()
	for name, data := range map[string][]byte{
		"keys.pb.gz":  hostile.Gzip(hostile.LabelKeys(n)),
		"values.whet": hostile.Recording(hostile.Gzip(hostile.Labels(n))),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, _ := serveDir(t, dir, access.Options{})
	keys := get[documents.Tags](t, s, "/api/v1/tags?file=keys.pb.gz&n=5")
	if len(keys.Keys) != 100 || len(keys.Warnings) != 1 || !strings.Contains(keys.Warnings[0].Text, "labels") {
		t.Errorf("%d keys, %v", len(keys.Keys), keys.Warnings)
	}
	values := get[documents.Tags](t, s, "/api/v1/tags?file=values.whet&n=5")
	if len(values.Keys) != 1 || len(values.Keys[0].Values) > 5 {
		t.Errorf("%+v", values)
	}
	const most = 8 << 20
	for _, target := range []string{
		"flame?file=values.whet&format=packed", "flame?file=values.whet&format=packed&tagroot=request",
		"top?file=values.whet&n=20000&tagroot=request", "overview?file=values.whet", "flame?file=keys.pb.gz&format=packed",
	} {
		w := ask(s, http.MethodGet, "/api/v1/"+target, "")
		if w.Code != http.StatusOK || w.Body.Len() > most {
			t.Errorf("%s: %d, %d bytes", target, w.Code, w.Body.Len())
		}
	}
}
