package timeline

import (
	"time"

	"github.com/whet-go/whet/trace/requests"
)

// A ClassInfo describes the requests of one handler.
type ClassInfo struct {
	Name  string        `json:"name"` // the kind of their rows
	Count int           `json:"count"`
	P50   time.Duration `json:"p50"`
	P90   time.Duration `json:"p90"`
	P99   time.Duration `json:"p99"`
	Max   time.Duration `json:"max"`
	// Causes are what their time went to, the largest of the slow ones first.
	Causes []CauseTime `json:"causes"`
}

// A CauseTime is the average time of requests due to one cause.
type CauseTime struct {
	Cause  string        `json:"cause"`
	Middle time.Duration `json:"middle"` // of requests around the median
	Slow   time.Duration `json:"slow"`   // of the slowest percent
}

// Classes returns the requests of a server by their handler, in order of their total time. The
// first call reads the whole trace.
func (t *Timeline) Classes() ([]ClassInfo, error) {
	found, err := t.find()
	if err != nil {
		return nil, err
	}
	return found.infos, nil
}

func classInfo(c *requests.Class) ClassInfo {
	info := ClassInfo{Name: c.Name, Count: c.Count, P50: c.P50, P90: c.P90, P99: c.P99, Max: c.Max, Causes: []CauseTime{}}
	for cause := range requests.Causes {
		if c.Middle[cause] > 0 || c.Slow[cause] > 0 {
			info.Causes = append(info.Causes, CauseTime{
				Cause: requests.Cause(cause).String(), Middle: c.Middle[cause], Slow: c.Slow[cause],
			})
		}
	}
	return info
}
