package lint

// unswept returns the directories that [Prose] does not check yet, because their text is being
// rewritten. "x/..." means x and all below it. The list only shrinks: the test fails for an entry
// whose directory is clean.
func unswept() []string {
	return []string{
		"docs/measured/...",
	}
}
