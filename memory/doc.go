// Package memory accounts for a Go process's memory, from the live heap to the resident size
// reported by the operating system, and for its garbage collections.
//
// Data flow:
//
//  1. [ParseMemStats] reads the runtime.MemStats at the end of heap?debug=1, from the whole
//     response or from just those lines. [ParseProcess] and [ParseAgent] read what the operating
//     system and the target's agent reported.
//  2. [New] combines them with the heap and CPU profiles into a [Report]: an [Account] whose parts
//     add up to its total to the byte, and [GC].
//  3. [Report.CompareWith] compares with an earlier report.
//
// How the parts add up, with the fields of runtime.MemStats:
//
//	HeapAlloc   = live + uncollected
//	HeapInuse   = HeapAlloc + fragmentation
//	HeapSys     = HeapInuse + HeapIdle,  HeapIdle = free + HeapReleased
//	Sys         = HeapSys + StackSys + MSpanSys + MCacheSys + BuckHashSys + GCSys + OtherSys
//	RSS         = Sys - HeapReleased + outside - untouched
//
// The first five equations are the runtime's; outside and untouched come from the kernel's list of
// mappings. Without that list, only their difference is known. Estimates are marked, and what
// cannot be known is listed in [Report.Unknown].
//
// Reports do not refer to their inputs. The package neither fetches nor formats.
package memory
