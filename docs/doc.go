// Package docs embeds those pages of the user documentation that the command line prints.
package docs

import _ "embed"

// Glossary is glossary.md, Markdown without tables or code blocks.
//
//go:embed glossary.md
var Glossary string
