import { LRUCache } from 'lru-cache';
import { sha256 } from '#domain/shared/sha256.js';
import { type IndexDatabases, numberKey } from './databases.js';

/** Kinds of names that have ids. An actor's name is kind and id: see {@link actorName}. */
export type NameKind = 'stream' | 'category' | 'type' | 'actor';

const REMEMBERED_NAMES = 20_000;
const PAGE = 200;
/** Bytes of a key that LMDB takes are fewer than callers can send. */
const LONGEST_KEY = 400;

/** A text as part of a key: itself, or its beginning and its hash where it is too long. Short texts keep their order. Well-formed, as it is stored. */
export const keyText = (text: string): string =>
  Buffer.byteLength(text) <= LONGEST_KEY ? text.toWellFormed() : `${text.slice(0, LONGEST_KEY / 4).toWellFormed()}\u0001${sha256(text)}`;

const nameKey = (kind: NameKind, name: string): string => `${kind}:${keyText(name)}`;

export const ACTOR_KINDS = ['key', 'user', 'system'] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];

/** Ids of actors may be the same for different kinds. */
export const actorName = (kind: string, id: string): string => `${kind}:${id}`;

/** Gives names their ids while the index is written. */
export class NameWriter {
  private readonly known = new LRUCache<string, number>({ max: REMEMBERED_NAMES });
  private readonly added = new Map<string, readonly [id: number, name: string]>();

  constructor(
    private readonly databases: IndexDatabases,
    /** Next free id. */
    private next: number,
  ) {}

  get nextId(): number {
    return this.next;
  }

  /** @param isNew called with a name that the index did not have */
  idOf(kind: NameKind, name: string, isNew?: () => void): number {
    const known = this.knownId(kind, name);
    if (known !== undefined) return known;
    const key = nameKey(kind, name);
    const id = this.next++;
    this.added.set(key, [id, name]);
    this.known.set(key, id);
    isNew?.();
    return id;
  }

  /** `undefined`: the index does not have the name. */
  knownId(kind: NameKind, name: string): number | undefined {
    const key = nameKey(kind, name);
    const remembered = this.known.get(key);
    if (remembered !== undefined) return remembered;
    const id = this.added.get(key)?.[0] ?? this.databases.ids.get(key);
    if (id !== undefined) this.known.set(key, id);
    return id;
  }

  /** Only inside a transaction. */
  flush({ names, ids }: IndexDatabases): void {
    for (const [key, [id, name]] of this.added) {
      ids.putSync(key, id);
      names.putSync(numberKey(id), name);
    }
    this.added.clear();
  }
}

/** Looks names up. A name never changes its id. */
export class NameReader {
  private readonly names = new LRUCache<number, string>({ max: REMEMBERED_NAMES });

  constructor(private readonly databases: IndexDatabases) {}

  /** `undefined`: no event has this name. */
  idOf(kind: NameKind, name: string): number | undefined {
    return this.databases.ids.get(nameKey(kind, name));
  }

  nameOf(id: number): string | undefined {
    const known = this.names.get(id) ?? this.databases.names.get(numberKey(id));
    if (known !== undefined) this.names.set(id, known);
    return known;
  }

  /** Ids of streams of a category, in the order of their keys, behind a key; some at a time. */
  streamIdsAfter(category: string, after?: string): readonly Readonly<{ key: string; id: number }>[] {
    const prefix = nameKey('stream', `${category}-`);
    const range = this.databases.ids.getRange({
      start: after === undefined ? prefix : `${after}\u0000`,
      end: `${prefix}\u{10ffff}`,
      limit: PAGE,
    });
    return [...range].map(({ key, value }) => ({ key: String(key), id: value }));
  }

  /** The index was begun anew. */
  forget(): void {
    this.names.clear();
  }
}
