package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// documents returns the files of the repository to put into each archive.
func documents() []string {
	return []string{"CHANGELOG.md", "LICENSE", "NOTICE", "README.md", "THIRD_PARTY.md"}
}

// archiveName returns the name of a platform's archive without its extension.
func (r *release) archiveName(p platform) string { return "whet_" + r.version() + "_" + p.String() }

// A member is a file of an archive.
type member struct {
	name, from string
	mode       fs.FileMode
}

// archive writes the programs in dir and the documents to a tar.gz, or a zip for Windows.
func (r *release) archive(p platform, dir string) error {
	base := r.archiveName(p)
	var members []member
	for _, name := range documents() {
		members = append(members, member{path.Join(base, name), filepath.Join(r.tree, name), 0o644})
	}
	for _, name := range programs() {
		members = append(members, member{path.Join(base, p.exe(name)), filepath.Join(dir, p.exe(name)), 0o755})
	}
	ending, write := ".tar.gz", writeTar
	if p.os == "windows" {
		ending, write = ".zip", writeZip
	}
	f, err := os.OpenFile(filepath.Join(r.out, base+ending), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(write(f, members, r.time), f.Close())
}

// writeTar writes members without anything that depends on the machine: owner, group or times.
func writeTar(w io.Writer, members []member, at time.Time) error {
	zw, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	tw := tar.NewWriter(zw)
	for _, m := range members {
		data, err := os.ReadFile(m.from)
		if err != nil {
			return err
		}
		h := &tar.Header{Typeflag: tar.TypeReg, Name: m.name, Mode: int64(m.mode), Size: int64(len(data)), ModTime: at}
		if err := tw.WriteHeader(h); err != nil {
			return err
		}
		if _, err := tw.Write(data); err != nil {
			return err
		}
	}
	return errors.Join(tw.Close(), zw.Close())
}

func writeZip(w io.Writer, members []member, at time.Time) error {
	zw := zip.NewWriter(w)
	for _, m := range members {
		data, err := os.ReadFile(m.from)
		if err != nil {
			return err
		}
		h := &zip.FileHeader{Name: m.name, Method: zip.Deflate, Modified: at}
		h.SetMode(m.mode)
		fw, err := zw.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := fw.Write(data); err != nil {
			return err
		}
	}
	return zw.Close()
}

// checksums returns the SHA-256 of each file in a directory, in hex.
func checksums(dir string) (map[string]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	sums := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(data)
		sums[e.Name()] = hex.EncodeToString(sum[:])
	}
	return sums, nil
}

// writeSums writes SHA256SUMS, which `sha256sum -c` reads.
func (r *release) writeSums() error {
	sums, err := checksums(r.out)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, name := range sorted(sums) {
		fmt.Fprintf(&b, "%s  %s\n", sums[name], name)
	}
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(b.String()), 0o644)
}

// same compares two releases and returns the number of files.
func same(a, b string) (int, error) {
	one, err := checksums(a)
	if err != nil {
		return 0, err
	}
	two, err := checksums(b)
	if err != nil {
		return 0, err
	}
	var different []string
	for _, name := range sorted(one) {
		if one[name] != two[name] {
			different = append(different, name)
		}
	}
	if len(different) > 0 || len(one) != len(two) {
		return 0, fmt.Errorf("not reproducible: %d and %d files, different: %s",
			len(one), len(two), strings.Join(different, ", "))
	}
	return len(one), nil
}
