package regexpsimple

func usesGuarded(s string) bool { return guarded.MatchString(s) }
