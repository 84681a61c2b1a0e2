// Package otlp translates OpenTelemetry profiles into pprof profiles.
//
// It reads opentelemetry.proto.collector.profiles.v1development as version 1.11 of the protocol
// defines it, which version 0.165 of the OpenTelemetry collector sends. That is a public alpha: later
// versions may number fields differently. Only this package knows it.
//
// Data flow:
//
//  1. [Decode] decodes the dictionary: strings, functions, mappings, locations, stacks, attributes
//     and links, each a table that the rest refers to by index.
//  2. An OpenTelemetry profile has one sample type. Those of one scope with the same time, duration
//     and period become one [Profile] with several, as they were before the collector divided them.
//  3. Samples get the labels of their attributes, and trace_id and span_id of their link. Counts of
//     samples of a CPU profile also become CPU time, by the period.
//
// # Bounds
//
// Limits bound the entries of all tables, the samples of a profile, and the frames of all its
// samples: small requests could refer to a long stack many times. An index out of range is an error
// that names the table.
package otlp
