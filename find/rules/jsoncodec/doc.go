// Package jsoncodec defines a rule: encoding/json takes a large part of the work.
//
// encoding/json looks at types while it runs: it finds each field by its name, and checks all of a
// text before it decodes it. There are two ways out. Go 1.27, or the build setting GOEXPERIMENT=jsonv2 of Go 1.25
// and 1.26, puts the same package on another implementation, without a change of code: it decodes structs 1.7 to 3 times as
// fast; it is no faster with maps, slower with values of type any, and encodes about as fast as before. A codec that is generated for the
// types (as github.com/mailru/easyjson does) knows the fields when it is compiled, and is about three
// times as fast.
//
// # Before
//
//	err := json.Unmarshal(body, &items)
//
// # Evidence
//
// The profiles have functions of encoding/json below the line. What is decoded or encoded has fields: it is
// or holds a struct without methods of its own. What a function takes as an interface is what it is
// called with in its package.
//
// # Safety
//
// No source is rewritten. Before Go 1.27 the setting is an experiment of the Go project, which is not under the
// promise of compatibility; the texts of errors differ, and it holds for the whole program. A generated codec
// matches keys exactly, where encoding/json does not mind capitals; it treats bytes that are no UTF-8
// otherwise; it must be generated again when a type changes; and it does not serve who asks
// encoding/json for other options. Compare the answers before either is used.
package jsoncodec
