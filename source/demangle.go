package source

import "github.com/ianlancetaylor/demangle"

// Demangle returns a C++ or Rust symbol as its programmer would write it, without
// parameters; any other name as it is.
func Demangle(name string) string {
	return demangle.Filter(name, demangle.NoParams, demangle.NoEnclosingParams, demangle.NoTemplateParams)
}
