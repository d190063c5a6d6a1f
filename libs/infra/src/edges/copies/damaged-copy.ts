/** A log, backup or export differs from what was written (exit code 3 of the commands). The message is shown to the command's user. */
export class DamagedCopy extends Error {
  override readonly name = 'DamagedCopy';
}

/** A copy cannot be made or used in the current state. The message is shown to the user of the command. */
export class CopyRefused extends Error {
  override readonly name = 'CopyRefused';
}
