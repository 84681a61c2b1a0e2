package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

const (
	version   = "3.31.0"
	integrity = "sha512-r7zlQdRvcwvIpjHGgs+KNWHeE/P5/Dq7k8ZAKaMCbZqomxCBJV78gVuQYaHzFVca+kB0mX0fMW9UFevCOBG50A=="
	source    = "package/lib/backend.js"
	target    = "internal/graphviz/graphviz.wasm" // from the module's root

	// meterImport is the import that loops call: emscripten_date_now, which has no parameters and a
	// result to drop.
	meterImport = "g"

	maxPackage = 64 << 20 // bytes, packed and unpacked
)

func main() {
	check := flag.Bool("check", false, "compare graphviz.wasm with the package's and write nothing")
	registry := flag.String("registry", "https://registry.npmjs.org", "npm registry")
	flag.Parse()
	if err := run(context.Background(), *registry, *check); err != nil {
		fmt.Fprintln(os.Stderr, "update:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, registry string, check bool) error {
	url := fmt.Sprintf("%s/@viz-js/viz/-/viz-%s.tgz", strings.TrimSuffix(registry, "/"), version)
	pack, err := fetch(ctx, url)
	if err != nil {
		return err
	}
	js, err := fileOf(pack, source)
	if err != nil {
		return err
	}
	module, err := extract(js)
	if err != nil {
		return fmt.Errorf("extract %s: %w", source, err)
	}
	metered, loops, err := meter(module, meterImport)
	if err != nil {
		return fmt.Errorf("meter module: %w", err)
	}
	fmt.Println("imports:", between(js, "var wasmImports={", "}"))
	fmt.Println("exports:", between(js, "function assignWasmExports(wasmExports){", "}"))
	fmt.Printf("%d bytes, %d loops, %d bytes metered\n", len(module), loops, len(metered))

	path := filepath.FromSlash(target)
	if !check {
		return os.WriteFile(path, metered, 0o644)
	}
	have, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if !bytes.Equal(have, metered) {
		return fmt.Errorf("%s is not what @viz-js/viz %s gives", target, version)
	}
	return nil
}

func fetch(ctx context.Context, url string) (_ []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("get %s: %s", url, resp.Status)
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxPackage))
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", url, err)
	}
	sum := sha512.Sum512(b)
	if got := "sha512-" + base64.StdEncoding.EncodeToString(sum[:]); got != integrity {
		return nil, fmt.Errorf("get %s: hash is %s (want %s)", url, got, integrity)
	}
	return b, nil
}

// fileOf returns one file of a gzipped tar archive.
func fileOf(pack []byte, name string) ([]byte, error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(pack))
	if err != nil {
		return nil, err
	}
	archive := tar.NewReader(io.LimitReader(unzipped, maxPackage))
	for {
		header, err := archive.Next()
		if err != nil {
			return nil, fmt.Errorf("find %s in package: %w", name, err)
		}
		if header.Name == name {
			return io.ReadAll(archive)
		}
	}
}

// between returns the text between two marks, or "?".
func between(text []byte, from, to string) string {
	_, rest, _ := bytes.Cut(text, []byte(from))
	found, _, ok := bytes.Cut(rest, []byte(to))
	if !ok {
		return "?"
	}
	return string(found)
}
