package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestArchives(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	from := filepath.Join(dir, "x")
	at := time.Unix(1_700_000_000, 0).UTC()
	members := []member{{"whet_1/whet", from, 0o755}, {"whet_1/LICENSE", from, 0o644}}
	var tars, zips [2]bytes.Buffer
	for i := range 2 {
		// A different time and mode of the file.
		if err := os.WriteFile(from, []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(from, at, at.Add(time.Duration(i)*time.Hour)); err != nil {
			t.Fatal(err)
		}
		if err := writeTar(&tars[i], members, at); err != nil {
			t.Fatal(err)
		}
		if err := writeZip(&zips[i], members, at); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(tars[0].Bytes(), tars[1].Bytes()) || !bytes.Equal(zips[0].Bytes(), zips[1].Bytes()) {
		t.Error("an archive depends on the time of a file")
	}
	zr, err := gzip.NewReader(&tars[0])
	if err != nil {
		t.Fatal(err)
	}
	h, err := tar.NewReader(zr).Next()
	if err != nil || h.Name != "whet_1/whet" || h.Mode != 0o755 || h.Uid != 0 || !h.ModTime.Equal(at) {
		t.Errorf("tar: %+v, %v", h, err)
	}
	z, err := zip.NewReader(bytes.NewReader(zips[0].Bytes()), int64(zips[0].Len()))
	if err != nil || len(z.File) != 2 || z.File[0].Mode() != 0o755 {
		t.Errorf("zip: %v, %v", z, err)
	}
}

func TestFormula(t *testing.T) {
	t.Parallel()
	r := &release{tag: "v1.2.3", out: t.TempDir()}
	sums := map[string]string{}
	if err := r.formula(sums); err == nil {
		t.Error("a formula without archives is no error")
	}
	for i, p := range platforms() {
		sums[r.archiveName(p)+".tar.gz"] = strings.Repeat(string(rune('a'+i)), 64)
	}
	if err := r.formula(sums); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(r.out, "whet.rb"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`version "1.2.3"`, `url "https://github.com/whet-go/whet/releases/download/v1.2.3/whet_1.2.3_darwin_arm64.tar.gz"`,
		`sha256 "` + strings.Repeat("a", 64) + `"`, `sha256 "` + strings.Repeat("d", 64) + `"`, `assert_match "v1.2.3"`,
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

func TestSums(t *testing.T) {
	t.Parallel()
	a, b := t.TempDir(), t.TempDir()
	for _, dir := range []string{a, b} {
		for _, name := range []string{"x", "y"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := (&release{out: dir}).writeSums(); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(filepath.Join(a, "SHA256SUMS"))
	const want = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881  x\n" +
		"a1fce4363854ff888cff4b8e7875d600c2682390412a8cf79b37d0b11148b0fa  y\n"
	if err != nil || string(got) != want {
		t.Errorf("got %q, %v", got, err)
	}
	if n, err := same(a, b); n != 3 || err != nil {
		t.Errorf("equal directories: %d, %v", n, err)
	}
	if err := os.WriteFile(filepath.Join(b, "y"), []byte("z"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := same(a, b); err == nil || !strings.Contains(err.Error(), "different: y") {
		t.Errorf("a different file: %v", err)
	}
	if err := os.Remove(filepath.Join(a, "x")); err != nil {
		t.Fatal(err)
	}
	if _, err := same(a, b); err == nil {
		t.Error("a missing file is no error")
	}
}

func TestTag(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]bool{
		"v0.1.0": true, "v1.2.3-rc.1": true, "0.1.0": false, "v1": false, "v1.2.3; rm": false,
	} {
		if semver.MatchString(tag) != want {
			t.Errorf("%q", tag)
		}
	}
}
