/** A file does not hold what an export holds: nothing after this place can be read. The message has no contents. */
export class DamagedExport extends Error {
  override readonly name = 'DamagedExport';
}
