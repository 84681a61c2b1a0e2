package main

import (
	"fmt"
	"slices"
	"strings"
)

// A module is a module to measure.
type module struct {
	name     string // short, unique
	path     string
	version  string
	packages []string // packages with benchmarks, as patterns of the go command
	bench    string   // benchmarks to run, as for go test's -bench; "" is all
	about    string
	group    group
}

// A group is ten modules.
type group int

// groups is the number of groups. Each was held back until the one before it had been measured and
// rules had been improved with the results of whet find.
const groups = 4

func (g group) String() string {
	return [groups]string{"the first ten", "the second ten", "the third ten", "the fourth ten"}[g]
}

// modules returns the groups in order. They were chosen before whet was run on any of the group,
// from modules on the proxy: maintained, with benchmarks and with tests that need no network, no
// two for the same purpose.
func modules() []module {
	root := []string{"."}
	first := []module{
		{
			name: "toml", path: "github.com/BurntSushi/toml", version: "v1.6.0", packages: root,
			about: "a configuration format: lexer, parser, encoder by reflection",
		},
		{
			name: "mux", path: "github.com/gorilla/mux", version: "v1.8.1", packages: root,
			about: "an HTTP router, with regular expressions",
		},
		{
			name: "semver", path: "github.com/Masterminds/semver/v3", version: "v3.5.0", packages: root,
			about: "versions and constraints: short texts parsed",
		},
		{
			name: "logrus", path: "github.com/sirupsen/logrus", version: "v1.10.2", packages: root,
			about: "a structured logger",
		},
		{
			name: "blackfriday", path: "github.com/russross/blackfriday/v2", version: "v2.1.0", packages: root,
			about: "Markdown to HTML",
		},
		{
			name: "expr", path: "github.com/expr-lang/expr", version: "v1.17.8", packages: []string{".", "./test/bench", "./vm"},
			about: "an expression language: compiler and virtual machine",
		},
		{
			name: "dns", path: "github.com/miekg/dns", version: "v1.1.73", packages: root,
			about: "a protocol, as bytes and as text",
		},
		{
			name: "chroma", path: "github.com/alecthomas/chroma/v2", version: "v2.27.0",
			packages: []string{"./lexers", "./formatters/html"}, about: "source code highlighted",
		},
		{
			name: "pretty", path: "github.com/jedib0t/go-pretty/v6", version: "v6.8.3", packages: []string{"./..."},
			about: "tables, lists and progress on a terminal",
		},
		{
			name: "diff", path: "github.com/sergi/go-diff", version: "v1.4.0", packages: []string{"./diffmatchpatch"},
			about: "texts compared and patched",
		},
	}
	second := []module{
		{name: "decimal", path: "github.com/shopspring/decimal", version: "v1.6.0", packages: root, about: "decimal numbers"},
		{name: "jwt", path: "github.com/golang-jwt/jwt/v5", version: "v5.3.1", packages: root, about: "signed tokens"},
		{
			name: "mapstructure", path: "github.com/go-viper/mapstructure/v2", version: "v2.5.0", packages: root,
			about: "maps decoded into structs by reflection",
		},
		{
			name: "graphql", path: "github.com/graph-gophers/graphql-go", version: "v1.11.0",
			packages: []string{".", "./internal/common", "./internal/validation"}, about: "a GraphQL server",
		},
		{
			name: "humanize", path: "github.com/dustin/go-humanize", version: "v1.1.0", packages: root,
			about: "numbers and times as people write them",
		},
		{
			name: "liquid", path: "github.com/osteele/liquid", version: "v1.6.0", packages: []string{".", "./values"},
			bench: "Drop|Template", about: "templates",
		},
		{
			name: "gocsv", path: "github.com/gocarina/gocsv", version: "v0.0.0-20240520201108-78e41c74b4b1", packages: root,
			about: "CSV to structs and back",
		},
		{
			name: "mysql", path: "github.com/go-sql-driver/mysql", version: "v1.10.1", packages: root,
			bench: "Interpolation|ParseDSN", about: "a database driver",
		},
		{
			name: "gqlparser", path: "github.com/vektah/gqlparser/v2", version: "v2.5.64", packages: []string{"./..."},
			about: "a parser and validator of GraphQL",
		},
		{
			name: "orb", path: "github.com/paulmach/orb", version: "v0.14.0",
			packages: []string{".", "./encoding/...", "./geojson", "./maptile", "./simplify"},
			about:    "geometry, and its encodings",
		},
	}
	third := []module{
		{
			name: "goquery", path: "github.com/PuerkitoBio/goquery", version: "v1.13.0", packages: root,
			about: "HTML documents asked with selectors",
		},
		{
			name: "cast", path: "github.com/spf13/cast", version: "v1.10.0", packages: root,
			about: "values converted between types",
		},
		{
			name: "chi", path: "github.com/go-chi/chi/v5", version: "v5.5.0", packages: []string{".", "./middleware"},
			about: "an HTTP router, a tree",
		},
		{
			name: "uuid", path: "github.com/google/uuid", version: "v1.6.0", packages: root,
			about: "identifiers made and parsed",
		},
		{
			name: "gojq", path: "github.com/itchyny/gojq", version: "v0.12.20", packages: root,
			about: "a language for JSON: parser, compiler, virtual machine",
		},
		{
			name: "golang-lru", path: "github.com/hashicorp/golang-lru/v2", version: "v2.0.7",
			packages: []string{".", "./expirable"}, about: "caches",
		},
		{
			name: "gjson", path: "github.com/tidwall/gjson", version: "v1.20.0", packages: root,
			about: "values taken out of JSON text",
		},
		{
			name: "zerolog", path: "github.com/rs/zerolog", version: "v1.35.1",
			packages: []string{".", "./hlog", "./internal/json"}, about: "a logger that writes JSON",
		},
		{
			name: "schema", path: "github.com/gorilla/schema", version: "v1.4.1", packages: root,
			about: "forms decoded into structs by reflection",
		},
		{
			name: "go-i18n", path: "github.com/nicksnyder/go-i18n/v2", version: "v2.7.0",
			packages: []string{"./i18n", "./internal/plural"}, about: "messages in languages: templates and plurals",
		},
	}
	fourth := []module{
		{
			name: "validator", path: "github.com/go-playground/validator/v10", version: "v10.30.6", packages: root,
			about: "structs checked by their tags",
		},
		{
			name: "doublestar", path: "github.com/bmatcuk/doublestar/v4", version: "v4.10.4", packages: root,
			about: "paths matched with patterns",
		},
		{
			name: "cbor", path: "github.com/fxamacker/cbor/v2", version: "v2.9.6", packages: root,
			about: "a binary encoding of data, by reflection",
		},
		{
			name: "uniseg", path: "github.com/rivo/uniseg", version: "v0.4.7", packages: root,
			about: "text cut into characters, words, lines and sentences",
		},
		{
			name: "websocket", path: "github.com/gorilla/websocket", version: "v1.5.3", packages: root,
			about: "a protocol over HTTP connections",
		},
		{
			name: "participle", path: "github.com/alecthomas/participle/v2", version: "v2.1.4",
			packages: []string{".", "./lexer"}, about: "parsers made of annotated structs",
		},
		{
			name: "logfmt", path: "github.com/go-logfmt/logfmt", version: "v0.6.1", packages: root,
			about: "lines of keys and values",
		},
		{
			name: "stats", path: "github.com/montanaflynn/stats", version: "v0.14.0", packages: root,
			about: "statistics of slices of numbers",
		},
		{
			name: "excelize", path: "github.com/xuri/excelize/v2", version: "v2.10.1", packages: root,
			about: "spreadsheets as compressed XML, written and read",
		},
		{
			name: "xpath", path: "github.com/antchfx/xpath", version: "v1.3.9", packages: root,
			about: "a query language for XML trees",
		},
	}
	all := slices.Concat(first, second, third, fourth)
	for i := range all {
		all[i].group = group(i / 10)
	}
	return all
}

// choose returns the modules with these names; all if there are none.
func choose(names []string) ([]module, error) {
	all := modules()
	if len(names) == 0 {
		return all, nil
	}
	var chosen []module
	for _, name := range names {
		i := slices.IndexFunc(all, func(m module) bool { return m.name == name })
		if i < 0 {
			var known []string
			for _, m := range all {
				known = append(known, m.name)
			}
			return nil, fmt.Errorf("no module %q: there are %s", name, strings.Join(known, ", "))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}
