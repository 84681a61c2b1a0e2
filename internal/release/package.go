package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"text/template"
)

//go:embed nfpm.yaml
var nfpmConfig []byte

//go:embed whet.rb.tmpl
var formulaText string

func sorted(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

// debian makes a Debian package of the programs in dir.
func (r *release) debian(ctx context.Context, p platform, dir string) error {
	if _, err := fmt.Fprintln(r.print, "package for Debian,", p.arch); err != nil {
		return err
	}
	config := filepath.Join(dir, "nfpm.yaml")
	if err := os.WriteFile(config, nfpmConfig, 0o600); err != nil {
		return err
	}
	target := filepath.Join(r.out, "whet_"+r.version()+"_"+p.arch+".deb")
	cmd := exec.CommandContext(ctx, r.nfpm, "package", "-f", config, "-p", "deb", "-t", target)
	cmd.Dir = r.tree
	cmd.Env = append(os.Environ(), "VERSION="+r.tag, "ARCH="+p.arch, "PROGRAMS="+dir,
		"SOURCE_DATE_EPOCH="+strconv.FormatInt(r.time.Unix(), 10))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// formula writes the Homebrew formula.
func (r *release) formula(sums map[string]string) error {
	type file struct{ URL, Sum string }
	files := map[string]file{}
	for _, p := range platforms() {
		if p.os == "windows" {
			continue
		}
		name := r.archiveName(p) + ".tar.gz"
		if sums[name] == "" {
			return fmt.Errorf("%s is missing", name)
		}
		files[p.String()] = file{"https://github.com/whet-go/whet/releases/download/" + r.tag + "/" + name, sums[name]}
	}
	t, err := template.New("whet.rb").Option("missingkey=error").Parse(formulaText)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, map[string]any{"Version": r.version(), "Tag": r.tag, "Files": files}); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, "whet.rb"), b.Bytes(), 0o644)
}
