import type { Position } from '#domain/shared/events.js';
import { isKey } from '#infra/read-store/keys.js';
import { type KeyRange, type Namespace, ReadStoreUnavailable, type ReadView, type StoredDocument } from '#projections/shared/read-store.js';
import type { Argument } from './commit-arguments.js';
import type { ProjectionKeys } from './keys.js';
import { rangeEnds } from './lexical.js';
import { COUNT, GET, GET_MANY, RANGES, type Script } from './scripts.js';

/** How a view reads. */
export type Reading = Readonly<{
  run<Reply>(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<Reply>;
  /** A different text after every change to what is read. @throws ReadStoreUnavailable */
  version(): Promise<string>;
}>;

/** Most keys or ranges per script: Redis serves nobody else while it runs. */
const MAX_PER_SCRIPT = 2_000;
/** Absolute limit per script: Redis takes 1,048,576 arguments, of which a range needs six. */
const HARD_MAX_PER_SCRIPT = 170_000;
const MAX_TRIES = 3;

/** Reads of one projection, one round trip each unless very much is asked. The script that reads also decides which slot is read. */
export class RedisView implements ReadView {
  private readonly namespace: string;
  /** The floor of the last read, and its text. */
  private last: Position = 0n;
  private lastText = '>0';

  /**
   * @param namespace default: the one that is served
   * @param floor position that what is served must show; default: anything will do
   */
  constructor(
    private readonly reading: Reading,
    private readonly keys: ProjectionKeys,
    namespace?: Namespace,
    private readonly floor?: () => Position,
  ) {
    this.namespace = namespace ? `${namespace.slot}:${namespace.generation}` : '';
  }

  async get(collection: string, key: string): Promise<Buffer | null> {
    if (!isKey(key)) return null;
    return this.reading.run<Buffer | null>(GET, this.documents(collection), [this.wanted, key]);
  }

  getMany(collection: string, keys: readonly string[]): Promise<readonly (Buffer | null)[]> {
    return this.asOne(keys, async (some) => {
      const args = [this.wanted, ...some];
      const found = await this.reading.run<readonly (Buffer | null)[]>(GET_MANY, this.documents(collection), args);
      return some.map((_, n) => found[n] ?? null);
    });
  }

  async range(collection: string, range: KeyRange): Promise<readonly StoredDocument[]> {
    return (await this.ranges(collection, [range]))[0] ?? [];
  }

  ranges(collection: string, ranges: readonly KeyRange[]): Promise<readonly (readonly StoredDocument[])[]> {
    const { keys } = this;
    const slots = [
      keys.documents('a', collection),
      keys.index('a', collection),
      keys.documents('b', collection),
      keys.index('b', collection),
    ];
    return this.asOne(ranges, async (some) => {
      const args = [this.wanted, ...some.flatMap(rangeArguments)];
      const found = await this.reading.run<readonly (readonly Buffer[])[]>(RANGES, [keys.meta, ...slots], args);
      return some.map((_, n) => documentsOf(found[n] ?? []));
    });
  }

  async count(collection: string, range: KeyRange): Promise<number> {
    const { keys } = this;
    const slots = [keys.index('a', collection), keys.index('b', collection)];
    return this.reading.run<number>(COUNT, [keys.meta, ...slots], [this.wanted, ...rangeEnds(range)]);
  }

  /**
   * Reads the items, all in one state. Many items are read in parts, so that others get their turn. If something was written meanwhile,
   * that is repeated, and at last all are read in one step.
   */
  private async asOne<Item, Found>(
    items: readonly Item[],
    read: (some: readonly Item[]) => Promise<readonly Found[]>,
  ): Promise<readonly Found[]> {
    if (items.length === 0) return [];
    if (items.length <= MAX_PER_SCRIPT) return read(items);
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const before = await this.reading.version();
      const found: Found[] = [];
      for (let start = 0; start < items.length; start += MAX_PER_SCRIPT)
        for (const one of await read(items.slice(start, start + MAX_PER_SCRIPT))) found.push(one);
      if ((await this.reading.version()) === before) return found;
    }
    if (items.length > HARD_MAX_PER_SCRIPT) throw new ReadStoreUnavailable('what is read keeps changing');
    return read(items);
  }

  /** The first argument of every script. */
  private get wanted(): string {
    if (!this.floor) return this.namespace;
    const floor = this.floor();
    if (floor !== this.last) {
      this.last = floor;
      this.lastText = `>${floor}`;
    }
    return this.lastText;
  }

  private documents(collection: string): readonly string[] {
    return [this.keys.meta, this.keys.documents('a', collection), this.keys.documents('b', collection)];
  }
}

const rangeArguments = (range: KeyRange): readonly string[] => {
  const [lower, upper] = rangeEnds(range);
  const ends = range.reverse ? [upper, lower, 'REV'] : [lower, upper, ''];
  return [...ends, String(range.offset ?? 0), String(range.limit ?? -1), String(range.maxBytes ?? -1)];
};

const documentsOf = (found: readonly Buffer[]): readonly StoredDocument[] => {
  const documents: StoredDocument[] = [];
  for (let i = 0; i + 1 < found.length; i += 2) {
    const [key, value] = [found[i], found[i + 1]];
    if (key && value) documents.push({ key: key.toString(), value });
  }
  return documents;
};
