import { EventFailed, type EventReference } from '#infra/engine/projection-runner/failure.js';
import type { DocumentChange, DocumentCodec } from '#projections/shared/projection.js';
import type { Change } from '#projections/shared/read-store.js';

type KeyChange = Exclude<DocumentChange, { kind: 'delete-prefix' }>;

/**
 * Maximum length of a document's text, in UTF-16 units: at most 384 MiB of UTF-8, which every read store accepts. Far more than any
 * document that commands can create.
 */
const MAX_DOCUMENT_LENGTH = 128 * 2 ** 20;

/** @throws the error of the codec; the document is too long */
export const encoded = (codec: DocumentCodec, value: unknown): string | Buffer => {
  const text = codec.encode(value);
  if (text.length > MAX_DOCUMENT_LENGTH)
    throw new Error(`a document of ${text.length} characters is too long, ${MAX_DOCUMENT_LENGTH} are possible`);
  return text;
};

/** Change of a document by the events of one append. It is encoded as the last of them leaves it. */
export class DocumentVersion {
  private change: KeyChange | undefined;
  private writer: EventReference | undefined;
  private text: string | Buffer | null = null;
  /** Length of its text, once it was made. */
  length = 0;

  /** @param append number of the append in the batch */
  constructor(
    readonly append: number,
    private readonly codec: DocumentCodec,
  ) {}

  /** Returns false if it cannot be one change with those before. */
  take(change: KeyChange, writer: EventReference): boolean {
    const { change: before } = this;
    if (change.kind !== 'append') this.change = change;
    else if (before === undefined) this.change = { ...change, piece: change.piece.toWellFormed() };
    else if (before.kind === 'append') this.change = { ...before, piece: before.piece + change.piece.toWellFormed() };
    else return false;
    this.writer = writer;
    this.text = null;
    return true;
  }

  /** Returns the length of a text that was made. @throws EventFailed it cannot be encoded; the failure names the event that wrote it last */
  encode(): number {
    const { change, writer } = this;
    if (change?.kind !== 'put' || this.text !== null || !writer) return 0;
    try {
      this.text = encoded(this.codec, change.value);
      this.length = this.text.length;
      this.change = { ...change, value: undefined }; // the text is enough
      return this.length;
    } catch (error) {
      throw new EventFailed(writer, error);
    }
  }

  /** The change at the position of the last event. @throws EventFailed */
  encoded(): Change {
    this.encode();
    const { change, writer, text } = this;
    if (!change || !writer) throw new Error('a version without a change');
    const { position } = writer;
    if (change.kind !== 'put') return { ...change, position };
    return { kind: 'put', collection: change.collection, key: change.key, value: text ?? '', position };
  }
}
