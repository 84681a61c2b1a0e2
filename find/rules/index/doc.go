// Package index lists all rules.
//
// Data flow: internal/newrule generates the list from the directories next to this one; package cli
// and cmd/whet-vet use it. The package has no state.
package index
