import { setTimeout as sleep } from 'node:timers/promises';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import type { FillBuild } from '#infra/engine/projection-runner/rebuild/build.js';
import { compareDocuments, PAGE } from '#infra/engine/projection-runner/verify/compare.js';
import { awaitedLater } from '#infra/platform/coordination/awaited-later.js';
import { backOff } from '#infra/platform/coordination/back-off.js';
import { Turnstile } from '#infra/platform/scheduling/turnstile.js';
import type { PastStore } from '#infra/stores/document-store/document-store.js';
import { pagesOf } from '#projections/shared/pages.js';
import type { Projection } from '#projections/shared/projection.js';
import type { Change, Namespace, Progress, ReadStore, ReadView, StoredDocument } from '#projections/shared/read-store.js';
import { isBuilding } from './irreplaceable.js';

type DocumentCopiesOptions = Readonly<{
  /** Documents of this node with their past, and those that nodes share, both as stored. */
  past: Pick<PastStore, 'pastOf' | 'past' | 'served' | 'collections'>;
  shared: ReadStore;
  /** `keeper` applies the log to the past; `readModels` follows the shared documents, or applies the log to them. */
  keeper: Pick<ReadModels, 'shown' | 'storedSetAside'>;
  readModels: Pick<ReadModels, 'shown' | 'isOpening' | 'rebuild'>;
  projections: readonly Projection[];
  /**
   * Milliseconds between two looks for lost documents; from the start on in which documents that this node has not shown yet are left to others; and before
   * the next attempt where there was nothing to copy, or a copy failed. After further failures it doubles.
   */
  timing?: Readonly<{ lookMs: number; openingMs: number; retryMs: number }>;
}>;

/** Documents as of one position. */
type Source = Progress & Readonly<{ namespace: Namespace; collections: readonly string[]; documents: ReadView }>;

const TIMING = { lookMs: 250, openingMs: 10_000, retryMs: 1_000 } as const;
const LONGEST_RETRY_MS = 300_000;

/** A copy is not to be served. */
class CopyRefused extends Error {
  override readonly name = 'CopyRefused';
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
  /** Failures in a row, by read model. */
  private readonly failures = new Map<string, number>();
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
    this.timer = setInterval(() => this.look(copied), timing.lookMs).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.abort.abort();
    await Promise.all(this.underWay.values());
  }

  /** Begins the copies of what is lost, those with the fewest documents first. */
  private look(copied: readonly Projection[]): void {
    const lost = copied.filter(({ name }) => !this.underWay.has(name) && this.isLost(name));
    const sizeOf = ({ name }: Projection): number => this.options.past.pastOf(name)[0]?.versions ?? 0;
    for (const projection of lost.sort((one, other) => sizeOf(one) - sizeOf(other)))
      this.underWay.set(projection.name, this.attempt(projection));
  }

  private isLost(name: string): boolean {
    const { readModels, keeper, timing = TIMING } = this.options;
    if (readModels.shown(name)?.position !== null || typeof keeper.shown(name)?.position !== 'bigint') return false;
    return !readModels.isOpening(name) || performance.now() - this.startedAt >= timing.openingMs;
  }

  private async attempt(projection: Projection): Promise<void> {
    const { name } = projection;
    const { timing = TIMING } = this.options;
    try {
      await this.copy(projection);
      this.failures.delete(name);
    } catch {
      this.failures.set(name, (this.failures.get(name) ?? 0) + 1); // the rebuild has logged it
    }
    const pauseMs = backOff(timing.retryMs, LONGEST_RETRY_MS)(Math.max(1, this.failures.get(name) ?? 0));
    await sleep(pauseMs, undefined, { signal: this.abort.signal, ref: false }).catch(() => undefined);
    this.underWay.delete(name);
  }

  private async copy(projection: Projection): Promise<void> {
    const { signal } = this.abort;
    if (!(await this.wanted(projection))) return;
    const ending = new AbortController();
    const fill: FillBuild = async (...build) => {
      await this.turns.within('', async () => {
        const source = await this.wanted(projection);
        if (source) await this.fill(projection, source, ...build);
        else ending.abort(); // others have built it meanwhile
      });
      ending.signal.throwIfAborted();
    };
    await this.options.readModels.rebuild(projection.name, { signal: AbortSignal.any([signal, ending.signal]), fill });
  }

  /** The documents that are to be copied now; `undefined`: there are none, or more than half of the way is done from the log. */
  private async wanted(projection: Projection): Promise<Source | undefined> {
    const { shared } = this.options;
    const { name, version } = projection;
    const served = await shared.served(name);
    const progress = served && (await shared.progress(served));
    if (progress && !isBuilding({ version, ...progress })) return undefined;
    const source = await this.source(projection);
    return source && source.checkpoint > 2n * (progress?.checkpoint ?? 0n) ? source : undefined;
  }

  /** The documents of this node as of now; `undefined`: they cannot stand for those that a rebuild would make. */
  private async source({ name, version }: Projection): Promise<Source | undefined> {
    const { past, keeper } = this.options;
    const [build] = past.pastOf(name); // first: what follows is at least as new
    const namespace = await past.served(name);
    if (!namespace || !(await keeper.storedSetAside(name)).isEmpty) return undefined;
    if (!build?.isServed || build.version !== version || build.origin === null || isBuilding(build)) return undefined;
    const { checkpoint, origin } = build;
    const documents = past.past(name, checkpoint, (builds) => builds.find(({ isServed, from }) => isServed && from <= checkpoint));
    return { checkpoint, origin, namespace, documents, collections: await past.collections(namespace) };
  }

  /** Each commit moves the checkpoint of the build by one, and the last to the position of the documents. */
  private async fill({ name }: Projection, source: Source, ...[namespace, retry]: Parameters<FillBuild>): Promise<void> {
    const { shared, past } = this.options;
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
    if ((await past.served(name))?.generation !== source.namespace.generation) throw new CopyRefused('the copied documents were replaced');
    await retry.commit(shared, namespace, [], step, checkpoint, origin ?? undefined);
  }

  /** @throws CopyRefused */
  private async compare({ collections, documents }: Source, built: ReadView): Promise<void> {
    await compareDocuments({
      collections,
      next: (collection, after) => documents.range(collection, { ...PAGE, ...(after !== undefined && { gt: after }) }),
      built,
      onDifference: ({ collection, key, kind }) => {
        throw new CopyRefused(`the copy differs from its source: ${kind} in ${collection}: ${key}`);
      },
      onPage: () => this.abort.signal.throwIfAborted(),
    });
  }
}

const putIn =
  (collection: string) =>
  ({ key, value }: StoredDocument): Change => ({ kind: 'put', collection, key, value });
