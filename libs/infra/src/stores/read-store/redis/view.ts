import { setTimeout as sleep } from 'node:timers/promises';
import type { Position } from '#domain/shared/events.js';
import { isKey } from '#infra/stores/read-store/keys.js';
import type { Unfinished, UnfinishedSlot } from '#infra/stores/read-store/redis/commits/unfinished.js';
import { ScriptRefused } from '#infra/stores/read-store/redis/connection/connection.js';
import {
  DocumentsLost,
  type KeyRange,
  type Namespace,
  ReadStoreUnavailable,
  type ReadView,
  type StoredDocument,
} from '#projections/shared/read-store.js';
import type { ProjectionKeys } from './keys.js';
import { belowRange, rangeEnds } from './lexical.js';
import { COUNT, GET, GET_MANY, HOLD, LENGTHS, MAX_DOCUMENTS, RANGES } from './read-scripts.js';
import type { Argument, Script } from './script.js';

/** Settings of a view. */
type ViewRead = Readonly<{
  /** @throws ScriptRefused */
  run<Reply>(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<Reply>;
  unfinished: Unfinished;
  /** Called when a document is gone that the index has. */
  onLost(): void;
  /** Time limit of one call to Redis, in milliseconds. */
  timeLimitMs: number;
}>;

/** Runs one script of several that read the same state. `more`: others follow. */
type Next = (
  script: Script,
  keys: readonly string[],
  args: readonly Argument[],
  areas: UnfinishedSlot,
  more: boolean,
) => Promise<readonly unknown[]>;

/** Attempts to read one state during writes, before commits are delayed. */
const MAX_TRIES = 3;
const RETRY_MS = 20;
/** Maximum duration of a repeated read, as a multiple of a call's time limit. */
const PATIENCE = 4;
/** Larger offsets are found by rank: skipping keys one by one takes Redis as long as reading them. */
const FAR_OFFSET = 500;

/**
 * Reads of one projection, one round trip each unless they are very large. The script that reads also decides which slot is read. Large
 * reads use several scripts, so that other calls can run in between; they are repeated if something was written meanwhile.
 */
export class RedisView implements ReadView {
  private readonly namespace: string;

  /**
   * @param namespace default: the served one
   * @param floor position that the served build must show; default: no minimum
   */
  constructor(
    private readonly reading: ViewRead,
    private readonly keys: ProjectionKeys,
    namespace?: Namespace,
    private readonly floor?: () => Position,
  ) {
    this.namespace = namespace ? `${namespace.slot}:${namespace.generation}` : '';
  }

  async get(collection: string, key: string): Promise<Buffer | null> {
    if (!isKey(key)) return null;
    return this.persistently(async () => {
      const { unfinished } = this.reading;
      const areas = unfinished.current.text === '' ? unfinished.current : await unfinished.forReading(collection);
      const found = await this.reading.run<Buffer | null>(GET, this.documents(collection), [this.wanted, areas.text, '', key]);
      return areas.hides(collection, key) ? null : found;
    });
  }

  getMany(collection: string, keys: readonly string[]): Promise<readonly (Buffer | null)[]> {
    return this.each(GET_MANY, collection, keys, (value) => (value instanceof Buffer ? value : null));
  }

  lengths(collection: string, keys: readonly string[]): Promise<readonly (number | null)[]> {
    return this.each(LENGTHS, collection, keys, (length) => (typeof length === 'number' && length >= 0 ? length : null));
  }

  /** Runs a script that answers with a value for each key. */
  private async each<Value>(
    script: Script,
    collection: string,
    keys: readonly string[],
    valueIn: (answer: unknown) => Value | null,
  ): Promise<readonly (Value | null)[]> {
    if (keys.length === 0) return [];
    return this.inOneState(async (next) => {
      const areas = await this.reading.unfinished.forReading(collection);
      const found: (Value | null)[] = [];
      while (found.length < keys.length) {
        const some = keys.slice(found.length, found.length + MAX_DOCUMENTS);
        const reply = await next(script, this.documents(collection), some, areas, found.length + some.length < keys.length);
        if (reply.length === 0) return keys.map(() => null);
        for (const answer of reply.slice(1)) found.push(valueIn(answer));
      }
      return areas.text === '' ? found : found.map((value, n) => (areas.hides(collection, keys[n] ?? '') ? null : value));
    });
  }

  async range(collection: string, range: KeyRange): Promise<readonly StoredDocument[]> {
    return (await this.ranges(collection, [range]))[0] ?? [];
  }

  async ranges(collection: string, ranges: readonly KeyRange[]): Promise<readonly (readonly StoredDocument[])[]> {
    if (ranges.length === 0) return [];
    const { keys } = this;
    const slots = [
      keys.documents('a', collection),
      keys.index('a', collection),
      keys.documents('b', collection),
      keys.index('b', collection),
    ];
    return this.inOneState(async (next) => {
      const areas = await this.reading.unfinished.forReading(collection, ranges);
      const left = (range: KeyRange, n: number, read: readonly StoredDocument[] | undefined): KeyRange =>
        areas.hidesRange(collection, range) ? NOTHING : n > 0 ? range : rest(range, read);
      const found = ranges.map((): StoredDocument[] => []);
      let complete = 0;
      while (complete < ranges.length) {
        const some = ranges.slice(complete, complete + MAX_DOCUMENTS);
        const args = some.flatMap((range, n) => rangeArguments(left(range, n, found[complete])));
        const [version, count, ...parts] = await next(RANGES, [keys.meta, ...slots], args, areas, complete + some.length < ranges.length);
        if (version === undefined) return found;
        for (const [n, part] of parts.entries()) if (addDocuments(found[complete + n], part) > 0) this.noteLost();
        complete += Number(count);
      }
      return found;
    });
  }

  async count(collection: string, range: KeyRange): Promise<number> {
    const { keys } = this;
    const slots = [keys.index('a', collection), keys.index('b', collection)];
    return this.persistently(async () => {
      const areas = await this.reading.unfinished.forReading(collection, [range]);
      const args = [this.wanted, areas.text, '', ...rangeEnds(range)];
      const found = await this.reading.run<number>(COUNT, [keys.meta, ...slots], args);
      return areas.hidesRange(collection, range) ? 0 : found;
    });
  }

  /** Other documents of a namespace are shown, for comparisons. @throws DocumentsLost where they are served */
  private noteLost(): void {
    this.reading.onLost();
    if (this.namespace === '') throw new DocumentsLost();
  }

  /** Reads with several scripts that all see the same state. */
  private inOneState<Result>(read: (next: Next) => Promise<Result>): Promise<Result> {
    return this.persistently(() => {
      let version = '';
      return read(async (script, keys, args, areas, more) => {
        const expected = version === '' && more ? '*' : version;
        const reply = await this.reading.run<readonly unknown[]>(script, keys, [this.wanted, areas.text, expected, ...args]);
        version = String(reply[0] ?? '');
        return reply;
      });
    });
  }

  private async persistently<Result>(read: () => Promise<Result>): Promise<Result> {
    const end = performance.now() + PATIENCE * this.reading.timeLimitMs;
    for (let tries = 1; ; tries++) {
      try {
        return await read();
      } catch (error) {
        if (!(error instanceof ScriptRefused)) throw error;
        if (performance.now() > end) throw new ReadStoreUnavailable('the documents keep changing during the read', { cause: error });
        await this.settle(error, tries);
      }
    }
  }

  private async settle({ reason, slot }: ScriptRefused, tries: number): Promise<void> {
    if (reason === 'UNFINISHED') await this.reading.unfinished.load(slot);
    if (tries >= MAX_TRIES && (await this.reading.run<number>(HOLD, [this.keys.meta], [slot])) === 0) await sleep(RETRY_MS);
  }

  /** The first argument of every script. */
  private get wanted(): string {
    return this.floor ? `>${this.floor()}` : this.namespace;
  }

  private documents(collection: string): readonly string[] {
    return [this.keys.meta, this.keys.documents('a', collection), this.keys.documents('b', collection)];
  }
}

const NOTHING: KeyRange = { limit: 0 };

/** The remaining part of the range after these documents. */
const rest = (range: KeyRange, read: readonly StoredDocument[] = []): KeyRange => {
  const last = read.at(-1);
  if (!last) return range;
  const { gte, gt, lte, lt, limit, maxBytes, reverse } = range;
  const bytes = maxBytes === undefined ? undefined : maxBytes - read.reduce((sum, { value }) => sum + value.length, 0);
  return {
    ...(reverse ? { gte, gt, lt: last.key } : { lte, lt, gt: last.key }),
    ...(reverse && { reverse }),
    ...(limit !== undefined && { limit: limit - read.length }),
    ...(bytes !== undefined && { maxBytes: bytes }),
  };
};

const rangeArguments = (range: KeyRange): readonly string[] => {
  const [lower, upper] = rangeEnds(range);
  const ends = range.reverse ? [upper, lower, 'REV'] : [lower, upper, ''];
  const offset = range.offset ?? 0;
  return [...ends, String(offset), String(range.limit ?? -1), String(range.maxBytes ?? -1), offset > FAR_OFFSET ? belowRange(range) : ''];
};

/** Returns the number of documents that are gone. */
const addDocuments = (documents: StoredDocument[] | undefined, part: unknown): number => {
  if (!documents || !Array.isArray(part)) return 0;
  let lost = 0;
  for (let i = 0; i + 1 < part.length; i += 2) {
    if (part[i + 1] === null) lost++;
    else documents.push({ key: String(part[i]), value: part[i + 1] });
  }
  return lost;
};
