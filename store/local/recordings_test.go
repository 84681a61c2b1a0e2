package local

import (
	"bytes"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/store/parts"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/storetest"
)

// addRecordings stores recordings of a size, an hour apart, with content that does not compress.
func addRecordings(t *testing.T, s *Store, n, size int) (ids []store.ID, contents [][]byte) {
	t.Helper()
	for i := range n {
		content := make([]byte, size)
		if _, err := rand.Read(content); err != nil {
			t.Fatal(err)
		}
		id, err := s.WriteRecording(t.Context(), "", store.Recording{
			Service: "shop", Start: storetest.Epoch().Add(time.Duration(i) * time.Hour), About: fmt.Sprint(i),
		}, content)
		if err != nil {
			t.Fatal(err)
		}
		ids, contents = append(ids, id), append(contents, content)
	}
	return ids, contents
}

func change(t *testing.T, dir, text string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, databaseName))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(text); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestOlderFormat reads a store without the tables of recordings, and adds them when it is written.
func TestOlderFormat(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, dir, Options{})
	storetest.Write(t, s, "", storetest.Generated("shop", 1, nil))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	change(t, dir, "DROP TABLE recording; DROP TABLE part; PRAGMA user_version=1")
	r := openTest(t, dir, Options{ReadOnly: true})
	storetest.Clean(t, r, 1)
	if list, err := r.Recordings(t.Context(), store.Query{}, 0); err != nil || len(list) > 0 {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := r.ReadRecording(t.Context(), "", store.ID{}, nil, io.Discard); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("reading a recording: %v", err)
	}
	if u, err := r.Stats(t.Context()); err != nil || u.Format != 1 || u.Recordings != 0 {
		t.Errorf("%+v, %v", u, err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		s = openTest(t, dir, Options{})
		addRecordings(t, s, 1, 10)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	r = openTest(t, dir, Options{ReadOnly: true})
	if u, err := r.Stats(t.Context()); err != nil || u.Format != Format || u.Recordings != 2 {
		t.Errorf("%+v, %v", u, err)
	}
	storetest.Clean(t, r, 1)
}

// TestRecordingBackup finds a part that has changed, and restores recordings from a backup.
func TestRecordingBackup(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, filepath.Join(dir, "store"), Options{})
	ids, contents := addRecordings(t, s, 2, 3*parts.Size/2)
	file := filepath.Join(dir, "backup")
	if _, err := s.Backup(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"UPDATE part SET data=zeroblob(length(data)) WHERE number=1": "its content is not what was stored",
		"DELETE FROM part WHERE number=1":                            "part 2 is missing",
		"UPDATE part SET data=zeroblob(3000000) WHERE number=0":      "part 1 has 3000000 bytes",
	} {
		other := filepath.Join(dir, fmt.Sprint(len(text)))
		if _, err := Restore(t.Context(), file, other, nil); err != nil {
			t.Fatal(err)
		}
		change(t, other, text)
		r := openTest(t, other, Options{ReadOnly: true})
		report, err := r.Check(t.Context(), nil)
		if err != nil || len(report.Damage) != 2 || !strings.Contains(report.Damage[0].Text, want) || report.Recordings != 2 {
			t.Errorf("%s: %+v, %v", text, report, err)
		}
		if _, err := r.ReadRecording(t.Context(), "", ids[0], nil, io.Discard); !errors.Is(err, parts.ErrDamaged) {
			t.Errorf("%s: %v", text, err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := Restore(t.Context(), filepath.Join(other, databaseName), other+"-again", nil); err == nil {
			t.Errorf("%s: a damaged recording is restored", text)
		}
	}
	if _, err := Restore(t.Context(), file, filepath.Join(dir, "good"), nil); err != nil {
		t.Fatal(err)
	}
	r := openTest(t, filepath.Join(dir, "good"), Options{ReadOnly: true})
	for i, id := range ids {
		var b bytes.Buffer
		if _, err := r.ReadRecording(t.Context(), "", id, nil, &b); err != nil || !bytes.Equal(b.Bytes(), contents[i]) {
			t.Errorf("recording %d: %d bytes, %v", i, b.Len(), err)
		}
	}
}

// TestSizeWithRecordings limits the size of a store that has both: the oldest go first, whichever they are.
func TestSizeWithRecordings(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, dir, Options{})
	addRecordings(t, s, 6, parts.Size)
	for n := range 20 { // minutes after the first recording
		storetest.Write(t, s, "", storetest.Generated("shop", 1+n, nil))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	const size = 5 << 20
	s = openTest(t, dir, Options{Retention: store.Retention{Size: size}})
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	u, err := s.Stats(t.Context())
	if err != nil || u.Bytes > size || u.Recordings != 4 || len(u.Services) > 0 {
		t.Errorf("%+v, %v: want the four newest recordings, which are newer than all profiles", u, err)
	}
	fi, err := os.Stat(filepath.Join(dir, databaseName))
	if err != nil || fi.Size() > size+1<<20 {
		t.Errorf("the file has %d bytes, %v", fi.Size(), err)
	}
}
