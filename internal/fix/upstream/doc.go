// Package upstream proves rewrites and candidates in the dependencies of a module.
//
// Data flow:
//
//  1. The module is copied, and the copy is made to use a copy of the dependency: by a replace directive
//     in its go.mod, or, if it vendors the dependency, by a link in its vendor directory.
//  2. Package fix tries what package internal/find/upstream found in the dependency, as for any module: its own
//     tests must pass, old and new functions must agree, and benchmarks must show a gain. The benchmarks
//     of the module that reach the changed lines measure, too.
//  3. The outcome names the dependency with its version. [fix.Result.Patches] makes patches of it whose
//     paths are relative to the dependency's root.
//
// Neither the module nor the source of the dependency is changed, and there is no way to apply a rewrite:
// it is for the dependency's authors. All copies are removed before Run returns.
package upstream
