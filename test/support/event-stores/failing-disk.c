/*
 * Makes writes of a process fail with EIO, for tests: LD_PRELOAD it, and name a file in FAILING_DISK. While that file is there, with the line `<calls> <part>`,
 * the next call of one of these kinds on a path with this part fails, and the file is removed. Calls: `header` (a write of less than a page, as LMDB writes
 * its headers), `page` (another write), `append` (a write at the end), `read` (at a place), `flush`.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define SMALLEST_PAGE 4096

static int fails(const char *call, int fd) {
  const char *faults = getenv("FAILING_DISK");
  if (!faults || access(faults, F_OK) != 0) return 0;
  char link[64], path[PATH_MAX + 1], line[PATH_MAX], calls[64], part[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX);
  if (length <= 0) return 0;
  path[length] = 0;
  int file = open(faults, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  length = read(file, line, sizeof line - 1);
  close(file);
  if (length <= 0) return 0;
  line[length] = 0;
  if (sscanf(line, "%63s %4095s", calls, part) != 2 || !strstr(calls, call) || !strstr(path, part)) return 0;
  if (unlink(faults) != 0) return 0; /* another call was first */
  errno = EIO;
  return 1;
}

static const char *kind(size_t size) { return size < SMALLEST_PAGE ? "header" : "page"; }

#define REAL(name) \
  static __typeof__(&name) real; \
  if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) {
  REAL(pwrite);
  return fails(kind(size), fd) ? -1 : real(fd, bytes, size, at);
}
ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at) {
  REAL(pwrite64);
  return fails(kind(size), fd) ? -1 : real(fd, bytes, size, at);
}
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) {
  REAL(pwritev);
  return fails("page", fd) ? -1 : real(fd, parts, count, at);
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at) {
  REAL(pwritev64);
  return fails("page", fd) ? -1 : real(fd, parts, count, at);
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
  REAL(writev);
  return fails("page", fd) ? -1 : real(fd, parts, count);
}
ssize_t write(int fd, const void *bytes, size_t size) {
  REAL(write);
  return fails("append", fd) ? -1 : real(fd, bytes, size);
}
ssize_t pread(int fd, void *bytes, size_t size, off_t at) {
  REAL(pread);
  return fails("read", fd) ? -1 : real(fd, bytes, size, at);
}
ssize_t pread64(int fd, void *bytes, size_t size, off64_t at) {
  REAL(pread64);
  return fails("read", fd) ? -1 : real(fd, bytes, size, at);
}
int fdatasync(int fd) {
  REAL(fdatasync);
  return fails("flush", fd) ? -1 : real(fd);
}
int fsync(int fd) {
  REAL(fsync);
  return fails("flush", fd) ? -1 : real(fd);
}
