/** A command cannot do what it was asked to; the message is for whoever gave it. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
}
