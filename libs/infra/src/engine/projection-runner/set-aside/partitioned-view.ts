import { CallStorage } from '#infra/platform/scheduling/call-storage.js';
import type { Owner } from '#projections/shared/partitions.js';
import type { Projection } from '#projections/shared/projection.js';
import { type KeyRange, PartitionSetAside, type ReadStore, type ReadView, type StoredDocument } from '#projections/shared/read-store.js';
import type { SetAside } from './set-aside.js';
import type { SetAsideTracker } from './set-aside-tracker.js';

/** An answer in preparation, which may show several partitions. */
export class PartitionedRead {
  /**
   * Projections of which it has read several partitions at once. In the rest of the answer they show set-aside partitions in their earlier
   * state.
   */
  private readonly across = new Set<string>();

  /**
   * @param onStale called, possibly several times, if the answer shows a set-aside partition in its earlier state, or may lack a part of it
   */
  constructor(private readonly onStale: () => void) {}

  note(projection: string): void {
    this.across.add(projection);
    this.onStale();
  }

  isAcross(projection: string): boolean {
    return this.across.has(projection);
  }
}

/** The current reading, for the duration of its call. */
export const readings = new CallStorage<PartitionedRead>();

/** Reads several partitions for one answer, of whichever projections, even if some or all of them are set aside. */
export const readAcross = async <T>(read: () => Promise<T>): Promise<T> => {
  try {
    return await read();
  } catch (error) {
    const end = readings.begin();
    try {
      return await readAgain(read, readings.current ?? new PartitionedRead(() => undefined), error);
    } finally {
      end();
    }
  }
};

/** After a refusal, once for each projection that refuses. */
const readAgain = async <T>(read: () => Promise<T>, reading: PartitionedRead, error: unknown): Promise<T> => {
  if (!(error instanceof PartitionSetAside) || reading.isAcross(error.projection)) throw error;
  reading.note(error.projection);
  try {
    return await readings.run(reading, read);
  } catch (next) {
    return readAgain(read, reading, next);
  }
};

type Parts = Readonly<{
  store: Pick<ReadStore, 'served' | 'progress' | 'documents'>;
  inner: ReadView;
  projection: Projection;
  tracker: SetAsideTracker;
}>;

/** Partitions of a read: one, several, or unknown without another document. */
type Scope = Readonly<{ partition: string }> | 'several' | 'unknown';

/**
 * A view that checks which partitions are set aside. It refuses documents of a set-aside partition with PartitionSetAside. Reads across
 * partitions show its earlier state and notify the current {@link PartitionedRead}; so do look-ups of many records by id, because records
 * of other partitions refer to those. While nothing is set aside this costs one check of a flag.
 */
export const partitionedView = (dependencies: Parts): ReadView => {
  const { inner, tracker } = dependencies;
  const checked = new CheckedView(dependencies);
  const view = (): ReadView => (tracker.isClear ? inner : checked);
  return {
    asOf: inner.asOf,
    get: (collection, key) => view().get(collection, key),
    getMany: (collection, keys) => view().getMany(collection, keys),
    lengths: (collection, keys) => view().lengths(collection, keys),
    range: (collection, range) => view().range(collection, range),
    ranges: (collection, ranges) => view().ranges(collection, ranges),
    count: (collection, range) => view().count(collection, range),
  };
};

/** Checks each read against the set-aside partitions. */
class CheckedView implements ReadView {
  private readonly inner: ReadView;
  private readonly tracker: SetAsideTracker;

  constructor(private readonly dependencies: Parts) {
    this.inner = dependencies.inner;
    this.tracker = dependencies.tracker;
  }

  async get(collection: string, key: string): Promise<Buffer | null> {
    const owner = await this.ownerOf(collection);
    this.admit(owner?.by === 'shared' ? ['several'] : [scopeOfKey(owner, key)]);
    const found = await this.inner.get(collection, key);
    if (found && owner?.by === 'document') this.admit([scopeOf(this.partitionNamedBy(owner, collection, found))]);
    return found;
  }

  async getMany(collection: string, keys: readonly string[]): Promise<readonly (Buffer | null)[]> {
    const owner = await this.ownerOf(collection);
    const scopes = owner?.by === 'shared' ? (['several'] as const) : keys.map((key) => scopeOfKey(owner, key));
    const areRecords = owner?.by === 'document' || keys.some((key) => !key.includes('/'));
    if (!areRecords) this.admit(scopes);
    const found = await this.inner.getMany(collection, keys);
    if (areRecords) {
      const shown =
        owner?.by === 'document' ? found.map((bytes) => scopeOf(bytes && this.partitionNamedBy(owner, collection, bytes))) : scopes;
      if (shown.some((scope) => this.isAside(scope))) this.note();
    }
    return found;
  }

  async lengths(collection: string, keys: readonly string[]): Promise<readonly (number | null)[]> {
    return (await this.getMany(collection, keys)).map((text) => text?.length ?? null);
  }

  async range(collection: string, range: KeyRange): Promise<readonly StoredDocument[]> {
    return (await this.ranges(collection, [range]))[0] ?? [];
  }

  async ranges(collection: string, ranges: readonly KeyRange[]): Promise<readonly (readonly StoredDocument[])[]> {
    const owner = await this.ownerOf(collection);
    this.admit(ranges.map((range) => scopeOfRange(owner, range)));
    const found = await this.inner.ranges(collection, ranges);
    if (owner?.by === 'document') {
      const shown = found.flat().map(({ value }) => scopeOf(this.partitionNamedBy(owner, collection, value)));
      if (shown.some((scope) => this.isAside(scope))) this.note();
    }
    return found;
  }

  async count(collection: string, range: KeyRange): Promise<number> {
    this.admit([scopeOfRange(await this.ownerOf(collection), range)]);
    return this.inner.count(collection, range);
  }

  /** Resolves once the set-aside state is known. @throws ReadStoreUnavailable */
  private async ownerOf(collection: string): Promise<Owner | undefined> {
    const { store, projection } = this.dependencies;
    if (!this.tracker.isKnown) {
      const served = await store.served(projection.name);
      if (served) await this.tracker.load(store, served);
    }
    return projection.partitions.owners[collection];
  }

  /** @throws PartitionSetAside all scopes are set aside */
  private admit(scopes: readonly Scope[]): void {
    if (this.setAside.isEmpty) return;
    const aside = scopes.filter((scope) => this.isAside(scope));
    const isAcross = readings.current?.isAcross(this.dependencies.projection.name);
    const [first] = aside;
    if (first && first !== 'several' && first !== 'unknown' && aside.length === scopes.length && !isAcross)
      throw new PartitionSetAside(this.dependencies.projection.name, first.partition);
    if (aside.length > 0 || scopes.includes('several')) this.note();
  }

  private isAside(scope: Scope): boolean {
    return scope !== 'several' && scope !== 'unknown' && this.setAside.find(scope.partition) !== undefined;
  }

  private note(): void {
    readings.current?.note(this.dependencies.projection.name);
  }

  private get setAside(): SetAside {
    return this.tracker.known.setAside;
  }

  private partitionNamedBy({ partition }: Extract<Owner, { by: 'document' }>, collection: string, bytes: Buffer): string | undefined {
    const codec = this.dependencies.projection.codecs?.[collection];
    try {
      const text = bytes.toString('utf8');
      return partition(codec ? codec.decode(text) : JSON.parse(text));
    } catch {
      return undefined;
    }
  }
}

const scopeOf = (partition: string | null | undefined): Scope => (partition ? { partition } : 'unknown');

const scopeOfKey = (owner: Owner | undefined, key: string): Scope => {
  switch (owner?.by) {
    case 'first-part':
      return { partition: `${owner.kind}:${firstPartOf(key)}` };
    case 'key':
      return scopeOf(owner.partition(key));
    case 'collection':
      return { partition: owner.partition };
    case 'shared':
      return 'several';
    default:
      return 'unknown';
  }
};

/** If documents name their partition, a range with two bounds belongs to one record, found through another document. */
const scopeOfRange = (owner: Owner | undefined, range: KeyRange): Scope => {
  const [lower, upper] = [range.gte ?? range.gt, range.lte ?? range.lt];
  switch (owner?.by) {
    case undefined:
      return 'unknown';
    case 'collection':
      return { partition: owner.partition };
    case 'document':
      return lower === undefined || upper === undefined ? 'several' : 'unknown';
    case 'first-part': {
      const part = firstPartOf(lower ?? '');
      const isInside = lower?.startsWith(`${part}/`) && (upper?.startsWith(`${part}/`) || upper === `${part}0`); // `0` follows `/`
      return isInside ? { partition: `${owner.kind}:${part}` } : 'several';
    }
    default:
      return 'several';
  }
};

const firstPartOf = (key: string): string => {
  const slash = key.indexOf('/');
  return slash < 0 ? key : key.slice(0, slash);
};
