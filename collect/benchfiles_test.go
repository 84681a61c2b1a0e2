package collect_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/collect"
)

func TestBenchmarkFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "profiles")
	job := func(pkg, name string) gotest.Job {
		return gotest.Job{Binary: &gotest.Binary{Package: gotest.Package{ImportPath: pkg}}, Name: name}
	}
	jobs := []gotest.Job{
		job("example.com/encode", "BenchmarkXML/size=1 KB"), job("example.com/encode", "Benchmarkxml/size=1:KB"),
		job("example.com/other/encode", "BenchmarkJSON"), job("a/b", "Benchmark"+strings.Repeat("é", 200)),
	}
	files, err := collect.BenchmarkFiles(dir, jobs, false)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"encode.XML_size=1_KB.whet", "encode.xml_size=1_KB-2.whet", "encode.JSON.whet"}
	for i, name := range want {
		if files[i] != filepath.Join(dir, name) {
			t.Errorf("%s, want %s", files[i], name)
		}
	}
	if n := len(filepath.Base(files[3])); n > 255 || n < 100 {
		t.Errorf("a name of %d bytes", n)
	}
	for _, file := range files[1:3] {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := collect.BenchmarkFiles(dir, jobs, false); err == nil ||
		!strings.Contains(err.Error(), "encode.xml_size=1_KB-2.whet: the file exists, and 1 other") {
		t.Errorf("%v, want one that names the existing files", err)
	}
	if again, err := collect.BenchmarkFiles(dir, jobs, true); err != nil || !slices.Equal(again, files) {
		t.Errorf("%q, %v", again, err)
	}
}
