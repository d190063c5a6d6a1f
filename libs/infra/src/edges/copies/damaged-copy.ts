/** A log, a backup or an export is not what it was when it was written (exit code 3 of the commands). The message is for whoever gave the command. */
export class DamagedCopy extends Error {
  override readonly name = 'DamagedCopy';
}

/** A copy cannot be made or taken as things are. The message is for whoever gave the command. */
export class CopyRefused extends Error {
  override readonly name = 'CopyRefused';
}
