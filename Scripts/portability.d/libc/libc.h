// The C library of another platform: the declarations that the package uses, in the shapes that they have there.
// SHIM_DARWIN: Apple platforms (xnu and Libc headers). SHIM_MUSL: musl 1.2. Values do not matter, types do: nothing runs.
// A C function that is not declared here is "not in scope" in the checks of `make portability`: look up its shape on
// both platforms, and add it.
#pragma once
// The compiler's <tgmath.h> needs all functions of <math.h>.
#define __CLANG_TGMATH_H
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
#define INT64_MAX __INT64_MAX__
#define UINT64_MAX __UINT64_MAX__
#define UINTPTR_MAX __UINTPTR_MAX__
#define SIZE_MAX __SIZE_MAX__

// MARK: Types that differ

typedef long ssize_t, time_t;
typedef int32_t pid_t;
typedef uint32_t uid_t, gid_t, id_t, socklen_t;
typedef uint16_t in_port_t;
typedef uint32_t in_addr_t;
typedef int64_t off_t;
typedef void (*sighandler_t)(int);
#if SHIM_DARWIN
typedef uint16_t mode_t, nlink_t;
typedef int32_t dev_t, suseconds_t, blksize_t;
typedef uint64_t ino_t, rlim_t;
typedef int64_t blkcnt_t;
typedef unsigned long clock_t, tcflag_t, speed_t;
typedef uint8_t sa_family_t;
typedef uint32_t sigset_t;
typedef unsigned int nfds_t;
typedef struct __sFILE { unsigned char *_p; int _r, _w; } FILE;
typedef struct _opaque_pthread_t { long __sig; char __opaque[8176]; } *pthread_t;
typedef struct { long __sig; char __opaque[56]; } pthread_mutex_t, pthread_attr_t;
typedef struct { long __sig; char __opaque[8]; } pthread_mutexattr_t;
typedef void *posix_spawnattr_t, *posix_spawn_file_actions_t;
#elif SHIM_MUSL
typedef uint32_t mode_t;
typedef unsigned long nlink_t;
typedef uint64_t dev_t, ino_t;
typedef unsigned long long rlim_t;
typedef long suseconds_t, blksize_t, clock_t;
typedef int64_t blkcnt_t;
typedef unsigned int tcflag_t, speed_t;
typedef unsigned short sa_family_t;
typedef struct { unsigned long __bits[16]; } sigset_t;
typedef unsigned long nfds_t;
typedef struct _IO_FILE FILE;
typedef struct __pthread *pthread_t;
typedef struct { union { int __i[10]; volatile void *volatile __p[5]; } __u; } pthread_mutex_t;
typedef struct { union { int __i[14]; unsigned long __s[7]; } __u; } pthread_attr_t;
typedef struct { unsigned __attr; } pthread_mutexattr_t;
typedef struct { int __flags; pid_t __pgrp; sigset_t __def, __mask; int __pad[20]; } posix_spawnattr_t;
typedef struct { int __pad0[2]; void *__actions; int __pad[16]; } posix_spawn_file_actions_t;
#endif
typedef unsigned char cc_t;

struct timespec { time_t tv_sec; long tv_nsec; };
struct timeval { time_t tv_sec; suseconds_t tv_usec; };
struct winsize { unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel; };
struct rlimit { rlim_t rlim_cur, rlim_max; };
struct linger { int l_onoff, l_linger; };
struct pollfd { int fd; short events, revents; };
struct in_addr { in_addr_t s_addr; };
struct in6_addr { uint8_t s6_addr[16]; };
extern const struct in6_addr in6addr_loopback;
#if SHIM_DARWIN
struct sockaddr { uint8_t sa_len; sa_family_t sa_family; char sa_data[14]; };
#define AF_INET6 30
struct sockaddr_un { uint8_t sun_len; sa_family_t sun_family; char sun_path[104]; };
struct sockaddr_in6 {
    uint8_t sin6_len; sa_family_t sin6_family; in_port_t sin6_port; uint32_t sin6_flowinfo;
    struct in6_addr sin6_addr; uint32_t sin6_scope_id;
};
struct sockaddr_in {
    uint8_t sin_len; sa_family_t sin_family; in_port_t sin_port; struct in_addr sin_addr; char sin_zero[8];
};
struct stat {
    dev_t st_dev; mode_t st_mode; nlink_t st_nlink; ino_t st_ino; uid_t st_uid; gid_t st_gid; dev_t st_rdev;
    struct timespec st_atimespec, st_mtimespec, st_ctimespec, st_birthtimespec;
    off_t st_size; blkcnt_t st_blocks; blksize_t st_blksize; uint32_t st_flags, st_gen; int32_t st_lspare;
    int64_t st_qspare[2];
};
struct termios {
    tcflag_t c_iflag, c_oflag, c_cflag, c_lflag; cc_t c_cc[20]; speed_t c_ispeed, c_ospeed;
};
typedef struct __siginfo { int si_signo, si_errno, si_code; pid_t si_pid; uid_t si_uid; int si_status; } siginfo_t;
union __sigaction_u { void (*__sa_handler)(int); void (*__sa_sigaction)(int, struct __siginfo *, void *); };
struct sigaction { union __sigaction_u __sigaction_u; sigset_t sa_mask; int sa_flags; };
#elif SHIM_MUSL
struct sockaddr { sa_family_t sa_family; char sa_data[14]; };
#define AF_INET6 10
struct sockaddr_un { sa_family_t sun_family; char sun_path[108]; };
struct sockaddr_in6 {
    sa_family_t sin6_family; in_port_t sin6_port; uint32_t sin6_flowinfo; struct in6_addr sin6_addr;
    uint32_t sin6_scope_id;
};
struct sockaddr_in { sa_family_t sin_family; in_port_t sin_port; struct in_addr sin_addr; uint8_t sin_zero[8]; };
struct stat {
    dev_t st_dev; ino_t st_ino; nlink_t st_nlink; mode_t st_mode; uid_t st_uid; gid_t st_gid; dev_t st_rdev;
    off_t st_size; blksize_t st_blksize; blkcnt_t st_blocks; struct timespec st_atim, st_mtim, st_ctim;
};
struct termios {
    tcflag_t c_iflag, c_oflag, c_cflag, c_lflag; cc_t c_line, c_cc[32]; speed_t __c_ispeed, __c_ospeed;
};
typedef struct { int si_signo, si_errno, si_code; } siginfo_t;
struct sigaction {
    union { void (*sa_handler)(int); void (*sa_sigaction)(int, siginfo_t *, void *); } __sa_handler;
    sigset_t sa_mask; int sa_flags; void (*sa_restorer)(void);
};
#endif
typedef enum { P_ALL, P_PID, P_PGID } idtype_t;

// MARK: Constants. The Swift module of the C library declares S_IFMT and its like, SIG_DFL and SIG_IGN.

#if SHIM_DARWIN
#define EAGAIN 35
#define SOCK_STREAM 1
#define SOL_SOCKET 0xffff
#define SO_NOSIGPIPE 0x1022
#define SO_NWRITE 0x1024
#define POSIX_SPAWN_CLOEXEC_DEFAULT 0x4000
#define ECHO 0x00000008
#define TIOCGWINSZ 0x40087468UL
#elif SHIM_MUSL
#define EAGAIN 11
#define SOCK_STREAM 1
#define SOL_SOCKET 1
#define MSG_NOSIGNAL 0x4000
#define MSG_PEEK 2
#define MSG_DONTWAIT 0x40
#define TIOCOUTQ 0x5411
#define ECHO 0000010
#define TIOCGWINSZ 0x5413
#endif
#define EWOULDBLOCK EAGAIN
#define ENOENT 2
#define EINTR 4
#define EIO 5
#define EBADF 9
#define ENOMEM 12
#define EACCES 13
#define EBUSY 16
#define EEXIST 17
#define EISDIR 21
#define EINVAL 22
#define ENFILE 23
#define EMFILE 24
#define EFBIG 27
#define ENOSPC 28
#define EPIPE 32
#define ECONNABORTED 53
#define ECONNRESET 54
#define ENOBUFS 55
#define EPROTO 100
#define EDQUOT 122
#define AF_UNIX 1
#define AF_INET 2
#define IPPROTO_TCP 6
#define TCP_NODELAY 1
#define SO_REUSEADDR 4
#define SO_LINGER 0x80
#define SHUT_WR 1
#define SHUT_RDWR 2
#define O_RDONLY 0
#define O_WRONLY 1
#define O_RDWR 2
#define O_NONBLOCK 4
#define O_NOFOLLOW 0x100
#define O_CREAT 0x200
#define O_EXCL 0x800
#define O_APPEND 8
#define O_NOCTTY 0x20000
#define O_CLOEXEC 0x1000000
#define F_GETFD 1
#define F_DUPFD_CLOEXEC 67
#define F_SETFD 2
#define F_GETFL 3
#define F_SETFL 4
#define FD_CLOEXEC 1
#define F_OK 0
#define R_OK 4
#define W_OK 2
#define LOCK_EX 2
#define LOCK_NB 4
#define LOCK_UN 8
#define POLLIN 1
#define POLLOUT 4
#define POSIX_SPAWN_SETPGROUP 2
#define POSIX_SPAWN_SETSIGMASK 8
#define RLIMIT_FSIZE 1
#define RLIMIT_NOFILE 8
#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGKILL 9
#define SIGPIPE 13
#define SIGTERM 15
#define SIGTSTP 18
#define SIGXFSZ 25
#define SIG_BLOCK 1
#define SIG_UNBLOCK 2
#define SIG_SETMASK 3
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define TCSAFLUSH 2
#define WEXITED 4
#define WNOWAIT 0x20
#define _SC_OPEN_MAX 4
#define EOF (-1)
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2

// MARK: Functions

int *__errno_location(void);
#define errno (*__errno_location())
int fcntl(int, int, ...), ioctl(int, unsigned long, ...), open(const char *, int, ...), openat(int, const char *, int, ...);

int accept(int, struct sockaddr *, socklen_t *), bind(int, const struct sockaddr *, socklen_t);
int connect(int, const struct sockaddr *, socklen_t), getsockname(int, struct sockaddr *, socklen_t *);
int getpeername(int, struct sockaddr *, socklen_t *);
int getsockopt(int, int, int, void *, socklen_t *), setsockopt(int, int, int, const void *, socklen_t);
int listen(int, int), shutdown(int, int), socket(int, int, int);
ssize_t recv(int, void *, size_t, int), send(int, const void *, size_t, int);
int poll(struct pollfd *, nfds_t, int);

int access(const char *, int), close(int), dup(int), dup2(int, int), pipe(int[2]), isatty(int), unlink(const char *);
int flock(int, int), fstat(int, struct stat *), lstat(const char *, struct stat *), stat(const char *, struct stat *);
int chmod(const char *, mode_t), chown(const char *, uid_t, gid_t), lchown(const char *, uid_t, gid_t);
int link(const char *, const char *), symlink(const char *, const char *);
int fchmod(int, mode_t), fchown(int, uid_t, gid_t), ftruncate(int, off_t), mkdir(const char *, mode_t);
int mkfifo(const char *, mode_t), mkstemp(char *), rename(const char *, const char *), fsync(int);
off_t lseek(int, off_t, int);
ssize_t pread(int, void *, size_t, off_t), read(int, void *, size_t), write(int, const void *, size_t);
mode_t umask(mode_t);
uid_t geteuid(void);
FILE *popen(const char *, const char *);
int pclose(FILE *), fgetc(FILE *), fflush(FILE *), ferror(FILE *);

pid_t getpid(void), waitpid(pid_t, int *, int);
int kill(pid_t, int), killpg(pid_t, int), raise(int), waitid(idtype_t, id_t, siginfo_t *, int);
int sigaction(int, const struct sigaction *, struct sigaction *), pthread_sigmask(int, const sigset_t *, sigset_t *);
int sigaddset(sigset_t *, int), sigemptyset(sigset_t *), sigfillset(sigset_t *), sigismember(const sigset_t *, int);
int sigpending(sigset_t *), sigwait(const sigset_t *, int *);
void (*signal(int, void (*)(int)))(int);
int posix_spawn(
    pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[], char *const[]);
int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *, int, int);
int posix_spawn_file_actions_init(posix_spawn_file_actions_t *);
int posix_spawn_file_actions_destroy(posix_spawn_file_actions_t *);
int posix_spawnattr_init(posix_spawnattr_t *), posix_spawnattr_destroy(posix_spawnattr_t *);
int posix_spawnattr_setflags(posix_spawnattr_t *, short), posix_spawnattr_setpgroup(posix_spawnattr_t *, pid_t);
int posix_spawnattr_setsigmask(posix_spawnattr_t *, const sigset_t *);
_Noreturn void _exit(int), exit(int), abort(void);
int atexit(void (*)(void));

int setrlimit(int, const struct rlimit *), getrlimit(int, struct rlimit *);
long sysconf(int);
int tcgetattr(int, struct termios *), tcsetattr(int, int, const struct termios *);
unsigned int sleep(unsigned int);
int usleep(unsigned int);
clock_t clock(void);
time_t time(time_t *);
void free(void *), *malloc(size_t);
char *getenv(const char *), *strdup(const char *), *strerror(int);
int setenv(const char *, const char *, int), unsetenv(const char *);
void *memchr(const void *, int, size_t), *dlsym(void *, const char *);
int memcmp(const void *, const void *, size_t);
size_t strlen(const char *);

int pthread_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *), pthread_mutex_destroy(pthread_mutex_t *);
int pthread_mutex_lock(pthread_mutex_t *), pthread_mutex_unlock(pthread_mutex_t *);

#if SHIM_DARWIN
// MARK: Apple platforms only

typedef uint32_t natural_t, mach_port_t, mach_msg_type_number_t, thread_flavor_t;
typedef int32_t integer_t, kern_return_t, policy_t;
typedef mach_port_t task_t, thread_t, thread_act_t, ipc_space_t, thread_inspect_t, task_inspect_t;
typedef thread_act_t *thread_act_array_t;
typedef integer_t *thread_info_t;
typedef uintptr_t vm_address_t, vm_size_t;
typedef struct time_value { integer_t seconds, microseconds; } time_value_t;
struct thread_basic_info {
    time_value_t user_time, system_time;
    integer_t cpu_usage;
    policy_t policy;
    integer_t run_state, flags, suspend_count, sleep_time;
};
typedef struct thread_basic_info thread_basic_info_data_t, *thread_basic_info_t;
struct thread_identifier_info { uint64_t thread_id, thread_handle, dispatch_qaddr; };
typedef struct thread_identifier_info thread_identifier_info_data_t, *thread_identifier_info_t;
/* Annotated so since the SDK of macOS 15.4 (apple/swift-system, issue 373); Swift 6.2 comes with that of macOS 26. */
extern mach_port_t mach_task_self_ __attribute__((swift_attr("nonisolated(unsafe)")));
#define KERN_SUCCESS 0
#define THREAD_BASIC_INFO 3
#define THREAD_IDENTIFIER_INFO 4
#define TH_STATE_RUNNING 1
#define TH_STATE_UNINTERRUPTIBLE 4
mach_port_t mach_thread_self(void), task_self_trap(void);
int pthread_threadid_np(pthread_t, uint64_t *);
kern_return_t task_threads(task_inspect_t, thread_act_array_t *, mach_msg_type_number_t *);
kern_return_t thread_info(thread_inspect_t, thread_flavor_t, thread_info_t, mach_msg_type_number_t *);
kern_return_t mach_port_deallocate(ipc_space_t, mach_port_t), vm_deallocate(task_t, vm_address_t, vm_size_t);

#endif

typedef struct DIR DIR;
struct dirent { ino_t d_ino; char d_name[256]; };
DIR *opendir(const char *);
struct dirent *readdir(DIR *);
int closedir(DIR *);

// MARK: What the modules of the toolchain need themselves

typedef int sem_t;
double cos(double), exp(double), log(double), log2(double), log10(double), pow(double, double), sin(double), sqrt(double);
double ceil(double), fabs(double), floor(double), fmod(double, double), round(double), trunc(double);
long syscall(long, ...);
#define SYS_futex 202
#define SYS_gettid 186
#define FUTEX_LOCK_PI_PRIVATE 134
#define FUTEX_TRYLOCK_PI 8
#define FUTEX_UNLOCK_PI_PRIVATE 135
