package number

import (
	"fmt"
	"math"
	"math/rand/v2"
)

func Distance(x, y []float64) (sum float64) {
	for i := range x {
		sum += math.Pow(x[i]-y[i], 2) // want `Compute the power by operators`
	}
	return math.Sqrt(sum)
}

func Inverse(x float64) float64 {
	return 8 / math.Pow(x, -1) // want `Compute the power by operators`
}

func Largest(list []float64) float64 {
	most := math.Inf(-1)
	for _, x := range list {
		most = math.Max(most, x) // want `Use the builtin max`
	}
	return most
}

func Clamped(x float64) float64 {
	return math.Min(math.Max(x, 0), 1) // want `Use the builtin min` `Use the builtin max`
}

func Power(x, y float64) float64 { return math.Pow(x, y) }

func Read(next func() float64) float64 { return math.Pow(next(), 2) }

func Tenth(x float64) float64 { return math.Pow(x, 10) }

func Try(r *rand.Rand) string {
	x, y := []float64{r.Float64(), r.NormFloat64()}, []float64{r.NormFloat64(), 2}
	return fmt.Sprintf("%.9g %.9g %v %v", Distance(x, y), Inverse(x[0]), Largest(y), Clamped(y[0]))
}
