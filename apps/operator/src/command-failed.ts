/** A command cannot do what was requested; the message is for its user. Exit code 1. */
export class CommandFailed extends Error {
  override readonly name: string = 'CommandFailed';
}

/** A command was called with invalid arguments. Exit code 2. */
export class WrongUsage extends CommandFailed {
  override readonly name = 'WrongUsage';
}
