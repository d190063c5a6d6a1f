import { WrongExpectedRevision } from '#domain/shared/event-store.js';
import type { NewEvent, Position } from '#domain/shared/events.js';
import type { ImportTarget } from '#domain/shared/import-target.js';
import { DESTROYED } from '#infra/stores/secrets/key-events.js';
import { CopyRefused } from './damaged-copy.js';
import { isKeyStream } from './key-streams.js';
import { doesNotFit } from './parse-line.js';

/** Consecutive events of one stream. `revision`, and `line` of the export, are those of the first event. */
type Batch = Readonly<{
  stream: string;
  revision: number;
  line: number;
  events: readonly NewEvent[];
  recordedAt: number;
  bytes: number;
}>;

/** Maximum appends in progress, and characters of their events. They become durable together. */
const [MAX_UNDER_WAY, MAX_BYTES_UNDER_WAY] = [512, 16 * 2 ** 20];
/** A larger append waits for those before it, and is awaited, because a store may need several steps for it. */
const LARGE_BYTES = 500_000;

/**
 * Appends to a log without other writers, in order. Many appends are in progress at a time. Events written by an earlier attempt are
 * recognised by their ids.
 */
export class OrderedAppends {
  private readonly underWay: Readonly<{ appending: Promise<void>; bytes: number }>[] = [];
  private bytes = 0;
  private last: Position = 0n;

  constructor(private readonly target: ImportTarget) {}

  async append(batch: Batch): Promise<void> {
    if (batch.bytes > LARGE_BYTES) await this.settle();
    while (this.underWay.length >= MAX_UNDER_WAY || this.bytes > MAX_BYTES_UNDER_WAY) await this.oldest();
    const appending = this.write(batch);
    appending.catch(() => {}); // reported when it is awaited
    this.underWay.push({ appending, bytes: batch.bytes });
    this.bytes += batch.bytes;
    if (batch.bytes > LARGE_BYTES) await this.settle();
  }

  /** Waits for all appends. @throws the error of the first one that failed */
  async settle(): Promise<void> {
    while (this.underWay.length > 0) await this.oldest();
  }

  private async oldest(): Promise<void> {
    const { appending, bytes = 0 } = this.underWay.shift() ?? {};
    this.bytes -= bytes;
    await appending;
  }

  private async write({ stream, revision, line, events, recordedAt }: Batch): Promise<void> {
    const expected = revision === 0 ? 'no-stream' : BigInt(revision - 1);
    try {
      const { position } = await this.target.appendRecordedAt(stream, events, expected, recordedAt);
      this.inOrder(position);
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error;
      await this.appendRest({ stream, revision, line, events, recordedAt }, error);
    }
  }

  /** Appends the rest, because an earlier attempt may have written some of these events. */
  private async appendRest(
    { stream, revision, line, events, recordedAt }: Omit<Batch, 'bytes'>,
    conflict: WrongExpectedRevision,
  ): Promise<void> {
    if (isKeyStream(stream) && (await this.isDestroyed(stream))) return; // erased here: nothing of the file is needed
    const found = await this.target.readStream(stream, { from: BigInt(revision), limit: events.length });
    const other = found.find(({ id, revision: at }) => events[Number(at) - revision]?.id.toLowerCase() !== id.toLowerCase());
    const written = conflict.actual === 'no-stream' ? 0 : Number(conflict.actual) + 1 - revision;
    if (other || written <= 0)
      throw doesNotFit(
        { number: line },
        `has revision ${revision} of a stream that ends with ${conflict.actual}: the events do not follow each other, or somebody writes to this log`,
      );
    const rest = events.slice(written);
    if (rest.length > 0) await this.target.appendRecordedAt(stream, rest, BigInt(revision + written - 1), recordedAt);
  }

  private async isDestroyed(stream: string): Promise<boolean> {
    const [last] = await this.target.readStream(stream, { direction: 'backwards', limit: 1 });
    return last?.type === DESTROYED;
  }

  private inOrder(position: Position): void {
    if (position < this.last)
      throw new CopyRefused('the event log was interrupted and took events in another order: begin again with an empty log');
    this.last = position;
  }
}
