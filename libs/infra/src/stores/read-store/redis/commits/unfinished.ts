import { placeOf } from '#infra/stores/read-store/keys.js';
import type { RedisConnection } from '#infra/stores/read-store/redis/connection/connection.js';
import type { ProjectionKeys } from '#infra/stores/read-store/redis/keys.js';
import type { Change, KeyRange, Namespace } from '#projections/shared/read-store.js';
import { FINISH } from './commit-scripts.js';

/** Unfinished work in a collection: removal of documents with this prefix; `null`: any change. */
export type UnfinishedWork = readonly [collection: string, prefix: string | null];

export const encodeAreas = (areas: readonly UnfinishedWork[]): string => (areas.length === 0 ? '' : JSON.stringify(areas));

/** Returns whether there is a document after the change. */
export const adds = (change: Change): change is Extract<Change, { kind: 'put' | 'append' }> =>
  change.kind === 'put' || change.kind === 'append';

/** Unfinished work of a slot, as stored by its commit. */
export class UnfinishedSlot {
  static readonly NONE = new UnfinishedSlot('');
  private readonly areas: readonly UnfinishedWork[];

  /** @param text the unfinished work known to this process, as passed to scripts; empty: none */
  constructor(readonly text: string) {
    this.areas = text === '' ? [] : JSON.parse(text);
  }

  get collections(): readonly string[] {
    return [...new Set(this.areas.map(([name]) => name))];
  }

  /** Returns whether a document is only waiting to be removed. */
  hides(collection: string, key: string): boolean {
    return this.areas.some(([name, prefix]) => name === collection && prefix !== null && key.toWellFormed().startsWith(prefix));
  }

  /** Returns whether all documents of a range are only waiting to be removed. */
  hidesRange(collection: string, range: KeyRange): boolean {
    return this.areas.some(([name, prefix]) => name === collection && prefix !== null && placeOf(range, prefix) === 'within');
  }

  /** Returns whether documents of a collection, or of ranges of it, cannot be read correctly before the work is finished. */
  isInTheWayOf(collection: string, ranges: readonly KeyRange[]): boolean {
    return this.areas.some(
      ([name, prefix]) => name === collection && (prefix === null || ranges.some((range) => placeOf(range, prefix) === 'across')),
    );
  }

  /** Returns whether unfinished work would undo the changes, or be undone by them. */
  isInTheWayOfChanges(changes: readonly Change[]): boolean {
    const touches = (change: Change, [name, prefix]: UnfinishedWork): boolean =>
      change.collection === name && (prefix === null || (adds(change) && change.key.toWellFormed().startsWith(prefix)));
    return this.areas.some((area) => changes.some((change) => touches(change, area)));
  }
}

/**
 * Work left in a slot of a projection by a large commit that is already effective: carried out in one step, it would block Redis for
 * everybody. Documents waiting to be removed are not shown; a caller that needs other documents affected by it finishes the work first.
 */
export class Unfinished {
  private slot: Namespace['slot'] = 'a';
  private areas = UnfinishedSlot.NONE;
  private finishing: Promise<void> | undefined;

  constructor(
    private readonly connection: RedisConnection,
    private readonly keys: ProjectionKeys,
  ) {}

  /** Known unfinished work. */
  get current(): UnfinishedSlot {
    return this.areas;
  }

  /** Reads the unfinished work of the slot. @throws ReadStoreUnavailable */
  async load(slot: Namespace['slot']): Promise<void> {
    const [found] = await this.connection.command<readonly (Buffer | null)[]>(['HMGET', this.keys.meta, `${slot}.unfinished`]);
    this.take(slot, found?.toString() ?? '');
  }

  take(slot: Namespace['slot'], text: string): void {
    this.slot = slot;
    this.areas = text === '' ? UnfinishedSlot.NONE : new UnfinishedSlot(text);
  }

  /** Returns the unfinished work if it does not affect a read; otherwise finishes it first. @throws ReadStoreUnavailable */
  async forReading(collection: string, ranges: readonly KeyRange[] = []): Promise<UnfinishedSlot> {
    if (this.areas.isInTheWayOf(collection, ranges)) await this.finish();
    return this.areas;
  }

  /** Like `forReading`, for changes. @throws ReadStoreUnavailable */
  async forChanges(changes: readonly Change[]): Promise<UnfinishedSlot> {
    if (this.areas.isInTheWayOfChanges(changes)) await this.finish();
    return this.areas;
  }

  /** Finishes the work in steps, so that other calls can run in between. @throws ReadStoreUnavailable */
  finish(): Promise<void> {
    this.finishing ??= this.finishSlot(this.slot).finally(() => {
      this.finishing = undefined;
    });
    return this.finishing;
  }

  private async finishSlot(slot: Namespace['slot']): Promise<void> {
    const { keys, connection } = this;
    const fields = [`${slot}.unfinished`, `${slot}.generation`];
    const [found, generation] = await connection.command<readonly (Buffer | null)[]>(['HMGET', keys.meta, ...fields]);
    if (found && generation) {
      const { collections } = new UnfinishedSlot(found.toString());
      const scriptKeys = [keys.meta, keys.unfinished(slot), keys.collections(slot)];
      for (const name of collections) scriptKeys.push(keys.documents(slot, name), keys.index(slot, name));
      for (let left = 1; left !== 0; )
        left = await connection.run<number>(FINISH, scriptKeys, [slot, generation.toString(), ...collections]);
    }
    if (this.slot === slot) this.areas = UnfinishedSlot.NONE;
  }
}
