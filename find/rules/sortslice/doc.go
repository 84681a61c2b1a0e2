// Package sortslice defines a rule: a slice is sorted through reflection or an interface.
//
// sort.Slice takes the slice as an interface, which allocates, swaps elements through a function
// made by reflection, and indexes the slice again in each comparison. slices.SortFunc is
// compiled for the element type. It takes a third less time with small elements. It copies both
// elements for each comparison, so with elements larger than 128 bytes it takes more, and the
// rule is silent.
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
// The CPU profile shows sort.Slice called from the line, with reflectlite.Swapper below it; the
// allocation profile shows the line itself, and reflectlite.Swapper.
//
// # Safety
//
// Both functions are generated from one template in the standard library, so even equal elements
// end up in the same order; the rule's test compares them. The statements of the function stay
// as they are. A comparison x < y becomes a number that is negative exactly when x < y was true.
// For floating-point numbers that is not cmp.Compare, which orders NaN before all other values.
//
// There is no rewrite if the function does more than compare: takes addresses, calls methods
// that could modify an element, or uses the indices for anything else. There is also none if it
// would have to compare twice to tell less from equal, which costs as much as it saves.
package sortslice
