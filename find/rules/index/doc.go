// Package index lists all rules.
//
// Data flow: internal/newrule generates the list from the sibling directories; package cli and
// cmd/whet-vet use it. The package has no state.
package index
