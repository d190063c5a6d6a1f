import { Problem } from '#api/ops-kit/problem.js';
import { readQuery } from '#api/ops-kit/strict-input.js';
import { WrongUsage } from './command-failed.js';

/** Options of a command as the parameters of the HTTP call for the same. @throws WrongUsage that names every wrong one */
export const queryIn = <T extends object>(type: new () => T, options: Readonly<Record<string, unknown>>): T => {
  try {
    return readQuery(type, options);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new WrongUsage(`error: ${(error.errors ?? []).map(({ member, detail }) => `--${member} ${detail}`).join('; ')}`);
  }
};
