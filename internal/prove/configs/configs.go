package configs

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A Config is a build configuration.
type Config struct {
	OS, Arch string // GOOS and GOARCH
	Tags     string // with commas between them; "" for none
	From     string // file that names it, relative to the root; "" if the user does
}

// String returns the configuration as Parse reads it.
func (c Config) String() string {
	text := c.OS + "/" + c.Arch
	if c.Tags != "" {
		text += "+" + c.Tags
	}
	return text
}

// Parse reads configurations with spaces between them: goos/goarch, or goos/goarch+tag,tag.
func Parse(list string) ([]Config, error) {
	var all []Config
	for _, text := range strings.Fields(list) {
		platform, tags, _ := strings.Cut(text, "+")
		system, arch, ok := strings.Cut(platform, "/")
		if !ok || !known(system, arch) || strings.HasSuffix(text, "+") {
			return nil, fmt.Errorf("%q is not a build configuration (want goos/goarch or goos/goarch+tag,tag, such as "+
				"windows/amd64; `go tool dist list` lists them)", text)
		}
		all = append(all, Config{OS: system, Arch: arch, Tags: tags})
	}
	return all, nil
}

// most is the number of configurations that Find returns.
const most = 12

// Find returns the configurations that the CI of a repository names, for a module in a directory of it, without
// the one that is used anyway. Both are directories, and here is used where a file names only an operating system or
// tags.
func Find(root, module string, here Config) []Config {
	var all []Config
	add := func(name string, list []Config) {
		for _, c := range list {
			c.OS, c.Arch = cmp.Or(c.OS, here.OS), cmp.Or(c.Arch, here.Arch)
			if rel, err := filepath.Rel(root, name); err == nil {
				c.From = filepath.ToSlash(rel)
			}
			same := func(o Config) bool { return o.String() == c.String() }
			if known(c.OS, c.Arch) && !same(here) && !slices.ContainsFunc(all, same) {
				all = append(all, c)
			}
		}
	}
	read := func(patterns []string, parse func(text []byte) []Config) {
		for _, pattern := range patterns {
			names, err := filepath.Glob(pattern)
			if err != nil {
				continue
			}
			for _, name := range names {
				if text, err := os.ReadFile(name); err == nil {
					add(name, parse(text))
				}
			}
		}
	}
	var dirs []string
	for _, dir := range []string{module, root} {
		if !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	in := func(names ...string) (patterns []string) {
		for _, dir := range dirs {
			for _, name := range names {
				patterns = append(patterns, filepath.Join(dir, name))
			}
		}
		return patterns
	}
	read([]string{
		filepath.Join(root, ".github", "workflows", "*.yml"), filepath.Join(root, ".github", "workflows", "*.yaml"),
		filepath.Join(root, ".gitlab-ci.yml"),
	}, ofYAML)
	read(in(".goreleaser.yml", ".goreleaser.yaml"), ofYAML)
	read(in("Makefile", "GNUmakefile", "makefile"), ofCommands)
	return all[:min(len(all), most)]
}

// ofYAML returns the configurations in a file of CI or GoReleaser.
func ofYAML(text []byte) (all []Config) {
	var doc yaml.Node
	if yaml.Unmarshal(text, &doc) != nil {
		return nil
	}
	walk(&doc, func(n *yaml.Node) {
		if n.Kind == yaml.ScalarNode {
			all = append(all, ofCommands([]byte(n.Value))...)
			return
		}
		all = append(all, ofMapping(n)...)
	})
	return all
}

// walk visits a node and those below it, except for exclusions of a matrix.
func walk(n *yaml.Node, visit func(n *yaml.Node)) {
	visit(n)
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 1 {
			if key := n.Content[i-1].Value; key == "exclude" || key == "ignore" {
				continue
			}
		}
		walk(child, visit)
	}
}

// ofMapping returns the combinations of what the keys of a mapping name.
func ofMapping(n *yaml.Node) (all []Config) {
	if n.Kind != yaml.MappingNode {
		return nil
	}
	var systems, arches, tags []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch values := scalars(n.Content[i+1]); strings.ToLower(n.Content[i].Value) {
		case "goos", "os", "platform", "runs-on", "runner", "vm":
			for _, v := range values {
				systems = append(systems, systemOf(v))
			}
		case "goarch", "arch":
			for _, v := range values {
				arches = append(arches, archOf(v))
			}
		case "tags", "build-tags", "buildtags", "go-tags":
			for _, v := range values {
				tags = append(tags, strings.Join(strings.FieldsFunc(v, func(r rune) bool { return r == ' ' || r == ',' }), ","))
			}
		}
	}
	clean := func(list []string) []string {
		list = slices.DeleteFunc(list, func(v string) bool { return v == "" || strings.ContainsAny(v, "${}") })
		if len(list) == 0 {
			return []string{""}
		}
		return list
	}
	systems, arches, tags = clean(systems), clean(arches), clean(tags)
	if systems[0] == "" && arches[0] == "" {
		return nil // tags alone may be those of an image, or of git
	}
	for _, system := range systems {
		for _, arch := range arches {
			for _, tag := range tags {
				if tag == "" || isTags(tag) {
					all = append(all, Config{OS: system, Arch: arch, Tags: tag})
				}
			}
		}
	}
	return all
}

// scalars returns the values of a scalar, or of a list of them.
func scalars(n *yaml.Node) (values []string) {
	list := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		list = n.Content
	}
	for _, one := range list {
		if one.Kind == yaml.ScalarNode {
			values = append(values, one.Value)
		}
	}
	return values
}

// systemOf returns the GOOS of an operating system or of the name of a CI's machine; "" if it is none.
func systemOf(name string) string {
	name = strings.ToLower(name)
	for _, of := range [][2]string{{"ubuntu", "linux"}, {"macos", "darwin"}, {"windows", "windows"}} {
		if strings.HasPrefix(name, of[0]) {
			return of[1]
		}
	}
	if slices.ContainsFunc(platforms(), func(p string) bool { return strings.HasPrefix(p, name+"/") }) {
		return name
	}
	return ""
}

// archOf returns a GOARCH; "" if it is none.
func archOf(name string) string {
	if slices.ContainsFunc(platforms(), func(p string) bool { return strings.HasSuffix(p, "/"+name) }) {
		return name
	}
	return ""
}

var (
	assigned = regexp.MustCompile(`\b(GOOS|GOARCH)=([a-z0-9]+)\b`)
	tagged   = regexp.MustCompile(`\bgo (?:build|test|vet|install)\b.*?\s--?tags[= ]["']?([\w.,]+)`)
	tagList  = regexp.MustCompile(`^[\pL_][\w.]*(,[\pL_][\w.]*)*$`)
)

func isTags(text string) bool { return tagList.MatchString(text) }

// ofCommands returns the configurations in the lines of a script.
func ofCommands(text []byte) (all []Config) {
	for line := range strings.Lines(strings.ReplaceAll(string(text), "\\\n", " ")) {
		var c Config
		for _, m := range assigned.FindAllStringSubmatch(line, -1) {
			if m[1] == "GOOS" {
				c.OS = m[2]
			} else {
				c.Arch = m[2]
			}
		}
		if m := tagged.FindStringSubmatch(line); m != nil && isTags(m[1]) {
			c.Tags = m[1]
		}
		if c != (Config{}) {
			all = append(all, c)
		}
	}
	return all
}

// known reports whether Go has a port.
func known(system, arch string) bool { return slices.Contains(platforms(), system+"/"+arch) }

// platforms returns the ports of Go 1.26 that a build from another machine can make (go tool dist list).
func platforms() []string {
	return []string{
		"aix/ppc64", "android/arm64", "darwin/amd64", "darwin/arm64", "dragonfly/amd64", "freebsd/386", "freebsd/amd64",
		"freebsd/arm", "freebsd/arm64", "freebsd/riscv64", "illumos/amd64", "ios/arm64", "js/wasm", "linux/386",
		"linux/amd64", "linux/arm", "linux/arm64", "linux/loong64", "linux/mips", "linux/mips64", "linux/mips64le",
		"linux/mipsle", "linux/ppc64", "linux/ppc64le", "linux/riscv64", "linux/s390x", "netbsd/386", "netbsd/amd64",
		"netbsd/arm", "netbsd/arm64", "openbsd/386", "openbsd/amd64", "openbsd/arm", "openbsd/arm64", "openbsd/ppc64",
		"openbsd/riscv64", "plan9/386", "plan9/amd64", "plan9/arm", "solaris/amd64", "wasip1/wasm", "windows/386",
		"windows/amd64", "windows/arm64",
	}
}
