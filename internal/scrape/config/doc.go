// Package config reads the configuration of scraping: which services to profile, how and how often.
//
// Data flow:
//
//  1. [Read] reads a YAML file. Keys are those of Prometheus where it has the same thing, so that
//     sources of targets and relabeling rules can be copied.
//  2. Every value is checked, and so are the files that it names: tokens, certificates. The first
//     error has the file and the line, and lists what is valid.
//  3. [Job.Sources] and [Job.TLS] return what the engine runs.
//
// Tokens are only in files that the configuration names; they are read again for each use. A Config
// is not changed after Read. The package contacts nothing.
package config
