package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// version returns the version of Landlock's interface; see landlock(7).
func version() (int, error) {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	switch {
	case errno == 0:
		return int(v), nil
	case errors.Is(errno, unix.ENOSYS):
		return 0, errors.New("the kernel does not support Landlock (Linux 5.13 and later do)")
	case errors.Is(errno, unix.EOPNOTSUPP):
		return 0, errors.New("the kernel has disabled Landlock: its parameter lsm= does not list it")
	}
	return 0, fmt.Errorf("query the version of Landlock: %w", errno)
}

// leastVersion is the first version that can prevent truncating files.
const leastVersion = 3

// Supported returns why code cannot be run in the sandbox here; nil if it can.
func Supported() error {
	v, err := version()
	if err != nil {
		return err
	}
	if v < leastVersion {
		return fmt.Errorf("version %d of Landlock cannot prevent truncating files (Linux 6.2 and later can)", v)
	}
	if inside() {
		return nil
	}
	path, err := exec.LookPath("true")
	if err != nil {
		return nil // again says whether there are namespaces
	}
	cmd := exec.Command(path)
	cmd.SysProcAttr = namespaces()
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("user and network namespaces cannot be created: %w (a container or the system may forbid it; see "+
			"user.max_user_namespaces and kernel.apparmor_restrict_unprivileged_userns)", err)
	}
	return nil
}

// namespaces returns what a process in separate user and network namespaces is started with. Its user and group
// have the same numbers inside.
func namespaces() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}},
		Pdeathsig:   syscall.SIGKILL,
		AmbientCaps: []uintptr{unix.CAP_NET_ADMIN},
	}
}

// again runs this program again, without a network, and returns its exit code. Signals from the terminal reach both
// processes; only the new one acts on them.
func again() (code int, err error) {
	runtime.LockOSThread() // the death of the thread is that of the parent
	defer runtime.UnlockOSThread()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	cmd := &exec.Cmd{
		Path: "/proc/self/exe", Args: os.Args, Env: append(os.Environ(), insideEnv+"=inside"),
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, SysProcAttr: namespaces(),
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	done := make(chan struct{})
	go func() {
		for {
			select {
			case s := <-signals:
				if s != os.Interrupt {
					_ = cmd.Process.Signal(s) // a terminal sends only interrupts to both
				}
			case <-done:
				return
			}
		}
	}()
	err = cmd.Wait()
	close(done)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() >= 0 {
		return exit.ExitCode(), nil
	}
	return cmd.ProcessState.ExitCode(), err
}

// setUp makes loopback usable. It is called inside.
func setUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	if err := unix.IoctlIfreq(fd, unix.SIOCGIFFLAGS, lo); err != nil {
		return fmt.Errorf("loopback: %w", err)
	}
	lo.SetUint16(lo.Uint16() | unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo); err != nil {
		return fmt.Errorf("loopback: %w", err)
	}
	return nil
}

// writing lists all ways to change files and directories.
const writing = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR |
	unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR |
	unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO |
	unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER |
	unix.LANDLOCK_ACCESS_FS_TRUNCATE

// devices are devices that programs may write to, because that changes no files.
func devices() []string {
	return []string{
		"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts",
	}
}

// scopeVersion is the first version that can prevent signals to processes outside.
const scopeVersion = 6

// restricted prevents this process, and all that it starts, from writing files other than those below a directory,
// and executes a program.
func restricted(dir string, program []string) error {
	runtime.LockOSThread() // only the thread that executes the program is restricted
	v, err := version()
	if err != nil {
		return err
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: writing}
	if v >= scopeVersion {
		attr.Scoped = unix.LANDLOCK_SCOPE_SIGNAL
	}
	set, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return fmt.Errorf("create Landlock rules: %w", errno)
	}
	if err := allow(int(set), dir, writing); err != nil {
		return err
	}
	for _, name := range devices() {
		if err := allow(int(set), name, unix.LANDLOCK_ACCESS_FS_WRITE_FILE); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, set, 0, 0); errno != 0 {
		return fmt.Errorf("restrict the process: %w", errno)
	}
	path, err := exec.LookPath(program[0])
	if err != nil {
		return err
	}
	if err := os.Setenv("GOCACHE", filepath.Join(dir, "gocache")); err != nil { // the user's cannot be written
		return err
	}
	return fmt.Errorf("execute %s: %w", path, syscall.Exec(path, program, os.Environ()))
}

// allow adds a rule for a file, or what is below a directory.
func allow(set int, name string, access uint64) error {
	fd, err := unix.Open(name, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: name, Err: err}
	}
	defer func() { _ = unix.Close(fd) }()
	rule := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(set), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("allow writing to %s: %w", name, errno)
	}
	return nil
}
