// Package report renders results: text for people, JSON for programs.
//
// Data flow:
//
//  1. A command (or the server) computes a document, a plain struct of this
//     package such as [Top], from a profile.View and a [Header].
//  2. [JSON] writes it as it is; its Schema field names the shape and its version.
//  3. The function named after the view ([WriteTop], …) writes it as text that
//     fits a [Style]: a width in columns, with or without colour.
//
// Functions are pure: the same document and style give the same bytes. They
// write in many small pieces, so the writer should be buffered. Names come from
// foreign files, so text output is stripped of control characters ([Clean]).
//
// Quantities are written by package unit, which is the only place that formats
// them. The package does not read profiles, look for source or know terminals.
package report
