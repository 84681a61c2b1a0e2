package worker

import (
	"strings"
	"testing"
	"time"
)

// TestDecide checks the decision for given measurements.
func TestDecide(t *testing.T) {
	measure := func(rate, deviation float64, cpu time.Duration) Measurement {
		return Measurement{Rate: rate, RateError: deviation, CPUPerRequest: cpu, Windows: 16}
	}
	const us = time.Microsecond
	for _, test := range []struct {
		name        string
		ring, ready Measurement
		want        Engine
		why         string
	}{
		{
			"epoll is faster", measure(50_000, 200, 8*us), measure(55_000, 200, 8*us), Epoll,
			"epoll answers 10% more requests a second",
		},
		{"faster for more CPU time", measure(50_000, 200, 8*us), measure(55_000, 200, 12*us), Epoll, "10% more requests"},
		{"faster by too little", measure(50_000, 10, 8*us), measure(51_000, 10, 8*us), IOUring, "not clearly better"},
		{"faster by chance", measure(50_000, 3000, 8*us), measure(55_000, 3000, 8*us), IOUring, "not clearly better"},
		{
			"faster by chance, for less", measure(50_000, 3000, 8*us), measure(55_000, 3000, 6*us), Epoll,
			"for 25% less CPU time",
		},
		{"cheaper by too little", measure(50_000, 200, 8*us), measure(50_000, 200, 7600), IOUring, "not clearly better"},
		{"as fast and cheaper", measure(50_000, 200, 8*us), measure(49_900, 200, 6*us), Epoll, "for 25% less CPU time"},
		{"slower and cheaper", measure(50_000, 200, 8*us), measure(47_000, 200, 4*us), IOUring, "epoll answers 6% fewer"},
		{
			"slower by chance and cheaper", measure(50_000, 3000, 8*us), measure(46_000, 3000, 4*us), IOUring,
			"not clearly better",
		},
		{"as fast and dearer", measure(50_000, 200, 8*us), measure(50_000, 200, 10*us), IOUring, "takes 25% more CPU time"},
		{"nothing measured", Measurement{}, Measurement{}, IOUring, "no answers came"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if e, why := decide(test.ring, test.ready); e != test.want || !strings.Contains(why, test.why) {
				t.Errorf("%s: %s; want %s: %s", e, why, test.want, test.why)
			}
		})
	}
}

// TestMeasuring simulates another program that takes the CPU for most of one window.
func TestMeasuring(t *testing.T) {
	var calm, taken measuring
	for i := range 16 {
		answers := int64(400 + i%3)
		calm.add(answers, 8*time.Millisecond, 3*time.Millisecond)
		if i == 5 {
			taken.add(answers, 600*time.Millisecond, 3*time.Millisecond)
			continue
		}
		taken.add(answers, 8*time.Millisecond, 3*time.Millisecond)
	}
	a, b := calm.measure(IOUring), taken.measure(Epoll)
	if a.Windows != 16 || a.Elapsed != 128*time.Millisecond || a.Rate != 50_125 || a.RateError <= 0 || a.RateError > 100 ||
		a.CPUPerRequest != 48*time.Millisecond/6415 {
		t.Errorf("%+v", a)
	}
	if e, why := decide(a, b); e != IOUring || why != "epoll is not clearly better" {
		t.Errorf("%s: %s, of %+v and %+v", e, why, a, b)
	}
}
