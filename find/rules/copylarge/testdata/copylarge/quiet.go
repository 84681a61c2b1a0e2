package copylarge

func Changed(goods []good) (n int) {
	for _, g := range goods {
		g.Cents++
		n += g.Cents
	}
	for _, g := range goods {
		g.sizes[1] = 2
		n += g.sizes[1]
	}
	return n
}

func Kept(goods []good) (n int) {
	var all []*good
	for _, g := range goods {
		all = append(all, &g)
	}
	var functions []func() int
	for _, g := range goods {
		functions = append(functions, func() int { return g.Cents })
	}
	for _, f := range functions {
		n += f()
	}
	for _, g := range goods {
		n += len(g.sizes[:])
	}
	for i := range goods {
		n += goods[i].Cents
	}
	return n + len(all)
}

func Small(pairs [][2]int, pointers []*good, words []string) (n int) {
	for _, p := range pairs {
		n += p[0]
	}
	for _, p := range pointers {
		n += p.Cents
	}
	for _, w := range words {
		n += len(w)
	}
	return n
}

func Generic[T any](s []struct{ a [100]T }) (n int) {
	for _, x := range s {
		n += len(x.a)
	}
	return n
}
