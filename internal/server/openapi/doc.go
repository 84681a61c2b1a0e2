// Package openapi describes an HTTP API by the Go types of its requests and answers, in the form of
// OpenAPI 3.1.
//
// Data flow: [Document] takes the list of [Operation], and adds a JSON schema for each struct that
// one of them mentions, derived by reflection as package encoding/json encodes it.
//
// The package has no state and serves nothing.
package openapi
