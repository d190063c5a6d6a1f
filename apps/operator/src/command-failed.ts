/** A command cannot do what it was asked to; the message is for whoever gave it. Exit code 1. */
export class CommandFailed extends Error {
  override readonly name: string = 'CommandFailed';
}

/** A command was called with something that it does not take. Exit code 2. */
export class WrongUsage extends CommandFailed {
  override readonly name = 'WrongUsage';
}
