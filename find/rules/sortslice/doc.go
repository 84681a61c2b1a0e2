// Package sortslice defines a rule: a slice is sorted through reflection or an interface.
//
// sort.Slice takes the slice as an interface, which allocates, swaps elements through a function that
// reflection makes, and lets the comparison index the slice again. slices.SortFunc is compiled for the
// type of the elements. It takes a third less time with small elements; with elements of more than
// 128 bytes, which it copies for each comparison, it takes more, and the rule is quiet.
//
// # Before
//
//	sort.Slice(goods, func(i, j int) bool {
//		if goods[i].Cents != goods[j].Cents {
//			return goods[i].Cents < goods[j].Cents
//		}
//		return goods[i].Name < goods[j].Name
//	})
//
// # After
//
//	slices.SortFunc(goods, func(a, b good) int {
//		if a.Cents != b.Cents {
//			return cmp.Compare(a.Cents, b.Cents)
//		}
//		return cmp.Compare(a.Name, b.Name)
//	})
//
// # Evidence
//
// The CPU profile has sort.Slice below the line, with reflectlite.Swapper below that; the profile of
// allocations has the line itself, and reflectlite.Swapper.
//
// # Safety
//
// Both functions are made from one template of the standard library, so elements that compare equal
// come to the same places too; the rule's test compares them. The function's statements stay as they
// are. A comparison x < y becomes a number that is negative exactly when it was true. For floating
// point that is not cmp.Compare, for which NaN is less than all else. There is no rewrite when the
// function does more than compare: takes addresses, calls methods that could change an element, or
// uses the indices for anything else; and none where it would have to compare twice to tell less from
// equal, which costs what is won.
package sortslice
