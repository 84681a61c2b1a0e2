// Package jsoncodec defines a rule: encoding/json takes a large part of the work.
//
// encoding/json inspects types at run time: it looks up each field by name, and validates the
// whole input before decoding it. There are two remedies.
//
// Go 1.27, or Go 1.25 and 1.26 with GOEXPERIMENT=jsonv2, replaces the implementation without a
// code change: it decodes structs 1.7 to 3 times as fast, is no faster with maps, slower with
// values of type any, and encodes at about the same speed. A codec generated for the types (with
// github.com/mailru/easyjson, for example) knows the fields at compile time and is about three
// times as fast.
//
// # Before
//
//	err := json.Unmarshal(body, &items)
//
// # Evidence
//
// The profiles show functions of encoding/json called from the line. The value has fields: it is
// or contains a struct without methods. If a function takes the value as an
// interface, the types it is called with in its package count.
//
// # Safety
//
// No source is rewritten. Before Go 1.27 the setting is an experiment that the Go compatibility
// promise does not cover; error texts differ, and it affects the whole program. A generated
// codec matches keys exactly, where encoding/json ignores case; it treats invalid UTF-8
// differently; it must be regenerated when a type changes; and it does not support the options
// of encoding/json. Compare the output before using either.
package jsoncodec
