import { LRUCache } from 'lru-cache';
import { mayExpire } from '#domain/integrity/expiring.js';
import type { EventMetadata, NewEvent } from '#domain/shared/events.js';
import type { ImportTarget } from '#domain/shared/import-target.js';
import type { EventLine } from './export-lines.js';
import { isKeyStream } from './key-streams.js';
import { OrderedAppends } from './ordered-appends.js';
import type { NumberedLine } from './read-lines.js';

/** As many as the embedded log stores in one block. */
const BATCH_EVENTS = 100;
const BATCH_CHARACTERS = 32 * 2 ** 10;
const MAX_STREAMS = 50_000;

/**
 * Writes events into their streams in the order of arrival. Consecutive events of one stream are appended together. If a stream has lost
 * events before one, their revisions are skipped.
 */
export class StreamWriter {
  private readonly appends: OrderedAppends;
  private waiting: Readonly<{ stream: string; revision: number; line: number; events: NewEvent[] }> | undefined;
  private characters = 0;
  /** Log time in milliseconds at which the waiting events count as stored. */
  private recordedAt = 0;
  /** Next revision of streams that lose events. */
  private readonly next = new LRUCache<string, number>({ max: MAX_STREAMS });

  constructor(private readonly target: ImportTarget) {
    this.appends = new OrderedAppends(target);
  }

  async write(
    { stream, revision, id, type, metadata, data }: EventLine,
    { number: line, text: { length: characters } }: NumberedLine,
  ): Promise<void> {
    if (mayExpire(stream) || isKeyStream(stream)) {
      if (!(await this.isNext(stream, revision))) await this.skip(stream, revision);
      this.next.set(stream, revision + 1);
    }
    const { waiting } = this;
    const fits =
      waiting?.stream === stream && waiting.revision + waiting.events.length === revision && waiting.events.length < BATCH_EVENTS;
    if (!fits || this.characters + characters > BATCH_CHARACTERS) await this.send();
    this.waiting ??= { stream, revision, line, events: [] };
    this.waiting.events.push({ id, type, data, metadata: metadata as EventMetadata });
    this.characters += characters;
    this.recordedAt = Math.max(this.recordedAt, Math.min(Date.now(), Date.parse(String(metadata.time)) || 0));
  }

  /** Makes `next` the next revision of a stream whose earlier events have expired, unless it is further on. */
  async skip(stream: string, next: number): Promise<void> {
    if ((this.next.get(stream) ?? 0) >= next) return;
    await this.settle();
    await this.target.skip(stream, BigInt(next));
    this.next.set(stream, next);
  }

  /** Resolves when everything is written. */
  async settle(): Promise<void> {
    await this.send();
    await this.appends.settle();
  }

  private async send(): Promise<void> {
    const { waiting, characters, recordedAt } = this;
    if (!waiting) return;
    this.waiting = undefined;
    this.characters = 0;
    await this.appends.append({ ...waiting, recordedAt, bytes: characters });
  }

  private async isNext(stream: string, revision: number): Promise<boolean> {
    if (revision === 0) return true;
    const known = this.next.get(stream);
    if (known !== undefined) return known >= revision;
    await this.settle();
    const [last] = await this.target.readStream(stream, { direction: 'backwards', limit: 1 });
    return last !== undefined && Number(last.revision) + 1 >= revision;
  }
}
