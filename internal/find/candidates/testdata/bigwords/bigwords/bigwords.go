package bigwords

import (
	"fmt"
	"math/big"
	"math/rand/v2"

	"test/values"
)

func Product(a, b *big.Int) *big.Int {
	return new(big.Int).Mul(a, b) // want `Allocate the number with memory for its digits`
}

func Sum(n int64, b *big.Int) *big.Int {
	x := big.NewInt(n) // want `Allocate the number`
	return x.Add(x, b)
}

var one = new(big.Int).SetInt64(1)

// The number is constant, a variable, or of another kind.
func Others(f float64) string {
	var x big.Int
	return fmt.Sprint(big.NewInt(7), x.Add(&x, one), new(big.Float).SetInt64(2))
}

func Try(r *rand.Rand) string {
	a := big.NewInt(int64(values.Int(r)))
	b := new(big.Int).Lsh(a, uint(r.IntN(300)))
	product := Product(a, b)
	again := Product(product, product)
	return fmt.Sprint(product, again, product, Sum(int64(values.Int(r)), b), Product(big.NewInt(0), a).Sign(), a, b, Others(1))
}
