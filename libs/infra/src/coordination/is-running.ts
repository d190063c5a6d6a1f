/** Whether a process of this machine is there, by its id. What is no id of a process, as damaged records have it, stands for none. */
export const isRunning = (pid: number): boolean => {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false; // 0 and negative numbers are groups of processes
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return typeof error === 'object' && error !== null && 'code' in error && error.code === 'EPERM'; // it is another user's
  }
};
