import { Damaged, type FileRange } from '../texts/record.js';
import type { Files } from './files.js';

/** An open file. Methods throw file system errors. */
export class DataFile {
  private readonly opened: number;
  private isOpen = true;

  constructor(
    private readonly files: Files,
    /** Its name; numbers are never reused. */
    readonly number: number,
    private readonly path: string,
    flags: 'r' | 'r+' | 'w+',
  ) {
    this.opened = files.open(path, flags);
  }

  size(): number {
    return this.files.size(this.descriptor);
  }

  /** @param bytes filled and returned. Default: a new buffer @throws Damaged the file is too short */
  read({ offset, length }: FileRange, bytes: Buffer = Buffer.allocUnsafe(length)): Buffer {
    for (let at = 0; at < length; ) {
      const read = this.files.read(this.descriptor, bytes, at, offset + at);
      if (read === 0) throw new Damaged('the build file is too short');
      at += read;
    }
    return bytes;
  }

  /** Writes all bytes. If it throws, some may be written. */
  write(bytes: Buffer, offset: number): void {
    for (let at = 0; at < bytes.length; ) {
      const written = this.files.write(this.descriptor, bytes, at, offset + at);
      if (written === 0) throw new Error('cannot write to the build file');
      at += written;
    }
  }

  truncate(length: number): void {
    this.files.truncate(this.descriptor, length);
  }

  requireRoom(bytes: number): void {
    this.files.requireRoom(this.path, bytes);
  }

  async sync(): Promise<void> {
    await this.files.sync(this.descriptor);
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.files.close(this.opened);
  }

  /** The number of a closed one may be another file's by now. */
  private get descriptor(): number {
    if (!this.isOpen) throw Object.assign(new Error('the build file is closed'), { code: 'EBADF' });
    return this.opened;
  }
}
