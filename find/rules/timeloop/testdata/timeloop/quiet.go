package timeloop

import "time"

func Poll(ready func() bool, end time.Time) bool {
	for time.Now().Before(end) {
		if ready() {
			return true
		}
		time.Sleep(time.Millisecond)
	}
	return false
}

func Once(c chan int) time.Time {
	begin := time.Now()
	select {
	case <-c:
	case <-time.After(time.Second):
	}
	for range c {
		func() { begin = begin.Add(1) }()
	}
	return begin
}

func Last(c chan int) bool {
	for n := range c {
		if n > 2 {
			<-time.After(time.Second)
			return true
		}
	}
	return false
}

type clock struct{}

func (clock) Now() time.Time { return time.Time{} }

func Own(time clock, n int) {
	for range n {
		_ = time.Now()
	}
}
