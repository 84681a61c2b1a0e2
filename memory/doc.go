// Package memory accounts for a Go process's memory, from the live heap to what
// the operating system counts as resident, and for its garbage collections.
//
// Data flow:
//
//  1. [ParseMemStats] reads the runtime.MemStats that end heap?debug=1, from the
//     whole answer or from the lines cut out of it. [ParseProcess] and [ParseAgent]
//     read what the operating system and the target's agent said.
//  2. [New] joins them, and what the heap and CPU profiles tell, into a [Report]:
//     an [Account] whose parts add up to its total to the byte, and [GC].
//  3. [Report.Grow] compares with an earlier report.
//
// How the parts add up, with the fields of runtime.MemStats:
//
//	HeapAlloc   = live + uncollected
//	HeapInuse   = HeapAlloc + fragmentation
//	HeapSys     = HeapInuse + HeapIdle,  HeapIdle = free + HeapReleased
//	Sys         = HeapSys + StackSys + MSpanSys + MCacheSys + BuckHashSys + GCSys + OtherSys
//	RSS         = Sys - HeapReleased + outside - untouched
//
// The first five equations are the runtime's; outside and untouched come from the
// kernel's list of mappings, and where there is none, their difference alone is
// known. What is an estimate is marked as one, and what cannot be known is listed in
// [Report.Unknown].
//
// Reports are values without references to their inputs. The package does not
// fetch and does not format.
package memory
