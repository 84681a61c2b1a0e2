package regressions

import (
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store"
)

// Defaults of Options.
const (
	DefaultQ         = 0.001
	DefaultMinShare  = 0.001
	DefaultMinChange = 0.0001
)

// Options configure Find.
type Options struct {
	// Query selects profiles. Without a kind it is cpu; without From, all until To; without To, up
	// to the newest profile.
	store.Query
	// SampleType is as profile.TypeIndex reads it; "" is the default.
	SampleType string
	// Step is the width of a slot. 0 is an hour for two days or more, else a 48th of the time.
	Step time.Duration
	// Version and Instance name the labels of builds and of processes. "" takes the first of the
	// usual names that the profiles have. Without a version label build IDs are used.
	Version, Instance string
	// Q is the share of false discoveries that the p values promise among what is reported; 0 is DefaultQ. It is more in
	// truth, because noise has longer tails than they assume.
	Q float64
	// MinShare is the least share, of all cost, of a function or line that is tested, and MinChange
	// the least change of a share that is reported. 0 are the defaults.
	MinShare, MinChange float64
	// Own returns what is own code in profiles like p; nil: all code is.
	Own func(p *profile.Profile) func(profile.Function) bool
	// Repo is the directory of a git repository that has the commits of the builds; "" for none.
	Repo string
}

// Warnings are what the reader of a Report must know.
type Warnings = diag.Warnings

// A Report lists what changed. Shares are of all cost of a service: 0.01 is 1%.
type Report struct {
	Kind     string            `json:"kind"`
	Type     profile.ValueType `json:"type"`
	From     time.Time         `json:"from"`
	To       time.Time         `json:"to"`
	Step     time.Duration     `json:"step_ns"`
	Tested   int               `json:"tested"` // tests that p values were adjusted for
	Q        float64           `json:"q"`      // the limit
	Services []Service         `json:"services"`
	// Regressions and Improvements lasted until the end, the largest first.
	Regressions  []Change `json:"regressions"`
	Improvements []Change `json:"improvements"`
	// Shifts are cost that moved between functions.
	Shifts []Shift `json:"shifts"`
	// Gone are changes that went away again.
	Gone     []Change `json:"gone"`
	Warnings Warnings `json:"warnings,omitempty"`
}

// A Service is what was read of a service.
type Service struct {
	Name      string   `json:"name"`
	Instances int      `json:"instances"`
	Profiles  int      `json:"profiles"`
	Functions int      `json:"functions"` // tested ones
	Lines     int      `json:"lines"`
	Seasonal  bool     `json:"seasonal"` // what repeats every day was removed
	Deploys   []Deploy `json:"deploys"`
}

// A Deploy is when a service began to run another build.
type Deploy struct {
	At     time.Time `json:"at"`     // start of the first slot with the new build
	Before string    `json:"before"` // value of Label
	After  string    `json:"after"`
	Label  string    `json:"label"` // "build ID" without a label
	// RevisionBefore and RevisionAfter are commits that labels of the profiles name.
	RevisionBefore string `json:"revision_before,omitempty"`
	RevisionAfter  string `json:"revision_after,omitempty"`
	// Commits are those between the builds, newest first, if a repository has both.
	Commits []Commit `json:"commits,omitempty"`
	More    int      `json:"more,omitempty"` // commits that are not listed
}

// A Commit is one of a repository.
type Commit struct {
	Hash    string    `json:"hash"`
	Time    time.Time `json:"time"`
	Subject string    `json:"subject"`
}

// Causes of changes.
const (
	CauseDeploy = "deploy"
	CauseTime   = "time" // without a deploy
)

// A Change is a step of a function's share of the cost.
type Change struct {
	Service  string    `json:"service"`
	Function string    `json:"function"`
	File     string    `json:"file,omitempty"`
	Cause    string    `json:"cause"`
	At       time.Time `json:"at"`
	Deploy   *Deploy   `json:"deploy,omitempty"`
	Effect
	// Lines are those of the function that changed, the largest change first. If the function as a
	// whole is not shown to have changed, Effect is that of the first.
	Lines []LineChange `json:"lines,omitempty"`
	Whole bool         `json:"whole"` // the function as a whole changed
}

// A LineChange is a step of a line's share.
type LineChange struct {
	LineBefore int    `json:"line_before,omitempty"` // 0 if it had no cost
	LineAfter  int    `json:"line_after,omitempty"`
	Code       string `json:"code,omitempty"` // with Options.Repo
	Effect
}

// An Effect is how much a share changed.
type Effect struct {
	Before   float64 `json:"before"` // the share
	After    float64 `json:"after"`
	Change   float64 `json:"change"`   // less what all shares changed because another one did
	Low      float64 `json:"low"`      // of the 95% interval of Change
	High     float64 `json:"high"`     //
	Relative float64 `json:"relative"` // Change/Before; 0 if there was nothing before
	P        float64 `json:"p"`
	Q        float64 `json:"adjusted_p"`
}

// A Shift is cost that functions, or lines of one, lost to others.
type Shift struct {
	Service string    `json:"service"`
	At      time.Time `json:"at"`
	Deploy  *Deploy   `json:"deploy,omitempty"`
	To      Change    `json:"to"`
	From    []Change  `json:"from"`
	Net     float64   `json:"net"` // change of the sum
	Low     float64   `json:"low"` // of its 95% interval
	High    float64   `json:"high"`
}
