package clickhousetest

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	native "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/whet-go/whet/internal/procgroup"
)

// DownloadVariable is the environment variable that allows Start to download the server, and makes tests
// fail where there is none. CI does so, too.
const DownloadVariable = "WHET_CLICKHOUSE_DOWNLOAD"

func wanted() bool { return os.Getenv("CI") != "" || os.Getenv(DownloadVariable) != "" }

// The Python package, which has one file for this system.
const (
	wheelVersion = "3.7.2" // ClickHouse 25.8
	wheelSum     = "c119f0830c12438a4e4b60b8370859ba50992e8b1b01a8c681e1c57eeb2dc82d"
	library      = "chdb/_chdb.abi3.so"
)

// ClusterName is the name of the cluster that the shards form.
const ClusterName = "shards"

// An Unavailable is the reason why no server can be started here.
type Unavailable struct{ Reason string }

// Error returns the reason.
func (e *Unavailable) Error() string { return "no ClickHouse: " + e.Reason }

// Options say what to start.
type Options struct {
	Shards   int // 0: 1
	Replicas int // of each shard; 0: 1. More need a Keeper.
	// Keeper also starts ZooKeeper, for tables that are replicated. It is found where Debian's package
	// libzookeeper-java puts it.
	Keeper bool
	// Prepare, unless nil, is called with the directory of each server, which is empty, before it starts.
	Prepare func(shard int, dir string) error
	// TLS also serves TLS, to clients with a certificate: see Servers.TLS.
	TLS bool
}

// Servers are the shards of a cluster, or one server.
type Servers struct {
	// Hosts are the addresses of the native protocol, by shard, and in a shard by replica.
	Hosts []string
	// TLS is set if it was wanted.
	TLS    *TLS
	shards []*process
	copies int    // replicas of each shard
	file   string // the library with the server
	dir    string
	keeper *process // nil: none
}

// process is a shard or the Keeper.
type process struct {
	dir         string
	cmd         *exec.Cmd
	ended       chan struct{} // nil: not started
	port, inter int           // for clients, and between servers
	secure      int           // for clients with TLS; 0: none
}

// ForTest starts servers for a test. It skips a test that is short. Without servers it skips tests, too,
// or they fail: see DownloadVariable.
func ForTest(tb testing.TB, o Options) *Servers {
	tb.Helper()
	if testing.Short() {
		tb.Skip("starts a database server")
	}
	s, err := Start(tb.Context(), o)
	if reason := (*Unavailable)(nil); errors.As(err, &reason) && (!wanted() || !hasServer()) {
		tb.Skip(reason)
	}
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Stop(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// Address returns the address of a store in a database on the servers, created on a cluster if there
// are several.
func (s *Servers) Address(database string) string {
	address := "clickhouse://" + strings.Join(s.Hosts, ",") + "/" + database
	if len(s.shards) > 1 {
		address += "?cluster=" + ClusterName
	}
	return address
}

// HasKeeper reports whether the servers can replicate tables.
func (s *Servers) HasKeeper() bool { return s.keeper != nil }

// Start starts the servers, and waits until they answer.
func Start(ctx context.Context, o Options) (_ *Servers, err error) {
	file, err := find(ctx)
	if err != nil {
		return nil, err
	}
	if o.Keeper {
		if _, err := keeperClasses(); err != nil {
			return nil, err
		}
	}
	copies := max(1, o.Replicas)
	n := max(1, o.Shards) * copies
	dir, err := os.MkdirTemp("", "whet-clickhouse-")
	if err != nil {
		return nil, err
	}
	s := &Servers{file: file, dir: dir, copies: copies}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Stop())
		}
	}()
	ports, err := freePorts(3*n + 1)
	if err != nil {
		return nil, err
	}
	for i := range n {
		x := &process{dir: filepath.Join(dir, fmt.Sprint("shard", i+1)), port: ports[2*i], inter: ports[2*i+1]}
		if o.TLS {
			x.secure = ports[2*n+1+i]
		}
		s.shards = append(s.shards, x)
		s.Hosts = append(s.Hosts, fmt.Sprintf("127.0.0.1:%d", x.port))
	}
	if o.TLS {
		if s.TLS, err = newTLS(dir); err != nil {
			return nil, err
		}
		for _, x := range s.shards {
			s.TLS.Hosts = append(s.TLS.Hosts, fmt.Sprintf("127.0.0.1:%d", x.secure))
		}
	}
	if o.Keeper {
		s.keeper = &process{dir: filepath.Join(dir, "keeper"), port: ports[2*n]}
		if err := s.startKeeper(); err != nil {
			return nil, err
		}
	}
	for i, x := range s.shards {
		if err := os.MkdirAll(x.dir, 0o700); err != nil {
			return nil, err
		}
		if o.Prepare != nil {
			if err := o.Prepare(i, x.dir); err != nil {
				return nil, err
			}
		}
		if err := os.WriteFile(filepath.Join(x.dir, "config.xml"), []byte(s.config(i)), 0o600); err != nil {
			return nil, err
		}
		if err := s.start(i); err != nil {
			return nil, err
		}
	}
	for i := range s.shards {
		if err := s.wait(ctx, i); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// config returns the configuration of a shard.
func (s *Servers) config(i int) string {
	x := s.shards[i]
	var b strings.Builder
	add := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	add("<clickhouse><logger><level>warning</level><log>%s/log</log><errorlog>%s/errors</errorlog></logger>", x.dir, x.dir)
	add("<listen_host>127.0.0.1</listen_host><tcp_port>%d</tcp_port>", x.port)
	if t := s.TLS; t != nil {
		add("<tcp_port_secure>%d</tcp_port_secure><openSSL><server>", x.secure)
		add("<certificateFile>%s</certificateFile><privateKeyFile>%s</privateKeyFile>", t.serverCert, t.serverKey)
		add("<caConfig>%s</caConfig><verificationMode>strict</verificationMode>", t.CA)
		add("<loadDefaultCAFile>false</loadDefaultCAFile></server></openSSL>")
	}
	add("<interserver_http_port>%d</interserver_http_port>", x.inter)
	add("<interserver_http_host>127.0.0.1</interserver_http_host>")
	for _, path := range []string{"path", "tmp_path", "user_files_path", "format_schema_path"} {
		add("<%s>%s/%s/</%s>", path, x.dir, path, path)
	}
	add("<timezone>UTC</timezone><mark_cache_size>67108864</mark_cache_size><default_profile>default</default_profile>")
	add("<profiles><default/></profiles><quotas><default/></quotas><users><default><password></password><networks>")
	add("<ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota>")
	add("<access_management>1</access_management></default></users>")
	add("<user_directories><users_xml><path>%s/config.xml</path></users_xml>", x.dir)
	add("<local_directory><path>%s/access/</path></local_directory></user_directories>", x.dir)
	if len(s.shards) > 1 {
		add("<remote_servers><%s>", ClusterName)
		for shard := range slices.Chunk(s.shards, s.copies) {
			add("<shard><internal_replication>true</internal_replication>")
			for _, o := range shard {
				add("<replica><host>127.0.0.1</host><port>%d</port></replica>", o.port)
			}
			add("</shard>")
		}
		add("</%s></remote_servers><macros><shard>%d</shard><replica>r%d</replica></macros>", ClusterName,
			i/s.copies+1, i%s.copies+1)
	}
	if s.keeper != nil {
		add("<zookeeper><node><host>127.0.0.1</host><port>%d</port></node></zookeeper>", s.keeper.port)
		add("<distributed_ddl><path>/clickhouse/task_queue/ddl</path></distributed_ddl>")
	}
	add("</clickhouse>")
	return b.String()
}

// program runs the server in the library.
const program = `import ctypes,os,sys
a=["clickhouse-server","--config-file="+sys.argv[2]]
f=ctypes.CDLL(sys.argv[1],mode=ctypes.RTLD_GLOBAL)._Z25mainEntryClickHouseServeriPPc
os._exit(f(len(a),(ctypes.c_char_p*(len(a)+1))(*[x.encode() for x in a],None)))`

func (s *Servers) start(i int) error {
	x := s.shards[i]
	x.cmd = exec.Command("python3", "-c", program, s.file, filepath.Join(x.dir, "config.xml"))
	x.cmd.Env = append(os.Environ(), "CLICKHOUSE_WATCHDOG_ENABLE=0")
	return x.run()
}

// run starts the process.
func (x *process) run() error {
	out, err := os.Create(filepath.Join(x.dir, "output"))
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }() // the process has its own
	x.cmd.Dir, x.cmd.Stdout, x.cmd.Stderr = x.dir, out, out
	procgroup.Own(x.cmd)
	if err := x.cmd.Start(); err != nil {
		return &Unavailable{err.Error()}
	}
	ended := make(chan struct{})
	x.ended = ended
	cmd := x.cmd
	go func() {
		_ = cmd.Wait() // it is killed
		close(ended)
	}()
	return nil
}

// kill ends the process and waits for its end.
func (x *process) kill() {
	if x != nil && x.ended != nil {
		procgroup.Signal(x.cmd.Process.Pid, procgroup.Kill)
		<-x.ended
	}
}

// keeperClasses returns the class path of ZooKeeper.
func keeperClasses() (string, error) {
	if _, err := exec.LookPath("java"); err != nil {
		return "", &Unavailable{"Java is not installed, for ZooKeeper"}
	}
	var all []string
	for _, name := range []string{
		"zookeeper", "zookeeper-jute", "slf4j-api", "slf4j-nop", "netty-*", "netty", "commons-cli", "commons-io",
		"snappy-java", "metrics-core",
	} {
		files, err := filepath.Glob("/usr/share/java/" + name + ".jar")
		if err != nil || name == "zookeeper" && len(files) == 0 {
			return "", &Unavailable{"ZooKeeper is not installed (Debian's package libzookeeper-java)"}
		}
		all = append(all, files...)
	}
	return strings.Join(all, ":"), nil
}

// startKeeper starts ZooKeeper, which the servers wait for.
func (s *Servers) startKeeper() error {
	x := s.keeper
	classes, err := keeperClasses()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(x.dir, 0o700); err != nil {
		return err
	}
	file := filepath.Join(x.dir, "zoo.cfg")
	text := fmt.Sprintf("tickTime=500\ndataDir=%s\nclientPort=%d\nclientPortAddress=127.0.0.1\nadmin.enableServer=false\n",
		x.dir, x.port)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return err
	}
	x.cmd = exec.Command("java", "-Xmx256m", "-cp", classes, "org.apache.zookeeper.server.quorum.QuorumPeerMain", file)
	return x.run()
}

// patience is how long a server may take to start.
const patience = 2 * time.Minute

// wait waits until a shard answers, and reaches the Keeper if there is one.
func (s *Servers) wait(ctx context.Context, i int) error {
	x := s.shards[i]
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := native.Open(&native.Options{Addr: s.Hosts[i : i+1], DialTimeout: 5 * time.Second})
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // only asked
	ask := "SELECT 1"
	if s.keeper != nil {
		ask = "SELECT count() FROM system.zookeeper WHERE path='/'"
	}
	for {
		if err = conn.Exec(ctx, ask); err == nil {
			return nil
		}
		select {
		case <-x.ended:
			return fmt.Errorf("the server ended: %s", s.said(i))
		case <-ctx.Done():
			return fmt.Errorf("the server does not answer: %w: %s", err, s.said(i))
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// said returns the end of what a shard printed and logged.
func (s *Servers) said(i int) string {
	var all strings.Builder
	for _, name := range []string{"output", "errors"} {
		text, _ := os.ReadFile(filepath.Join(s.shards[i].dir, name)) // the error that is reported matters more
		all.Write(text[max(0, len(text)-2000):])
	}
	return all.String()
}

// Kill kills a shard, as a crash would, and waits for its end.
func (s *Servers) Kill(i int) { s.shards[i].kill() }

// Run starts a shard again that was killed, and waits until it answers.
func (s *Servers) Run(ctx context.Context, i int) error {
	if err := s.start(i); err != nil {
		return err
	}
	return s.wait(ctx, i)
}

// Stop kills all and removes their files.
func (s *Servers) Stop() error {
	for _, x := range s.shards {
		x.kill()
	}
	s.keeper.kill()
	return os.RemoveAll(s.dir)
}

// freePorts returns ports of loopback on which nothing listens.
func freePorts(n int) ([]int, error) {
	var ports []int
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer func() { _ = l.Close() }() // after all are known, so that they differ
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// hasServer reports whether there is a library for this system.
func hasServer() bool { return runtime.GOOS == "linux" && runtime.GOARCH == "amd64" }

// find returns the library with the server, downloaded if that is allowed.
func find(ctx context.Context) (string, error) {
	if !hasServer() {
		return "", &Unavailable{"the test server is for linux/amd64"}
	}
	if _, err := exec.LookPath("python3"); err != nil {
		return "", &Unavailable{"python3 is not installed"}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", &Unavailable{err.Error()}
	}
	dir := filepath.Join(cache, "whet-test", "chdb-"+wheelVersion)
	file := filepath.Join(dir, library)
	if _, err := os.Stat(file); err == nil {
		return file, nil
	}
	if !wanted() {
		return "", &Unavailable{"it is not in " + dir + "; with " + DownloadVariable + "=1 it is downloaded (180 MB)"}
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return "", err
	}
	work, err := os.MkdirTemp(filepath.Dir(dir), "download-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(work) }() // what matters has been moved
	pip := exec.CommandContext(ctx, "python3", "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:",
		"-d", work, "chdb=="+wheelVersion)
	if out, err := pip.CombinedOutput(); err != nil {
		return "", &Unavailable{fmt.Sprintf("pip: %v: %.500s", err, out)}
	}
	wheels, err := filepath.Glob(filepath.Join(work, "*.whl"))
	if err != nil || len(wheels) != 1 {
		return "", fmt.Errorf("pip downloaded %q", wheels)
	}
	unpacked := filepath.Join(work, "wheel")
	if err := unpack(wheels[0], unpacked); err != nil {
		return "", fmt.Errorf("unpack %s: %w", wheels[0], err)
	}
	if err := os.Rename(unpacked, dir); err != nil {
		if _, other := os.Stat(file); other != nil { // else another process was faster
			return "", err
		}
	}
	return file, nil
}

// unpack checks a wheel and writes its libraries to a directory.
func unpack(wheel, dir string) error {
	f, err := os.Open(wheel)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read
	h := sha256.New()
	size, err := io.Copy(h, f)
	if err != nil {
		return err
	}
	if sum := hex.EncodeToString(h.Sum(nil)); sum != wheelSum {
		return fmt.Errorf("SHA-256 %s (want %s)", sum, wheelSum)
	}
	z, err := zip.NewReader(f, size)
	if err != nil {
		return err
	}
	for _, f := range z.File {
		if path.Ext(f.Name) != ".so" || !filepath.IsLocal(f.Name) {
			continue
		}
		if err := extract(f, filepath.Join(dir, f.Name)); err != nil {
			return err
		}
	}
	return nil
}

func extract(f *zip.File, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	in, err := f.Open()
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // only read
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
