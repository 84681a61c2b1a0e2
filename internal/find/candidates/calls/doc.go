// Package calls has generators of candidates for what calls cost: functions that are too large to
// inline, receivers that are copied, unlocks that are deferred.
//
// Each generator reads the typed syntax of a hot line and returns edits. They have no state, and may
// be called concurrently for the sites of different packages.
//
// The package does not know what the compiler inlines: package prove measures it.
package calls
