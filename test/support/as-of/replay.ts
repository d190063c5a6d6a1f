import { isOfSameAppend } from '#domain/shared/event-ids.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { categoryOf, type Position, type RecordedEvent } from '#domain/shared/events.js';
import type { DocumentCodec, DocumentKey, ProjectedEvent, Projection, ReadDocument } from '#projections/shared/projection.js';
import { byBytes } from '#test/contracts/read-store/model.js';
import { applyChange } from '#test/support/apply-change.js';
import type { Texts } from './documents.js';

type Documents = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Decodes one stored event. */
export type DecodeEvent = (event: RecordedEvent) => Promise<ProjectedEvent>;

/** The documents of one projection after each event, one by one, in memory: what every store of them is compared with. Secrets stand in it as they are. */
class ReplayedProjection {
  /** Changed collections are new maps, so that what was taken before stays. */
  private documents: Documents = new Map();

  constructor(readonly projection: Projection) {}

  /** The documents of now, to be read later. */
  take(): Documents {
    return this.documents;
  }

  concerns({ stream, type }: Pick<RecordedEvent, 'stream' | 'type'>): boolean {
    return this.projection.categories.includes(categoryOf(stream)) && this.projection.handles.has(type);
  }

  apply(event: ProjectedEvent): void {
    const next = new Map<string, Map<string, string>>();
    for (const change of this.projection.apply(event, this.reader(event))) {
      const texts = next.get(change.collection) ?? new Map(this.documents.get(change.collection));
      next.set(change.collection, texts);
      applyChange(texts, change.kind === 'put' ? { ...change, value: this.encoded(change.collection, change.value) } : change);
    }
    this.documents = new Map([...this.documents, ...next]);
  }

  private encoded(collection: string, value: unknown): string | Buffer {
    const encoded = this.codec(collection).encode(value);
    return encoded.length === 0 ? '' : encoded; // of a list
  }

  private codec(collection: string): DocumentCodec {
    return this.projection.codecs?.[collection] ?? { encode: JSON.stringify, decode: JSON.parse };
  }

  private reader(event: ProjectedEvent): ReadDocument {
    const named = new Set<string>();
    const name = (keys: readonly DocumentKey[]): void => {
      for (const { collection, key } of keys) named.add(`${collection}\0${key}`);
    };
    const read: ReadDocument = (collection, key, form) => {
      if (!named.has(`${collection}\0${key}`)) throw new Error(`${event.type} reads ${collection}/${key} without naming it`);
      const text = this.documents.get(collection)?.get(key);
      if (form === 'length') return text === undefined ? undefined : Buffer.byteLength(text);
      return text === undefined ? undefined : this.codec(collection).decode(text);
    };
    name(this.projection.reads(event));
    name(this.projection.readsNext?.(event, read) ?? []);
    return read;
  }
}

/** The documents of all projections after one event. */
export type Snapshot = Readonly<{ position: Position; documents: ReadonlyMap<string, Documents> }>;

/** Follows a log from its beginning, as fast as it is asked to: before events leave it. */
export class Replay {
  readonly snapshots: Snapshot[] = [];
  /** Chained or not, in log order. */
  readonly events: Pick<RecordedEvent, 'position' | 'id' | 'stream' | 'revision'>[] = [];
  private readonly projections: readonly ReplayedProjection[];
  /** Whether the documents after the last event are to be kept. */
  private isWanted = false;

  constructor(projections: readonly Projection[]) {
    this.projections = projections.map((one) => new ReplayedProjection(one));
  }

  /** @param isTaken whether the documents after an event are kept, beside those after the last one; never inside an append, which is one step */
  async follow(log: Pick<EventStore, 'readAll'>, decode: DecodeEvent, isTaken: () => boolean): Promise<void> {
    for (;;) {
      const { events, caughtUp } = await log.readAll({ after: this.events.at(-1)?.position ?? 0n, limit: 500 });
      for (const event of events) {
        const last = this.events.at(-1);
        if (last && this.isWanted && !isOfSameAppend(last, event)) this.take();
        await this.apply(event, decode);
        this.isWanted = isTaken();
      }
      if (caughtUp) return this.take();
    }
  }

  private async apply(event: RecordedEvent, decode: DecodeEvent): Promise<void> {
    this.events.push(event);
    const concerned = this.projections.filter((one) => one.concerns(event));
    if (concerned.length === 0) return;
    const decoded = await decode(event);
    for (const one of concerned) one.apply(decoded);
  }

  private take(): void {
    const position = this.events.at(-1)?.position ?? 0n;
    if (this.snapshots.at(-1)?.position === position) return;
    this.snapshots.push({ position, documents: new Map(this.projections.map((one) => [one.projection.name, one.take()])) });
  }
}

/** As `documentsOf` shows them. @param shown what becomes of a text */
export const textsOf = (documents: Documents): Texts =>
  Object.fromEntries(
    [...documents]
      .filter(([, texts]) => texts.size > 0)
      .sort(([one], [other]) => byBytes(one, other))
      .map(([name, texts]) => [name, Object.fromEntries([...texts].sort(([one], [other]) => byBytes(one, other)))]),
  );
