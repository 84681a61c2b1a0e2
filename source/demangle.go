package source

import "github.com/ianlancetaylor/demangle"

// Demangle returns a C++ or Rust symbol as it is written in source, without parameters; it returns
// other names unchanged.
func Demangle(name string) string {
	return demangle.Filter(name, demangle.NoParams, demangle.NoEnclosingParams, demangle.NoTemplateParams)
}
