// Package index lists all rules.
//
// Data flow: internal/newrule writes the list from the folders beside this one; package cli and
// cmd/whet-vet take it. The package has no state.
package index
