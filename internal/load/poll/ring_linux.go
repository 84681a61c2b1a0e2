package poll

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The interface of io_uring, from include/uapi/linux/io_uring.h.
const (
	opNop     = 0
	opPollAdd = 6
	opCancel  = 14
	opSend    = 26
	opRecv    = 27

	sqeFixedFile    = 1 << 0
	sqeBufferSelect = 1 << 5
	sqeSkipSuccess  = 1 << 6

	recvPollFirst = 1 << 0
	recvMultishot = 1 << 1

	cqeBuffer      = 1 << 0
	cqeMore        = 1 << 1
	cqeBufferShift = 16

	setupCQSize       = 1 << 3
	setupSubmitAll    = 1 << 7
	setupSingleIssuer = 1 << 12
	setupDeferTaskrun = 1 << 13

	enterGetEvents      = 1 << 0
	enterExtArg         = 1 << 3
	enterRegisteredRing = 1 << 4

	featExtArg     = 1 << 8
	featCQESkip    = 1 << 11
	featMinTimeout = 1 << 15

	registerFiles       = 2
	registerFilesUpdate = 6
	registerRingFDs     = 20
	unregisterRingFDs   = 21
	registerBufferRing  = 22

	offSQRing = 0
	offSQEs   = 0x10000000
)

type ringParams struct {
	sqEntries, cqEntries, flags, cpu, idle, features, wqFD uint32
	_                                                      [3]uint32
	sq                                                     struct {
		head, tail, mask, entries, flags, dropped, array, _ uint32
		user                                                uint64
	}
	cq struct {
		head, tail, mask, entries, overflow, cqes, flags, _ uint32
		user                                                uint64
	}
}

// An sqe is one operation submitted to the kernel.
type sqe struct {
	op, flags   uint8
	ioprio      uint16
	fd          int32
	off, addr   uint64
	len, opFlag uint32
	userData    uint64
	bufGroup    uint16
	personality uint16
	spliceFD    int32
	_           [2]uint64
}

// A cqe is the outcome of one operation.
type cqe struct {
	userData uint64
	res      int32
	flags    uint32
}

// bufferEntry offers one buffer to the kernel. The tail of the ring of entries is the first one's
// reserved field.
type bufferEntry struct {
	addr    uint64
	len     uint32
	id      uint16
	tailOf0 uint16
}

// ring is one io_uring instance with a table of sockets and a ring of receive
// buffers.
type ring struct {
	fd       int // of the ring
	handle   int // passed to enter: an index of a registered ring
	features uint32
	mem      [][]byte // mapped

	sqes           []sqe
	sqArray        []uint32
	sqHead, sqTail *uint32
	tail           uint32 // of what is prepared; the kernel's tail lags behind until enter
	cqes           []cqe
	cqHead, cqTail *uint32

	entries    []bufferEntry
	buffers    []byte
	bufferTail uint16
	wait       waitArg
	ts         unix.Timespec
}

// waitArg is struct io_uring_getevents_arg.
type waitArg struct {
	sigmask       uint64
	sigmaskSize   uint32
	minWaitMicros uint32
	ts            uint64
}

// Receive buffers hold most answers. There are four per connection, within bounds: few stay in the
// CPU's cache.
const (
	leastBuffers, mostBuffers = 64, 512 // powers of 2
	bufferSize                = 8 << 10
	sqSize                    = 1024
)

func newRing(files int) (r *ring, err error) {
	r = &ring{fd: -1, handle: -1}
	defer func() {
		if err != nil {
			_ = r.close()
			r = nil
		}
	}()
	p := ringParams{flags: setupCQSize | setupSubmitAll | setupSingleIssuer | setupDeferTaskrun}
	p.cqEntries = min(max(4*sqSize, nextPowerOf2(4*uint32(files))), 32<<10)
	fd, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, sqSize, uintptr(unsafe.Pointer(&p)), 0)
	if errno != 0 {
		return r, fmt.Errorf("set up io_uring: %w", errno)
	}
	r.fd, r.features = int(fd), p.features
	if p.features&featExtArg == 0 || p.features&featCQESkip == 0 {
		return r, errors.New("set up io_uring: kernel is too old")
	}
	// One mapping holds both rings (IORING_FEAT_SINGLE_MMAP is older than these).
	size := max(int(p.sq.array+p.sqEntries*4), int(p.cq.cqes+p.cqEntries*uint32(unsafe.Sizeof(cqe{}))))
	rings, err := r.mmap(r.fd, offSQRing, size)
	if err != nil {
		return r, err
	}
	sqes, err := r.mmap(r.fd, offSQEs, int(p.sqEntries)*int(unsafe.Sizeof(sqe{})))
	if err != nil {
		return r, err
	}
	word := func(off uint32) *uint32 { return (*uint32)(unsafe.Pointer(&rings[off])) }
	r.sqHead, r.sqTail, r.cqHead, r.cqTail = word(p.sq.head), word(p.sq.tail), word(p.cq.head), word(p.cq.tail)
	r.sqes = unsafe.Slice((*sqe)(unsafe.Pointer(&sqes[0])), p.sqEntries)
	r.sqArray = unsafe.Slice(word(p.sq.array), p.sqEntries)
	for i := range r.sqArray {
		r.sqArray[i] = uint32(i)
	}
	r.cqes = unsafe.Slice((*cqe)(unsafe.Pointer(&rings[p.cq.cqes])), p.cqEntries)
	r.ts = unix.Timespec{}
	r.wait.sigmaskSize = 8
	r.wait.ts = uint64(uintptr(unsafe.Pointer(&r.ts)))
	if err := r.registerTables(files); err != nil {
		return r, err
	}
	return r, nil
}

func nextPowerOf2(n uint32) uint32 { return 1 << bits.Len32(n-1) }

func (r *ring) mmap(fd int, off int64, size int) ([]byte, error) {
	flags := unix.MAP_SHARED | unix.MAP_POPULATE
	if fd < 0 {
		flags = unix.MAP_PRIVATE | unix.MAP_ANONYMOUS
	}
	b, err := unix.Mmap(fd, off, size, unix.PROT_READ|unix.PROT_WRITE, flags)
	if err != nil {
		return nil, fmt.Errorf("map io_uring: %w", err)
	}
	r.mem = append(r.mem, b)
	return b, nil
}

func (r *ring) register(op uintptr, arg unsafe.Pointer, n int) error {
	_, _, errno := unix.Syscall6(unix.SYS_IO_URING_REGISTER, uintptr(r.fd), op, uintptr(arg), uintptr(n), 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// registerTables registers an empty table of sockets, the ring of buffers, and the ring itself.
func (r *ring) registerTables(files int) error {
	table := make([]int32, files)
	for i := range table {
		table[i] = -1
	}
	if err := r.register(registerFiles, unsafe.Pointer(&table[0]), files); err != nil {
		return fmt.Errorf("register %d sockets with io_uring: %w", files, err)
	}
	count := min(max(int(nextPowerOf2(4*uint32(files))), leastBuffers), mostBuffers)
	entries, err := r.mmap(-1, 0, count*int(unsafe.Sizeof(bufferEntry{})))
	if err != nil {
		return err
	}
	if r.buffers, err = r.mmap(-1, 0, count*bufferSize); err != nil {
		return err
	}
	r.entries = unsafe.Slice((*bufferEntry)(unsafe.Pointer(&entries[0])), count)
	reg := struct {
		addr         uint64
		entries      uint32
		group, flags uint16
		_            [3]uint64
	}{addr: uint64(uintptr(unsafe.Pointer(&entries[0]))), entries: uint32(count)}
	if err := r.register(registerBufferRing, unsafe.Pointer(&reg), 1); err != nil {
		return fmt.Errorf("register receive buffers with io_uring: %w", err)
	}
	for id := range uint16(count) {
		r.recycle(id)
	}
	self := ringFD{offset: ^uint32(0), fd: uint64(r.fd)}
	if err := r.register(registerRingFDs, unsafe.Pointer(&self), 1); err != nil {
		return fmt.Errorf("register io_uring with itself: %w", err)
	}
	r.handle = int(self.offset)
	return nil
}

// ringFD is struct io_uring_rsrc_update, as registerRingFDs uses it.
type ringFD struct {
	offset, _ uint32
	fd        uint64
}

// setFile puts a socket, or -1, into the table.
func (r *ring) setFile(slot, fd int) error {
	f := int32(fd)
	update := struct {
		offset, _ uint32
		fds       uint64
	}{offset: uint32(slot), fds: uint64(uintptr(unsafe.Pointer(&f)))}
	if err := r.register(registerFilesUpdate, unsafe.Pointer(&update), 1); err != nil {
		return fmt.Errorf("register socket with io_uring: %w", err)
	}
	return nil
}

// buffer returns what was received into buffer id.
func (r *ring) buffer(id uint16, n int) []byte {
	return r.buffers[int(id)*bufferSize : int(id)*bufferSize+n]
}

// recycle returns a buffer to the kernel.
func (r *ring) recycle(id uint16) {
	e := &r.entries[int(r.bufferTail)&(len(r.entries)-1)]
	e.addr = uint64(uintptr(unsafe.Pointer(&r.buffers[int(id)*bufferSize])))
	e.len, e.id = bufferSize, id
	r.bufferTail++
	// The kernel reads the tail with acquire semantics only while this thread is in enter, so a
	// plain store is enough.
	r.entries[0].tailOf0 = r.bufferTail
}

// next returns a cleared operation to fill in.
func (r *ring) next() (*sqe, error) {
	if r.unsubmitted() >= uint32(len(r.sqes)) {
		if err := r.enter(0, 0, 0, true); err != nil {
			return nil, err
		}
	}
	s := &r.sqes[r.tail&uint32(len(r.sqes)-1)]
	*s = sqe{}
	r.tail++
	return s, nil
}

// drop turns prepared operations on a socket that are not yet submitted into no-ops: they would go
// to the socket that replaces it.
func (r *ring) drop(slot int) {
	for i := atomic.LoadUint32(r.sqHead); i != r.tail; i++ {
		s := &r.sqes[i&uint32(len(r.sqes)-1)]
		if s.flags&sqeFixedFile != 0 && s.fd == int32(slot) {
			*s = sqe{op: opNop, userData: s.userData}
		}
	}
}

// enter submits what was prepared and waits up to d for one outcome; with count above 1, up to
// gather for that many. Go's scheduler does not see brief waits.
func (r *ring) enter(d time.Duration, count uint32, gather time.Duration, brief bool) error {
	atomic.StoreUint32(r.sqTail, r.tail)
	r.wait.minWaitMicros = 0
	least := uint32(1)
	if count > 1 && gather > 0 && r.features&featMinTimeout != 0 {
		r.wait.minWaitMicros, least = uint32(gather/time.Microsecond), count
	}
	if d <= 0 {
		least = 0
	}
	r.ts = unix.NsecToTimespec(int64(d))
	call := unix.Syscall6
	if brief {
		call = unix.RawSyscall6
	}
	_, _, errno := call(unix.SYS_IO_URING_ENTER, uintptr(r.handle), uintptr(r.unsubmitted()), uintptr(least),
		enterGetEvents|enterExtArg|enterRegisteredRing, uintptr(unsafe.Pointer(&r.wait)), unsafe.Sizeof(r.wait))
	if errno == 0 || slices.Contains(notYet[:], errno) {
		return nil
	}
	return fmt.Errorf("wait for io_uring: %w", errno)
}

// notYet are the errors of enter that mean that nothing has arrived, or that outcomes must be read
// first.
var notYet = [...]unix.Errno{unix.ETIME, unix.EINTR, unix.EAGAIN, unix.EBUSY}

// unsubmitted returns the number of prepared operations that are not submitted yet.
func (r *ring) unsubmitted() uint32 { return r.tail - atomic.LoadUint32(r.sqHead) }

// ready returns the number of available outcomes.
func (r *ring) ready() uint32 { return atomic.LoadUint32(r.cqTail) - *r.cqHead }

// take returns the next outcome.
func (r *ring) take() cqe {
	head := *r.cqHead
	c := r.cqes[head&uint32(len(r.cqes)-1)]
	atomic.StoreUint32(r.cqHead, head+1)
	return c
}

func (r *ring) close() error {
	var err error
	if r.handle >= 0 { // or the thread would keep the ring
		err = r.register(unregisterRingFDs, unsafe.Pointer(&ringFD{offset: uint32(r.handle)}), 1)
	}
	if r.fd >= 0 {
		err = errors.Join(err, unix.Close(r.fd))
	}
	for _, m := range r.mem {
		err = errors.Join(err, unix.Munmap(m))
	}
	r.mem = nil
	return err
}
