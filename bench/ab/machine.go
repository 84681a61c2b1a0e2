package ab

import (
	"bufio"
	"bytes"
	"os"
	"runtime"
	"strings"
)

// A Machine describes where the rounds ran. Unknown fields are empty.
type Machine struct {
	GOOS       string `json:"goos"`
	GOARCH     string `json:"goarch"`
	CPU        string `json:"cpu,omitempty"` // model
	Processors int    `json:"processors"`    // logical CPUs that this process may use
	Kernel     string `json:"kernel,omitempty"`
	Governor   string `json:"governor,omitempty"` // of the CPU frequency
	Load       string `json:"load,omitempty"`     // averages over 1, 5 and 15 minutes when the run ended
	Go         string `json:"go"`                 // version that built whet
	GOMAXPROCS string `json:"gomaxprocs,omitempty"`
	GOGC       string `json:"gogc,omitempty"`
	GODEBUG    string `json:"godebug,omitempty"`
}

// ThisMachine describes the machine now. GOMAXPROCS, GOGC and GODEBUG are those of the environment.
func ThisMachine() Machine {
	m := Machine{
		GOOS: runtime.GOOS, GOARCH: runtime.GOARCH, Processors: runtime.NumCPU(), Go: runtime.Version(),
		GOMAXPROCS: os.Getenv("GOMAXPROCS"), GOGC: os.Getenv("GOGC"), GODEBUG: os.Getenv("GODEBUG"),
	}
	if runtime.GOOS != "linux" {
		return m
	}
	first := func(file string) string {
		data, err := os.ReadFile(file)
		if err != nil {
			return ""
		}
		line, _, _ := strings.Cut(string(data), "\n")
		return strings.TrimSpace(line)
	}
	m.Kernel = first("/proc/sys/kernel/osrelease")
	m.Governor = first("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
	if f := strings.Fields(first("/proc/loadavg")); len(f) > 3 {
		m.Load = strings.Join(f[:3], " ")
	}
	if data, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		m.CPU = cpuModel(data)
	}
	return m
}

// cpuModel finds the model in /proc/cpuinfo.
func cpuModel(info []byte) string {
	lines := bufio.NewScanner(bytes.NewReader(info))
	for lines.Scan() {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
