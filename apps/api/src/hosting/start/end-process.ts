import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Longest wait for file system calls that do not return, and then for Node itself, in milliseconds. After an orderly end every thread has ended,
 * so both belong to the calls: on a busy disk one of them may take a second.
 */
const FILE_SYSTEM_MS = 500;
const NODE_MS = 1_500;
const LOOK_MS = 10;

/** Node waits for such a call before it ends, without limit if the file system does not answer. */
const isInFileSystem = (): boolean => process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'));

/**
 * Ends the process with this code even if one of its threads is stuck in native code, where `process.exit` alone waits for it without
 * limit. Then the process is killed, and has the code of a killed process. Never resolves.
 */
export const endProcess = async (code: number): Promise<never> => {
  const end = performance.now() + FILE_SYSTEM_MS + (code === 0 ? NODE_MS : 0);
  while (isInFileSystem() && performance.now() < end) await sleep(LOOK_MS);
  if (isInFileSystem()) killThisProcess();
  if (code !== 0) killIfThere(NODE_MS);
  process.exit(code);
};

/** The first process of a container receives no unhandled signals, not even from itself. It can only abort. */
const killThisProcess = (): never => {
  process.kill(process.pid, 'SIGKILL');
  process.abort();
};

/**
 * Starts a process that kills this one, unless its input, which this process holds open, ends within the time. It looks at its input once more
 * before it kills: if it stood still meanwhile, another process may have the id by then.
 */
const killIfThere = (milliseconds: number): void => {
  const program = `
    process.stdin.resume().on('end', () => process.exit());
    setTimeout(() => setTimeout(() => process.kill(${process.pid}, 'SIGKILL'), 10), ${milliseconds});`;
  spawn(process.execPath, ['--eval', program], { stdio: ['pipe', 'ignore', 'ignore'], detached: true }).on('error', () => undefined);
};
