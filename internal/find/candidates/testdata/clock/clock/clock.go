package clock

import (
	"fmt"
	"math/rand/v2"
	"time"
)

func Elapsed(from time.Time) time.Duration {
	return time.Now().Sub(from) // want `Use time.Since`
}

func Left(deadline time.Time) time.Duration {
	return deadline.Sub(time.Now()) // want `Use time.Until`
}

func Between(a, b time.Time) time.Duration { return b.Sub(a) }

func Read(next func() time.Time) time.Duration { return time.Now().Sub(next()) }

func Try(r *rand.Rand) string {
	// Only the hours are the same in both versions.
	hours := time.Duration(r.IntN(100)) * time.Hour
	at := time.Now().Add(-hours)
	return fmt.Sprint(Elapsed(at).Truncate(time.Hour), Left(time.Now().Add(hours)).Round(time.Hour))
}
