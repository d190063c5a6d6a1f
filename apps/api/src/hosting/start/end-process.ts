import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** Longest wait for calls of the file system that do not return, and then for Node itself, in milliseconds. */
const FILE_SYSTEM_MS = 500;
const NODE_MS = 1_500;
const LOOK_MS = 10;

/** Node waits for such a call before it ends, for ever if the file is on a file system that does not answer. */
const isInFileSystem = (): boolean => process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'));

/**
 * Ends the process with this code even if one of its threads stands still in native code, where `process.exit` alone waits for it without end. Such a process
 * is killed: its code is that of a killed process then. Resolves never.
 */
export const endProcess = async (code: number): Promise<never> => {
  const end = performance.now() + FILE_SYSTEM_MS;
  while (isInFileSystem() && performance.now() < end) await sleep(LOOK_MS);
  if (isInFileSystem()) killThisProcess();
  if (code !== 0) killIfThere(NODE_MS); // with 0 every thread has ended in order
  process.exit(code);
};

/** The first process of a container gets no signals that it does not handle, from itself neither; it can only abort. */
const killThisProcess = (): never => {
  process.kill(process.pid, 'SIGKILL');
  process.abort();
};

/** Starts a process that kills this one, unless its input, which is of this one, has ended within the time. */
const killIfThere = (milliseconds: number): void => {
  const program = `setTimeout(() => process.kill(${process.pid}, 'SIGKILL'), ${milliseconds}); process.stdin.resume().on('end', () => process.exit());`;
  spawn(process.execPath, ['--eval', program], { stdio: ['pipe', 'ignore', 'ignore'], detached: true }).on('error', () => undefined);
};
