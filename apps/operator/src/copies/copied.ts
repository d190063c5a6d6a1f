import { CopyRefused, DamagedCopy } from '#infra/edges/copies/damaged-copy.js';
import { CommandFailed } from '#operator/command-failed.js';
import { type CommandOutcome, FOUND } from '#operator/frame.js';

/** What a command about copies comes to: damage has an exit code of its own. @throws CommandFailed what was asked for is not possible */
export const copied = async (work: () => Promise<CommandOutcome>): Promise<CommandOutcome> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DamagedCopy) return { code: FOUND, message: error.message };
    throw error instanceof CopyRefused || isOfFile(error) ? new CommandFailed(error.message) : error;
  }
};

/** An error of the file system: no such file, no space left and so on. */
const isOfFile = (error: unknown): error is Error =>
  typeof error === 'object' && error !== null && 'syscall' in error && 'message' in error && 'code' in error;
