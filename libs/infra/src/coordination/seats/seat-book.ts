import { ownNamespace } from '#infra/coordination/own-namespace.js';
import { type Change, CheckpointConflict, type Namespace, NamespaceGone, type ReadStore } from '#projections/shared/read-store.js';

/**
 * A process that holds seats. `beats` counts its signs of life. `node`: name for people. `beatAt`: by its clock, milliseconds since 1970-01-01 UTC.
 * `at`: where all nodes are processes of one machine.
 */
export type Member = Readonly<{ id: string; node: string; beats: number; beatAt: number; at?: ProcessPlace }>;

/** A process of a machine. `startedAt`: milliseconds since 1970-01-01 UTC. */
export type ProcessPlace = Readonly<{ host: string; pid: number; startedAt: number }>;

/** All that is stored at one moment. `holders`: seat → id of the process. `changes` counts the commits. */
export type BookPage = Readonly<{
  namespace: Namespace;
  changes: bigint;
  members: ReadonlyMap<string, Member>;
  holders: ReadonlyMap<string, string>;
}>;

/** What a process writes: a sign of life, or that it holds nothing any more (`null`), with seats it takes and gives back. */
export type BookEntry = Readonly<{
  id: string;
  member: Member | null;
  taken: readonly string[];
  released: readonly string[];
  /** Processes that are gone. */
  gone: readonly string[];
}>;

const COLLECTION = 'seats';
const MEMBER = 'process/';
const SEAT = 'seat/';

/** Who holds which seat, stored like a read model whose checkpoint counts the changes: every change is a compare-and-set over the whole book. */
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
    const members = new Map<string, Member>();
    const holders = new Map<string, string>();
    for (const { key, value } of documents) {
      if (key.startsWith(MEMBER)) members.set(key.slice(MEMBER.length), JSON.parse(value.toString('utf8')) as Member);
      else holders.set(key.slice(SEAT.length), JSON.parse(value.toString('utf8')) as string);
    }
    return { namespace, changes, members, holders };
  }

  /** As read by anybody, also where nothing was ever stored. @throws ReadStoreUnavailable */
  static async members(store: ReadStore, name: string): Promise<readonly Member[]> {
    const documents = await store.view(name).range(COLLECTION, { gte: MEMBER, lt: 'process0' }); // `0` follows `/`
    return documents.map(({ value }) => JSON.parse(value.toString('utf8')) as Member);
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
