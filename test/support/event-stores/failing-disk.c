/*
 * A disk for tests that fails, or whose writes are recorded: LD_PRELOAD it into a process.
 *
 * FAILING_DISK: a file. While it is there, with the line `<calls> <part>`, the next call of one of these kinds on a path with this part fails with EIO, and
 * the file is removed. Calls: `header` (a write of less than a page, as LMDB writes its headers), `page` (another write), `append` (a write at the end),
 * `read` (at a place), `flush`.
 *
 * FAILING_DISK_ROOT: a directory, for the rest. Only calls on paths under it count.
 * FAILING_DISK_NTH: `<kind> <n> <error> <times> [part]`. Calls n to n + times - 1 of a kind (`write`, `flush`, `rename`, `open`, `truncate`), on paths with this
 * part, fail with `EIO` or `ENOSPC`, or (`SHORT`, writes only) write half; each leaves a line in FAILING_DISK_SAID.
 * FAILING_DISK_JOURNAL: a file that gets a record of each change, see journal.ts.
 * FAILING_DISK_BOOT: a file whose text the process sees as the id of the boot.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define SMALLEST_PAGE 4096
#define BOOT_ID "/proc/sys/kernel/random/boot_id"

#define REAL(name) \
  static __typeof__(&name) real; \
  if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

/* By themselves, for what this library reads and writes. */
static ssize_t write_all(int fd, const struct iovec *parts, int count) {
  REAL(writev);
  return real(fd, parts, count);
}
static int open_file(const char *path, int flags) {
  REAL(open64);
  return real(path, flags | O_CLOEXEC, 0600);
}

static char root[PATH_MAX];
static size_t root_length;
static char nth_kind[16], nth_error[16], nth_part[256];
static long nth, nth_times;
static atomic_long calls;
static int said = -1, journal = -1;
static pthread_mutex_t journal_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t sequence;

__attribute__((constructor)) static void begin(void) {
  const char *under = getenv("FAILING_DISK_ROOT"), *which = getenv("FAILING_DISK_NTH");
  const char *say = getenv("FAILING_DISK_SAID"), *record = getenv("FAILING_DISK_JOURNAL");
  if (!under) return;
  root_length = (size_t)snprintf(root, sizeof root, "%s", under);
  if (which && sscanf(which, "%15s %ld %15s %ld %255s", nth_kind, &nth, nth_error, &nth_times, nth_part) < 4) abort();
  if (say) said = open_file(say, O_WRONLY | O_CREAT | O_APPEND);
  if (record) journal = open_file(record, O_WRONLY | O_CREAT | O_APPEND);
}

static int path_of(int fd, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX);
  if (length <= 0) return 0;
  path[length] = 0;
  return 1;
}

static int is_under(const char *path) {
  return root_length > 0 && strncmp(path, root, root_length) == 0 && (path[root_length] == '/' || path[root_length] == 0);
}

static int fails(const char *call, int fd) {
  const char *faults = getenv("FAILING_DISK");
  if (!faults || access(faults, F_OK) != 0) return 0;
  char path[PATH_MAX + 1], line[PATH_MAX], kinds[64], part[PATH_MAX];
  if (!path_of(fd, path)) return 0;
  int file = open_file(faults, O_RDONLY);
  if (file < 0) return 0;
  ssize_t length = read(file, line, sizeof line - 1);
  close(file);
  if (length <= 0) return 0;
  line[length] = 0;
  if (sscanf(line, "%63s %4095s", kinds, part) != 2 || !strstr(kinds, call) || !strstr(path, part)) return 0;
  if (unlink(faults) != 0) return 0; /* another call was first */
  errno = EIO;
  return 1;
}

enum fate { DONE, FAILED, HALF };

/* What becomes of this call by FAILING_DISK_NTH. */
static enum fate fate_of(const char *kind, const char *path) {
  if (nth == 0 || strcmp(kind, nth_kind) != 0 || !is_under(path) || !strstr(path + root_length, nth_part)) return DONE;
  long call = atomic_fetch_add(&calls, 1) + 1;
  if (call < nth || call >= nth + nth_times) return DONE;
  if (said >= 0) dprintf(said, "%s %ld %s %s\n", kind, call, nth_error, path + root_length);
  if (strcmp(nth_error, "SHORT") == 0) return HALF;
  errno = strcmp(nth_error, "ENOSPC") == 0 ? ENOSPC : EIO;
  return FAILED;
}
static enum fate fate_at(const char *kind, int fd) {
  char path[PATH_MAX + 1];
  return nth != 0 && strcmp(kind, nth_kind) == 0 && path_of(fd, path) ? fate_of(kind, path) : DONE;
}

enum change { WRITTEN = 1, CUT, FLUSHED, FLUSHED_DIRECTORY, OPENED, RENAMED, REMOVED, SYMLINKED, MADE_DIRECTORY, REMOVED_DIRECTORY, LINKED };

/* `seen`: number of the newest record that a flush covers; else a place. */
struct record {
  uint32_t change, flag, path_length, other_length;
  uint64_t time, inode, at, size;
};

/* Written after the change, so that what is not there may be lost. */
static void note(enum change change, int flag, uint64_t inode, uint64_t at, const char *path, const char *other, const void *bytes, size_t size) {
  if (journal < 0) return;
  int error = errno;
  struct timespec now;
  struct record record = {change, (uint32_t)flag, (uint32_t)strlen(path), (uint32_t)strlen(other), 0, inode, at, size};
  pthread_mutex_lock(&journal_lock);
  sequence++;
  clock_gettime(CLOCK_MONOTONIC, &now);
  record.time = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
  struct iovec parts[] = {{&record, sizeof record}, {(void *)path, record.path_length}, {(void *)other, record.other_length}, {(void *)bytes, size}};
  if (write_all(journal, parts, 4) < 0) abort();
  pthread_mutex_unlock(&journal_lock);
  errno = error;
}

static uint64_t newest(void) {
  pthread_mutex_lock(&journal_lock);
  uint64_t now = sequence;
  pthread_mutex_unlock(&journal_lock);
  return now;
}

static void note_write(int fd, const void *bytes, ssize_t size, off64_t at) {
  char path[PATH_MAX + 1];
  struct stat stat;
  if (journal < 0 || size <= 0 || !path_of(fd, path) || !is_under(path) || fstat(fd, &stat) != 0) return;
  note(WRITTEN, (fcntl(fd, F_GETFL) & O_DSYNC) != 0, stat.st_ino, (uint64_t)at, path + root_length, "", bytes, (size_t)size);
}

static void note_parts(int fd, const struct iovec *parts, int count, ssize_t size, off64_t at) {
  for (int part = 0; part < count && size > 0; part++) {
    ssize_t length = (ssize_t)parts[part].iov_len < size ? (ssize_t)parts[part].iov_len : size;
    note_write(fd, parts[part].iov_base, length, at);
    at += length;
    size -= length;
  }
}

/* Where a write without a place has ended. */
static off64_t end_of(int fd) { return journal < 0 ? 0 : lseek64(fd, 0, SEEK_CUR); }

static const char *kind(size_t size) { return size < SMALLEST_PAGE ? "header" : "page"; }

#define HALF_OF(size) ((size) > 1 ? (size) / 2 : (size))

#define WRITE_AT(name, offset) \
  ssize_t name(int fd, const void *bytes, size_t size, offset at) { \
    REAL(name); \
    if (fails(kind(size), fd)) return -1; \
    enum fate fate = fate_at("write", fd); \
    if (fate == FAILED) return -1; \
    ssize_t written = real(fd, bytes, fate == HALF ? HALF_OF(size) : size, at); \
    note_write(fd, bytes, written, at); \
    return written; \
  }
WRITE_AT(pwrite, off_t)
WRITE_AT(pwrite64, off64_t)

#define WRITE_PARTS_AT(name, offset) \
  ssize_t name(int fd, const struct iovec *parts, int count, offset at) { \
    REAL(name); \
    if (fails("page", fd)) return -1; \
    enum fate fate = fate_at("write", fd); \
    if (fate == FAILED) return -1; \
    struct iovec half = {parts[0].iov_base, HALF_OF(parts[0].iov_len)}; \
    ssize_t written = fate == HALF ? real(fd, &half, 1, at) : real(fd, parts, count, at); \
    note_parts(fd, parts, count, written, at); \
    return written; \
  }
WRITE_PARTS_AT(pwritev, off_t)
WRITE_PARTS_AT(pwritev64, off64_t)

ssize_t writev(int fd, const struct iovec *parts, int count) {
  REAL(writev);
  if (fails("page", fd)) return -1;
  enum fate fate = fate_at("write", fd);
  if (fate == FAILED) return -1;
  struct iovec half = {parts[0].iov_base, HALF_OF(parts[0].iov_len)};
  ssize_t written = fate == HALF ? real(fd, &half, 1) : real(fd, parts, count);
  if (written > 0) note_parts(fd, parts, count, written, end_of(fd) - written);
  return written;
}
ssize_t write(int fd, const void *bytes, size_t size) {
  REAL(write);
  if (fails("append", fd)) return -1;
  enum fate fate = fate_at("write", fd);
  if (fate == FAILED) return -1;
  ssize_t written = real(fd, bytes, fate == HALF ? HALF_OF(size) : size);
  if (written > 0) note_write(fd, bytes, written, end_of(fd) - written);
  return written;
}

ssize_t pread(int fd, void *bytes, size_t size, off_t at) {
  REAL(pread);
  return fails("read", fd) ? -1 : real(fd, bytes, size, at);
}
ssize_t pread64(int fd, void *bytes, size_t size, off64_t at) {
  REAL(pread64);
  return fails("read", fd) ? -1 : real(fd, bytes, size, at);
}

static void note_flush(int fd, uint64_t seen) {
  char path[PATH_MAX + 1];
  struct stat stat;
  if (journal < 0 || !path_of(fd, path) || !is_under(path) || fstat(fd, &stat) != 0) return;
  note(S_ISDIR(stat.st_mode) ? FLUSHED_DIRECTORY : FLUSHED, 0, stat.st_ino, seen, path + root_length, "", "", 0);
}

#define FLUSH(name) \
  int name(int fd) { \
    REAL(name); \
    if (fails("flush", fd) || fate_at("flush", fd) == FAILED) return -1; \
    uint64_t seen = newest(); \
    int result = real(fd); \
    if (result == 0) note_flush(fd, seen); \
    return result; \
  }
FLUSH(fdatasync)
FLUSH(fsync)

#define TRUNCATE(name, offset) \
  int name(int fd, offset size) { \
    REAL(name); \
    if (fate_at("truncate", fd) == FAILED) return -1; \
    int result = real(fd, size); \
    char path[PATH_MAX + 1]; \
    struct stat stat; \
    if (result == 0 && journal >= 0 && path_of(fd, path) && is_under(path) && fstat(fd, &stat) == 0) \
      note(CUT, 0, stat.st_ino, (uint64_t)size, path + root_length, "", "", 0); \
    return result; \
  }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    REAL(name); \
    va_list more; \
    va_start(more, flags); \
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0; \
    va_end(more); \
    const char *boot = strcmp(path, BOOT_ID) == 0 ? getenv("FAILING_DISK_BOOT") : NULL; \
    if (fate_of("open", path) == FAILED) return -1; \
    int is_new = journal >= 0 && (flags & O_CREAT) && is_under(path) && access(path, F_OK) != 0; \
    int fd = real(boot ? boot : path, flags, mode); \
    struct stat stat; \
    if (fd >= 0 && journal >= 0 && is_under(path) && fstat(fd, &stat) == 0) \
      note(OPENED, is_new | (flags & O_TRUNC ? 2 : 0), stat.st_ino, 0, path + root_length, "", "", 0); \
    return fd; \
  }
OPEN(open)
OPEN(open64)

int rename(const char *from, const char *to) {
  REAL(rename);
  if (fate_of("rename", to) == FAILED) return -1;
  int result = real(from, to);
  if (result == 0 && is_under(from) && is_under(to)) note(RENAMED, 0, 0, 0, from + root_length, to + root_length, "", 0);
  return result;
}
int unlink(const char *path) {
  REAL(unlink);
  int result = real(path);
  if (result == 0 && is_under(path)) note(REMOVED, 0, 0, 0, path + root_length, "", "", 0);
  return result;
}
int rmdir(const char *path) {
  REAL(rmdir);
  int result = real(path);
  if (result == 0 && is_under(path)) note(REMOVED_DIRECTORY, 0, 0, 0, path + root_length, "", "", 0);
  return result;
}
/* By which Node 24 removes. */
int remove(const char *path) {
  REAL(remove);
  struct stat stat;
  int is_directory = lstat(path, &stat) == 0 && S_ISDIR(stat.st_mode);
  int result = real(path);
  if (result == 0 && is_under(path)) note(is_directory ? REMOVED_DIRECTORY : REMOVED, 0, 0, 0, path + root_length, "", "", 0);
  return result;
}
int unlinkat(int directory, const char *name, int flags) {
  REAL(unlinkat);
  int result = real(directory, name, flags);
  char path[PATH_MAX + 1], whole[2 * PATH_MAX];
  if (result != 0 || journal < 0 || !path_of(directory, path)) return result;
  snprintf(whole, sizeof whole, "%s/%s", path, name);
  if (is_under(whole)) note(flags & AT_REMOVEDIR ? REMOVED_DIRECTORY : REMOVED, 0, 0, 0, whole + root_length, "", "", 0);
  return result;
}
int mkdir(const char *path, mode_t mode) {
  REAL(mkdir);
  int result = real(path, mode);
  if (result == 0 && is_under(path)) note(MADE_DIRECTORY, 0, 0, 0, path + root_length, "", "", 0);
  return result;
}
int symlink(const char *text, const char *path) {
  REAL(symlink);
  int result = real(text, path);
  if (result == 0 && is_under(path)) note(SYMLINKED, 0, 0, 0, path + root_length, text, "", 0);
  return result;
}
int link(const char *from, const char *to) {
  REAL(link);
  int result = real(from, to);
  if (result == 0 && is_under(from) && is_under(to)) note(LINKED, 0, 0, 0, from + root_length, to + root_length, "", 0);
  return result;
}
