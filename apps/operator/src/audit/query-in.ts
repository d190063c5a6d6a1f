import { Problem } from '#api/ops-kit/problem.js';
import { readQuery } from '#api/ops-kit/strict-input.js';
import { WrongUsage } from '../command-failed.js';

/** Converts options of a command to the parameters of the corresponding HTTP call. @throws WrongUsage that names every invalid one */
export const queryIn = <T extends object>(type: new () => T, options: Readonly<Record<string, unknown>>): T => {
  try {
    return readQuery(type, options);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new WrongUsage(`error: ${(error.errors ?? []).map(({ member, detail }) => `--${member} ${detail}`).join('; ')}`);
  }
};
