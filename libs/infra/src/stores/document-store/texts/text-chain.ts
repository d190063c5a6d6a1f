import { applyDelta } from './delta.js';
import {
  Damaged,
  type DocumentRecord,
  type DocumentVersion,
  type FileRange,
  pieceIn,
  textLengthOf,
  type VersionPlace,
  versionsBack,
  type WantedDocument,
} from './record.js';
import type { CachedText } from './text-cache.js';

const NOTHING = Buffer.alloc(0);

/** The records of a text, from the wanted version back to its last whole text. */
export class TextChain {
  readonly name: string;
  readonly place: VersionPlace;
  /** The record to be added next. `undefined`: the text is known. */
  next: FileRange | undefined;
  private base: Buffer = NOTHING;
  private newest: DocumentRecord | undefined;
  /** Deltas and pieces, newest first. */
  private readonly changes: DocumentVersion[] = [];

  constructor({ name, place }: WantedDocument) {
    this.name = name;
    this.place = place;
    this.next = place;
  }

  /** @throws Damaged */
  add(record: DocumentRecord): void {
    const from = this.newest ? undefined : this.place.version;
    this.newest ??= record;
    for (const version of versionsBack(record, from)) {
      const { kind, body } = version;
      if (kind === 'whole') this.begin(body);
      else if (kind === 'gone') this.end();
      else this.changes.push(version);
      if (!this.next) return;
    }
    this.next = record.before;
    if (!this.next) this.end();
  }

  /** Sets the text before the changes. */
  begin(text: Buffer): void {
    this.base = text;
    this.next = undefined;
  }

  /** A copy of the text. @throws Damaged; RangeError a delta does not fit its base */
  join(): CachedText {
    let parts = [this.base];
    let length = this.base.length;
    for (const { position, kind, body } of this.changes.toReversed()) {
      if (kind === 'piece') {
        const piece = pieceIn(body);
        length += piece.length;
        if (length !== textLengthOf({ position, kind, body })) throw new Damaged('a text of several pieces');
        parts.push(piece);
        continue;
      }
      const text = applyDelta(parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts), body);
      parts = [text];
      length = text.length;
    }
    const { deltas = 0, deltaBytes = 0 } = this.newest ?? {};
    return { offset: this.place.offset, text: Buffer.concat(parts), deltas, deltaBytes };
  }

  /** There is no text before the changes: the first of them must be a piece. */
  private end(): void {
    if (this.changes.at(-1)?.kind !== 'piece') throw new Damaged('a document without a text');
    this.next = undefined;
  }
}
