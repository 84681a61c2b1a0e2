// Package findings renders findings and their outcome: find, fix, rules, compiler notes, and
// profile-guided optimization.
//
// [Find], [Fix] and [PGO] describe a result as a blocks.Document, which has writers for text,
// Markdown and HTML. [WriteFindSARIF] is for code scanning. The other views are text. The package
// holds no state.
package findings
