import { isTextUpTo } from '#domain/operations/given-texts.js';

/** A command cannot do what was requested; the message is for its user. Exit code 1. */
export class CommandFailed extends Error {
  override readonly name: string = 'CommandFailed';
}

/** A command was called with invalid arguments. Exit code 2. */
export class WrongUsage extends CommandFailed {
  override readonly name = 'WrongUsage';
}

/** Refuses a text that the call over HTTP would refuse. @throws WrongUsage */
export const expectText = (option: string, text: string, most: number): void => {
  if (!isTextUpTo(text, most)) throw new WrongUsage(`error: ${option} takes 1 to ${most} characters`);
};
