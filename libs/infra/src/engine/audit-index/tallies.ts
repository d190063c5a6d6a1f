import { LRUCache } from 'lru-cache';
import type { IndexDatabases } from './databases.js';
import { type ActorKind, keyText } from './names.js';

/** What the chained events of a category are. `streams` are counted for good, as `events` are. */
export type CategoryTally = Readonly<{ name: string; streams: number; events: number }>;

/** What an actor did. `firstSeen` and `lastSeen` are log times in milliseconds; `services` are sorted. */
export type ActorTally = Readonly<{
  kind: ActorKind;
  id: string;
  firstSeen: number;
  lastSeen: number;
  events: number;
  services: readonly string[];
}>;

const REMEMBERED = 10_000;

/** Actors stand in the order of their ids. */
export const actorKey = ({ kind, id }: Readonly<{ kind: string; id: string }>): string => `a${keyText(id)}\u0000${kind}`;
const categoryKey = (name: string): string => `c${keyText(name)}`;
const keyNameKey = (keyId: string): string => `k${keyText(keyId)}`;

/** Counts while the index is written. */
export class TallyWriter {
  private readonly known = new LRUCache<string, object>({ max: REMEMBERED });
  private readonly changed = new Map<string, object>();

  constructor(private readonly databases: IndexDatabases) {}

  categoryEvent(name: string): void {
    this.change<CategoryTally>(categoryKey(name), (tally) => ({ name, streams: tally?.streams ?? 0, events: (tally?.events ?? 0) + 1 }));
  }

  categoryStream(name: string): void {
    this.change<CategoryTally>(categoryKey(name), (tally) => ({ name, streams: (tally?.streams ?? 0) + 1, events: tally?.events ?? 0 }));
  }

  actorEvent(actor: Readonly<{ kind: ActorKind; id: string }>, service: string, time: number): void {
    this.change<ActorTally>(actorKey(actor), (tally) => ({
      kind: actor.kind,
      id: actor.id,
      firstSeen: tally?.firstSeen ?? time,
      lastSeen: time,
      events: (tally?.events ?? 0) + 1,
      services: tally?.services.includes(service) ? tally.services : [...(tally?.services ?? []), service].sort(),
    }));
  }

  keyName(keyId: string, name: string): void {
    this.change<object>(keyNameKey(keyId), () => ({ name }));
  }

  /** Only inside a transaction. */
  flush({ tallies }: IndexDatabases): void {
    for (const [key, value] of this.changed) tallies.putSync(key, value);
    this.changed.clear();
  }

  private change<Tally extends object>(key: string, change: (before: Tally | undefined) => Tally): void {
    const before = this.changed.get(key) ?? this.known.get(key) ?? this.databases.tallies.get(key);
    const after = change(before as Tally | undefined);
    this.known.set(key, after);
    this.changed.set(key, after);
  }
}

const endOf = (prefix: string): Buffer => Buffer.from(String.fromCharCode(prefix.charCodeAt(0) + 1));

/** Reads the counts. */
export class TallyReader {
  constructor(private readonly databases: IndexDatabases) {}

  /** By name. There are as many as kinds of streams in the program. */
  categories(): readonly CategoryTally[] {
    return [...this.databases.tallies.getRange({ start: Buffer.from('c'), end: endOf('c') })].map(({ value }) => value as CategoryTally);
  }

  actor(kind: ActorKind, id: string): ActorTally | undefined {
    return this.databases.tallies.get(actorKey({ kind, id })) as ActorTally | undefined;
  }

  /** Those behind an id, in the order of ids, at most `limit`. */
  actorsAfter(id: string | undefined, limit: number): readonly ActorTally[] {
    const start = id === undefined ? Buffer.from('a') : Buffer.from(`a${keyText(id)}\u0001`);
    return [...this.databases.tallies.getRange({ start, end: endOf('a'), limit })].map(({ value }) => value as ActorTally);
  }

  /** Name of a key, in force or revoked; `undefined` if no such key was ever made. */
  keyName(keyId: string): string | undefined {
    return (this.databases.tallies.get(keyNameKey(keyId)) as { name: string } | undefined)?.name;
  }
}
