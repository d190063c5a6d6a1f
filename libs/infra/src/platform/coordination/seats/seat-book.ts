import { ownNamespace } from '#infra/platform/coordination/own-namespace.js';
import {
  type Change,
  CheckpointConflict,
  type Namespace,
  NamespaceGone,
  type ReadStore,
  type StoredDocument,
} from '#projections/shared/read-store.js';

/** A process that holds seats. `beats` counts its signs of life. `node`: name for people. `beatAt`: by its clock, milliseconds since 1970-01-01 UTC. */
export type SeatHolder = Readonly<{ id: string; node: string; beats: number; beatAt: number }>;

/** All that is stored at one moment. `holders`: seat → id of the process. `changes` counts the commits. */
export type BookPage = Readonly<{
  namespace: Namespace;
  changes: bigint;
  members: ReadonlyMap<string, SeatHolder>;
  holders: ReadonlyMap<string, string>;
}>;

/** Change by a process: a sign of life, or `null` if it holds nothing any more, with seats taken and released. */
type BookEntry = Readonly<{
  id: string;
  member: SeatHolder | null;
  taken: readonly string[];
  released: readonly string[];
  /** Processes that are gone. */
  gone: readonly string[];
}>;

const COLLECTION = 'seats';
const MEMBER = 'process/';
const SEAT = 'seat/';

const entryOf = <Value>(key: string, value: Value | undefined): [string, Value][] => (value === undefined ? [] : [[key, value]]);

const parsePage = (documents: readonly StoredDocument[]): Pick<BookPage, 'members' | 'holders'> => {
  const members = new Map<string, SeatHolder>();
  const holders = new Map<string, string>();
  for (const { key, value } of documents) {
    if (key.startsWith(MEMBER)) members.set(key.slice(MEMBER.length), JSON.parse(value.toString('utf8')) as SeatHolder);
    else holders.set(key.slice(SEAT.length), JSON.parse(value.toString('utf8')) as string);
  }
  return { members, holders };
};

/** Holders of seats, stored like a read model whose checkpoint counts the changes: every change is a compare-and-set over the whole book. */
export class SeatBook {
  constructor(
    private readonly store: ReadStore,
    private readonly name: string,
  ) {}

  /** Calls `listener` after every change, whoever makes it. Returns how to stop. */
  onChange(listener: () => void): () => void {
    return this.store.onCommit(this.name, listener);
  }

  /** @throws ReadStoreUnavailable, NamespaceGone */
  async read(): Promise<BookPage> {
    const namespace = await ownNamespace(this.store, this.name);
    // In this order: a change between the two reads makes our own commit fail.
    const changes = await this.store.checkpoint(namespace);
    const documents = await this.store.documents(namespace).range(COLLECTION, {});
    return { namespace, changes, ...parsePage(documents) };
  }

  /** Holder of each seat; empty if nothing was ever stored. @throws ReadStoreUnavailable */
  static async holders(store: ReadStore, name: string): Promise<ReadonlyMap<string, SeatHolder>> {
    const { members, holders } = parsePage(await store.view(name).range(COLLECTION, {}));
    return new Map([...holders].flatMap(([seat, id]): [string, SeatHolder][] => entryOf(seat, members.get(id))));
  }

  /** Holder of one seat; `undefined`: nobody. @throws ReadStoreUnavailable */
  static async holder(store: ReadStore, name: string, seat: string): Promise<SeatHolder | undefined> {
    const view = store.view(name);
    const id = await view.get(COLLECTION, SEAT + seat);
    const member = id && (await view.get(COLLECTION, MEMBER + (JSON.parse(id.toString('utf8')) as string)));
    return member ? (JSON.parse(member.toString('utf8')) as SeatHolder) : undefined;
  }

  /** `false`: somebody has changed the book since. @throws ReadStoreUnavailable */
  async write({ namespace, changes }: Pick<BookPage, 'namespace' | 'changes'>, entry: BookEntry): Promise<boolean> {
    const { id, member, taken, released, gone } = entry;
    const put = (key: string, value: unknown): Change => ({ kind: 'put', collection: COLLECTION, key, value: JSON.stringify(value) });
    const remove = (key: string): Change => ({ kind: 'delete', collection: COLLECTION, key });
    const written = [
      member ? put(MEMBER + id, member) : remove(MEMBER + id),
      ...gone.map((process) => remove(MEMBER + process)),
      ...taken.map((seat) => put(SEAT + seat, id)),
      ...released.map((seat) => remove(SEAT + seat)),
    ];
    try {
      await this.store.commit(namespace, written, changes, changes + 1n);
      return true;
    } catch (error) {
      if (error instanceof CheckpointConflict || error instanceof NamespaceGone) return false;
      throw error;
    }
  }
}
