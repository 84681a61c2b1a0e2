package timeloop

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"test/values"
)

type item struct {
	at   time.Time
	text string
}

func Stamp(items []item) (slow int) {
	for i := range items {
		items[i].at = time.Now()                 // want `time.Now reads the clock in each iteration`
		if time.Since(items[i].at) > time.Hour { // want `time.Since reads the clock in each iteration`
			slow++
		}
	}
	return slow
}

func Until(end time.Time, do func() bool) {
	for time.Now().Before(end) && do() { // want `reads the clock`
	}
}

const quick = -time.Microsecond

func Receive(c <-chan string, n int) (all string) {
	for range n {
		select {
		case s := <-c:
			all += s
		case <-time.After(time.Hour): // want `creates a timer and a channel in each iteration`
			return "timeout"
		}
	}
	return all
}

func Idle(n int) (all string) {
	var never chan string
	for i := 0; i < n; i++ {
		all += "a"
		select {
		case s := <-never:
			all += s
		case t := <-time.After(quick): // want `creates a timer and a channel in each iteration`
			all += fmt.Sprint(t.IsZero())
		}
		if i == 2 {
			continue
		}
		all += "b"
	}
	return all
}

func Given(ctx context.Context, d time.Duration, n int) (ticks int) {
	for range n {
		select {
		case <-ctx.Done():
			return ticks
		case <-time.After(d): // want `creates a timer and a channel in each iteration`
			ticks++
		}
	}
	return ticks
}

func Labeled(c <-chan int) (n int) {
loop:
	for {
		select {
		case <-c:
			break loop
		case <-time.After(-time.Nanosecond): // want `creates a timer and a channel in each iteration`
			if n++; n > 2 {
				break loop
			}
		}
	}
	return n
}

func Done(ctx context.Context, n int) (ticks int) {
	for range n {
		select {
		case <-ctx.Done():
			ticks--
		case <-time.After(quick): // want `creates a timer and a channel in each iteration`
			ticks++
		}
	}
	return ticks
}

func Calls(c chan string, n int) {
	for range n {
		select {
		case c <- fmt.Sprint(n):
		case <-time.After(-1): // want `creates a timer and a channel in each iteration`
		}
	}
}

func Try(r *rand.Rand) string {
	n := r.IntN(5)
	c := make(chan string, n)
	for range n {
		c <- values.String(r)
	}
	Calls(nil, n)
	return fmt.Sprint(Receive(c, n), Idle(n), Given(context.Background(), -1, n), Labeled(nil), Done(context.Background(), n), Stamp(make([]item, n)))
}
