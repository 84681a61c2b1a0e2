// Package content recognizes what a file holds by its first bytes, where it is not a recording or an
// encoded profile.
//
// Data flow: package input passes the first bytes of what it reads. The functions read nothing, and
// have no state.
package content
