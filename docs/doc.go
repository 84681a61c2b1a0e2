// Package docs embeds those pages of the user documentation that the command line prints.
package docs

import _ "embed"

// Glossary is glossary.md, Markdown without tables or code blocks.
//
//go:embed glossary.md
var Glossary string

//go:embed assistants/AGENTS-whet.md
var assistantLoop string

// AssistantLoop returns assistants/AGENTS-whet.md, which teaches an assistant to use whet mcp.
func AssistantLoop() string { return assistantLoop }
