package configs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestFind reads the configurations that CI files name, and nothing else.
func TestFind(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, files, want string }{
		{"none", "-- README.md --\nGOOS=windows\n", ""},
		{"machines", `
-- .github/workflows/test.yml --
jobs:
  test:
    strategy:
      matrix:
        os: [ubuntu-latest, macos-latest, windows-2022]
        go: ['1.25', '1.26']
    runs-on: ${{ matrix.os }}
`, "darwin/amd64 windows/amd64"},
		{"a matrix of ports", `
-- .github/workflows/build.yaml --
jobs:
  build:
    runs-on: ubuntu-latest
    strategy:
      matrix:
        goos: [linux, windows]
        goarch: ["386", amd64, arm64]
        exclude:
          - goos: windows
            goarch: arm64
        include:
          - goos: js
            goarch: wasm
    steps:
      - run: GOOS=${{ matrix.goos }} GOARCH=${{ matrix.goarch }} go build ./...
`, "linux/386 linux/arm64 windows/386 windows/amd64 windows/arm64 js/wasm"},
		{"commands and tags", `
-- .github/workflows/test.yml --
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with:
          tags: true tags
      - run: |
          go vet ./...
          go test -race -tags "purego,nounsafe" ./...
          GOARCH=arm go build ./...
-- Makefile --
cross:
	GOOS=plan9 GOARCH=amd64 \
		go build -tags=small ./...
	GOOS=$(OS) go build
`, "linux/amd64+purego,nounsafe linux/arm plan9/amd64+small"},
		{"goreleaser", `
-- .goreleaser.yml --
builds:
  - goos:
      - linux
      - darwin
    goarch:
      - amd64
      - arm64
    ignore:
      - goos: darwin
        goarch: "386"
`, "linux/arm64 darwin/amd64 darwin/arm64"},
		{"damaged", "-- .github/workflows/test.yml --\na: [\n\tb: }\n", ""},
	} {
		root := t.TempDir()
		for _, f := range txtar.Parse([]byte(test.files)).Files {
			name := filepath.Join(root, f.Name)
			if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, f.Data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		for _, c := range Find(root, root, Config{OS: "linux", Arch: "amd64"}) {
			if c.From == "" {
				t.Errorf("%s: %v comes from no file", test.name, c)
			}
			got = append(got, c.String())
		}
		slices.Sort(got)
		want := strings.Fields(test.want)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", test.name, got, want)
		}
	}
}

// TestParse reads what String returns, and nothing that Go has no port for.
func TestParse(t *testing.T) {
	t.Parallel()
	const list = "linux/arm64 windows/amd64+a,b"
	all, err := Parse(list)
	if err != nil || len(all) != 2 || all[0].String()+" "+all[1].String() != list {
		t.Error(all, err)
	}
	for _, bad := range []string{"linux", "linux/vax", "amd64/linux", "linux/amd64+"} {
		if _, err := Parse(bad); err == nil || !strings.Contains(err.Error(), "go tool dist list") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// FuzzFind reads any file without a panic.
func FuzzFind(f *testing.F) {
	f.Add("jobs: {a: {goos: [linux], tags: b}}\nx: &y [*y]\n")
	f.Add("a: GOOS=linux go build -tags x,y\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range slices.Concat(ofYAML([]byte(text)), ofCommands([]byte(text))) {
			if c.Tags != "" && !isTags(c.Tags) {
				t.Errorf("%+v", c)
			}
		}
	})
}
