import type { KeyRange, Namespace, ReadView, StoredDocument } from '#projections/shared/read-store.js';
import { isKey } from '../keys.js';
import type { Argument } from './commit-arguments.js';
import type { ProjectionKeys } from './keys.js';
import { rangeEnds } from './lexical.js';
import { COUNT, GET, GET_MANY, RANGES, type Script } from './scripts.js';

type Run = <Reply>(script: Script, keys: readonly string[], args: readonly Argument[]) => Promise<Reply>;

/** Reads of one projection, one round trip each. Which slot is read is decided in the script that reads it. */
export class RedisView implements ReadView {
  readonly #namespace: string;

  /** Without a namespace: whichever is served. */
  constructor(
    private readonly run: Run,
    private readonly keys: ProjectionKeys,
    namespace?: Namespace,
  ) {
    this.#namespace = namespace ? `${namespace.slot}:${namespace.generation}` : '';
  }

  async get(collection: string, key: string): Promise<Buffer | null> {
    if (!isKey(key)) return null;
    return this.run<Buffer | null>(GET, this.#documents(collection), [this.#namespace, key]);
  }

  async getMany(collection: string, keys: readonly string[]): Promise<readonly (Buffer | null)[]> {
    if (keys.length === 0) return [];
    const found = await this.run<readonly (Buffer | null)[]>(GET_MANY, this.#documents(collection), [this.#namespace, ...keys]);
    return keys.map((_, n) => found[n] ?? null);
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
    const args = ranges.flatMap(rangeArguments);
    const found = await this.run<readonly (readonly Buffer[])[]>(RANGES, [keys.meta, ...slots], [this.#namespace, ...args]);
    return ranges.map((_, n) => documentsOf(found[n] ?? []));
  }

  async count(collection: string, range: KeyRange): Promise<number> {
    const { keys } = this;
    const slots = [keys.index('a', collection), keys.index('b', collection)];
    return this.run<number>(COUNT, [keys.meta, ...slots], [this.#namespace, ...rangeEnds(range)]);
  }

  #documents(collection: string): readonly string[] {
    return [this.keys.meta, this.keys.documents('a', collection), this.keys.documents('b', collection)];
  }
}

const rangeArguments = (range: KeyRange): readonly string[] => {
  const [lower, upper] = rangeEnds(range);
  const ends = range.reverse ? [upper, lower, 'REV'] : [lower, upper, ''];
  return [...ends, String(range.offset ?? 0), String(range.limit ?? -1)];
};

const documentsOf = (found: readonly Buffer[]): readonly StoredDocument[] => {
  const documents: StoredDocument[] = [];
  for (let i = 0; i + 1 < found.length; i += 2) {
    const [key, value] = [found[i], found[i + 1]];
    if (key && value) documents.push({ key: key.toString(), value });
  }
  return documents;
};
