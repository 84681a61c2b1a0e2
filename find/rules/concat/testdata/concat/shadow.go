package concat

func Shadowed(elements []string, strings string) string {
	all := strings
	for _, e := range elements {
		all += e // want `each iteration copies all of all`
	}
	return all
}
