/** A file is not a valid export: nothing after this place can be read. The message contains no data. */
export class DamagedExport extends Error {
  override readonly name = 'DamagedExport';
}
