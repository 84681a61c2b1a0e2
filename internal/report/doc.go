// Package report and the packages below it render results: text for people, JSON for programs.
//
// Data flow:
//
//  1. A command (or the server) has a document from an engine: a plain struct such as
//     memory.Report, or one of the packages documents of engines (internal/trace/documents, …).
//  2. [JSON] writes it as it is; its Schema field names the shape and its version.
//  3. The function named after the view (profiles.WriteTop, …) writes it as text that
//     fits a layout.Style: a width in columns, with or without color. A view that is also Markdown
//     or a page describes it once instead, as a blocks.Document (findings.Find, …).
//
// Package documents reads what JSON has written and writes its text again.
//
// Each family of views has a package: profiles, diffs, listings and pictures for
// profiles; recordings, benchmarks, loads, traces, findings. They share layout (lines of a
// terminal), blocks (reports as text, Markdown and HTML) and pages (HTML files with a script).
//
// Functions are pure: the same document and style give the same bytes. They
// write in many small pieces, so the writer should be buffered. Names come from
// foreign files, so text output is stripped of control characters.
//
// Quantities are written by package unit, which is the only place that formats
// them. The packages do not read profiles, look for source or know terminals.
package report
