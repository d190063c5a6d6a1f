import { EventFailed, type EventReference } from '#infra/engine/projection-runner/failure.js';
import { type DocumentCodec, type DocumentKey, decoded } from '#projections/shared/projection.js';
import type { Change } from '#projections/shared/read-store.js';
import { type DocumentVersion, encoded } from './document-version.js';

/** A document as the store has it: its text, or the decoded text; neither: there is none. `bytes`: length of the text, `null`: there is none. */
export type Content = Readonly<{ value?: unknown; text?: Buffer | string | null; bytes?: number | null | undefined }>;

/** A document of a batch: its content, which may be unknown, and what the batch makes of it. */
export class BatchDocument {
  /** The event that wrote it last; `null` if it is unchanged. */
  writer: EventReference | null = null;
  /** Its newest version, where versions are kept. */
  version: DocumentVersion | null = null;
  /** Set if an event has read it, so that further reads are likely. */
  isRead = false;
  /** Set if an event has read its length. */
  isMeasured = false;
  /** The decoded document. `undefined`: there is none, or it is still `text`. */
  private value: unknown;
  private text: Buffer | string | null = null;
  private isKnown = false;
  /** Pieces that follow the value or text. */
  private pieces = '';
  /** Length of the text with all pieces, in bytes of UTF-8. `undefined`: unknown. */
  private bytes: number | null | undefined;
  /** Set if the batch has written or removed the whole document. */
  private isWhole = false;
  /** Pieces to be written, unless the whole document is. */
  private added = '';
  /** Length of the text in UTF-16 units, when last known. */
  private length = 0;

  /** @param at moment of the batch at which it was fetched or written, to compare with the removal of a prefix */
  constructor(
    readonly codec: DocumentCodec,
    public at: number,
  ) {}

  /** Returns whether it can be read in this form without a look at the store. */
  shows(form: DocumentKey['form']): boolean {
    return this.isKnown || (form === 'length' && this.bytes !== undefined);
  }

  /** Takes what the store has. Pieces added by the batch follow it. */
  learn({ value, text = null, bytes, length = 0 }: Content & Readonly<{ length?: number }>): void {
    const isThere = value !== undefined || text !== null || this.writer !== null;
    this.value = value;
    this.text = value === undefined && isThere ? (text ?? '') : null;
    this.isKnown = true;
    this.length = text?.length ?? length;
    if (bytes !== undefined) this.measure(bytes);
    else if (value === undefined) this.measure(text === null ? null : Buffer.byteLength(text));
  }

  /** Takes the length that the store has. */
  measure(bytes: number | null): void {
    this.bytes = this.writer === null ? bytes : (bytes ?? 0) + Buffer.byteLength(this.added);
  }

  /** The content that later batches may use. `undefined`: none. */
  get remembered(): (Content & Readonly<{ length: number }>) | undefined {
    const { value, bytes } = this;
    const length = this.version?.length ?? this.length;
    if (value !== undefined && this.isRead && this.pieces === '') return { value, bytes: this.isMeasured ? bytes : undefined, length };
    return this.isMeasured && bytes !== undefined ? { bytes, length: 0 } : undefined;
  }

  /** The document; `undefined` if there is none. */
  read(): unknown {
    if (this.pieces !== '') {
      this.text = this.encoded();
      this.value = undefined;
      this.pieces = '';
    }
    if (this.text !== null) {
      this.value = decoded(this.codec, this.text);
      this.text = null;
    }
    return this.value;
  }

  /** Length of its text in bytes; `undefined` if there is none. */
  readLength(): number | undefined {
    this.isMeasured = true;
    if (this.bytes === undefined) {
      const text = this.encoded();
      this.bytes = text === null ? null : Buffer.byteLength(text);
    }
    return this.bytes ?? undefined;
  }

  /** @param text in place of the value: what pieces follow. Without value and text the document is removed */
  write(writer: EventReference, at: number, value: unknown, text: '' | null = null): void {
    [this.writer, this.at, this.isWhole, this.isKnown] = [writer, at, true, true];
    [this.pieces, this.added] = ['', ''];
    this.value = value;
    this.text = text;
    this.length = 0;
    this.bytes = value === undefined && text === null ? null : undefined;
  }

  append(writer: EventReference, at: number, piece: string): void {
    if (this.isKnown && this.value === undefined) this.text ??= '';
    [this.writer, this.at] = [writer, at];
    this.pieces += piece;
    if (!this.isWhole) this.added += piece;
    if (this.bytes !== undefined) this.bytes = (this.bytes ?? 0) + Buffer.byteLength(piece);
  }

  /** Keeps the text in place of a value that no event has read. Returns the characters that this takes. @throws EventFailed */
  encode(): number {
    if (this.isRead || this.value === undefined || this.writer === null) return 0;
    this.text = this.written(this.writer);
    this.value = undefined;
    this.pieces = '';
    return this.text?.length ?? 0;
  }

  /** The change that the batch makes. @throws EventFailed it cannot be encoded; the failure names the event that wrote it last */
  change(collection: string, key: string): Change | undefined {
    if (this.writer === null) return undefined;
    if (!this.isWhole) return { kind: 'append', collection, key, piece: this.added };
    const text = this.written(this.writer);
    return text === null ? { kind: 'delete', collection, key } : { kind: 'put', collection, key, value: text };
  }

  private written(writer: EventReference): string | Buffer | null {
    try {
      const text = this.encoded();
      this.length = text?.length ?? 0;
      return text;
    } catch (error) {
      throw new EventFailed(writer, error);
    }
  }

  /** The text with all pieces. */
  private encoded(): Buffer | string | null {
    const text = this.value === undefined ? this.text : encoded(this.codec, this.value);
    return this.pieces === '' ? text : String(text ?? '').toWellFormed() + this.pieces;
  }
}
