/** Whether a process with this id runs on this machine; false for an invalid id. */
export const isRunning = (pid: number): boolean => {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false; // 0 and negative numbers are groups of processes
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return typeof error === 'object' && error !== null && 'code' in error && error.code === 'EPERM'; // it is another user's
  }
};
