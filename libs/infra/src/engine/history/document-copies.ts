import { setTimeout as sleep } from 'node:timers/promises';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import type { FillBuild } from '#infra/engine/projection-runner/rebuild/build.js';
import { compareDocuments, PAGE } from '#infra/engine/projection-runner/verify/compare.js';
import { awaitedLater } from '#infra/platform/coordination/awaited-later.js';
import { Turnstile } from '#infra/platform/scheduling/turnstile.js';
import type { PastStore } from '#infra/stores/document-store/document-store.js';
import { pagesOf } from '#projections/shared/pages.js';
import type { Projection } from '#projections/shared/projection.js';
import type { Change, Progress, ReadStore, ReadView, StoredDocument } from '#projections/shared/read-store.js';
import { isBuilding } from './irreplaceable.js';

type DocumentCopiesOptions = Readonly<{
  /** Documents of this node with their past, and those that nodes share, both as stored. */
  past: Pick<PastStore, 'pastOf' | 'past' | 'served' | 'collections'>;
  shared: ReadStore;
  /** What applies the log to the past, and what follows or applies the shared documents. */
  keeper: Pick<ReadModels, 'shown' | 'storedSetAside'>;
  readModels: Pick<ReadModels, 'shown' | 'isOpening' | 'rebuild'>;
  projections: readonly Projection[];
  /**
   * Milliseconds between two looks for lost documents, from the start on in which documents that this node has not shown yet are left to others, and before
   * a copy that failed is made again.
   */
  timing?: Readonly<{ lookMs: number; openingMs: number; retryMs: number }>;
}>;

/** Documents as of one position. */
type Source = Progress & Readonly<{ collections: readonly string[]; documents: ReadView }>;

const TIMING = { lookMs: 250, openingMs: 10_000, retryMs: 10_000 } as const;

/** The copied documents are not those of the source. */
class CopyDiffers extends Error {
  override readonly name = 'CopyDiffers';
}

/**
 * Fills read models that their shared store has lost with the documents that this node keeps of them, as they are stored there, sealed. A copy is a rebuild
 * that begins at the position of these documents instead of the beginning of the log: it takes the time of its documents, not of all events. Nothing depends
 * on it: where it is impossible or fails, read models are filled from the log. Not copied are those that are needed first, which their own streams fill
 * sooner, those whose documents show all positions at once, and those with partitions that are set aside.
 */
export class DocumentCopies {
  private readonly abort = new AbortController();
  private readonly underWay = new Map<string, Promise<void>>();
  /** One at a time; the others have their leases meanwhile, so that nobody begins them from the log. */
  private readonly turns = new Turnstile(1);
  private timer: NodeJS.Timeout | undefined;
  private startedAt = 0;

  constructor(private readonly options: DocumentCopiesOptions) {}

  /** To be called once. */
  start(): void {
    const { projections, timing = TIMING } = this.options;
    this.startedAt = performance.now();
    const copied = projections.filter(({ past, needed }) => past === undefined && needed === undefined);
    this.timer = setInterval(() => {
      for (const projection of copied) this.look(projection);
    }, timing.lookMs).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.abort.abort();
    await Promise.all(this.underWay.values());
  }

  private look(projection: Projection): void {
    const { name } = projection;
    const { readModels, keeper, timing = TIMING } = this.options;
    const isLost = readModels.shown(name)?.position === null && typeof keeper.shown(name)?.position === 'bigint';
    const isEarly = readModels.isOpening(name) && performance.now() - this.startedAt < timing.openingMs;
    if (!isLost || isEarly || this.underWay.has(name)) return;
    const copy = this.copy(projection)
      .catch(() => sleep(timing.retryMs, undefined, { signal: this.abort.signal, ref: false })) // the rebuild has logged it
      .catch(() => undefined)
      .finally(() => this.underWay.delete(name));
    this.underWay.set(
      name,
      copy.then(() => undefined),
    );
  }

  private async copy(projection: Projection): Promise<void> {
    const { shared, readModels } = this.options;
    const { name, version } = projection;
    const served = await shared.served(name);
    const progress = served && (await shared.progress(served));
    if (progress && !isBuilding({ version, ...progress })) return;
    const source = await this.source(projection);
    if (!source || source.checkpoint <= 2n * (progress?.checkpoint ?? 0n)) return; // filled from the log, and half of the way is done
    const fill: FillBuild = (...build) => this.turns.within('', () => this.fill(source, ...build));
    await readModels.rebuild(name, { signal: this.abort.signal, fill });
  }

  /** The documents of this node as of now; `undefined`: they cannot stand for those that a rebuild would make. */
  private async source({ name, version }: Projection): Promise<Source | undefined> {
    const { past, keeper } = this.options;
    const namespace = await past.served(name);
    if (!namespace || !(await keeper.storedSetAside(name)).isEmpty) return undefined;
    const collections = await past.collections(namespace);
    const [build] = past.pastOf(name);
    if (!build?.isServed || build.version !== version || build.origin === null || isBuilding(build)) return undefined;
    const { checkpoint, origin } = build;
    const documents = past.past(name, checkpoint, (builds) => builds.find(({ isServed, from }) => isServed && from <= checkpoint));
    return { checkpoint, origin, collections, documents };
  }

  /**
   * Each commit moves the checkpoint of the build by one, and the last to the position of the documents: another build that has its place by then, after the
   * shared store was lost once more, refuses them.
   */
  private async fill(source: Source, ...[namespace, retry]: Parameters<FillBuild>): Promise<void> {
    const { shared } = this.options;
    const { signal } = this.abort;
    const { checkpoint, origin, collections, documents } = source;
    const slice = new TimeSlice();
    let step = 0n;
    let written = Promise.resolve();
    for (const collection of collections)
      for await (const page of pagesOf(documents, collection, {}, { slice })) {
        await written; // the page was read meanwhile
        signal.throwIfAborted();
        written = awaitedLater(retry.commit(shared, namespace, page.map(putIn(collection)), step, step + 1n));
        step += 1n;
      }
    await written;
    await this.compare(source, shared.documents(namespace));
    await retry.commit(shared, namespace, [], step, checkpoint, origin ?? undefined);
  }

  /** @throws CopyDiffers */
  private async compare({ collections, documents }: Source, built: ReadView): Promise<void> {
    await compareDocuments({
      collections,
      next: (collection, after) => documents.range(collection, { ...PAGE, ...(after !== undefined && { gt: after }) }),
      built,
      onDifference: ({ collection, key, kind }) => {
        throw new CopyDiffers(`the copy differs from its source: ${kind} in ${collection}: ${key}`);
      },
      onPage: () => this.abort.signal.throwIfAborted(),
    });
  }
}

const putIn =
  (collection: string) =>
  ({ key, value }: StoredDocument): Change => ({ kind: 'put', collection, key, value });
