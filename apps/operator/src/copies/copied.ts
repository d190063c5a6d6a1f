import { CopyRefused, DamagedCopy } from '#infra/edges/copies/damaged-copy.js';
import { EnvironmentNotCopied } from '#infra/platform/lmdb/environment-error.js';
import { CommandFailed } from '#operator/command-failed.js';
import { type CommandOutcome, FOUND } from '#operator/frame.js';

/** Result of a command about copies; damage has its own exit code. @throws CommandFailed the request is not possible */
export const copied = async (work: () => Promise<CommandOutcome>): Promise<CommandOutcome> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DamagedCopy) return { code: FOUND, message: error.message };
    throw error instanceof CopyRefused || error instanceof EnvironmentNotCopied || isOfFile(error)
      ? new CommandFailed(error.message)
      : error;
  }
};

/** Recognises file system errors: no such file, no space left and so on. */
const isOfFile = (error: unknown): error is Error =>
  typeof error === 'object' && error !== null && 'syscall' in error && 'message' in error && 'code' in error;
