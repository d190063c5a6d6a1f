import { setTimeout as sleep } from 'node:timers/promises';
import type { Position } from '#domain/shared/events.js';
import type { MarkVisibility } from '#domain/shared/marks.js';
import type { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { partitionedView } from '#infra/engine/projection-runner/set-aside/partitioned-view.js';
import { hasSetAside } from '#infra/engine/projection-runner/set-aside/set-aside-documents.js';
import { SetAsideTracker } from '#infra/engine/projection-runner/set-aside/set-aside-tracker.js';
import type { PastBuild } from '#infra/stores/document-store/build.js';
import type { PastStore } from '#infra/stores/document-store/document-store.js';
import type { SealedDocuments } from '#infra/stores/read-store/sealed/sealed-documents.js';
import type { History, HistoryStatus, PastAvailability } from '#projections/shared/past.js';
import type { Projection } from '#projections/shared/projection.js';
import type { ReadView } from '#projections/shared/read-store.js';
import { isBuilding } from './irreplaceable.js';

type DocumentsHistoryOptions = Readonly<{
  store: Pick<PastStore, 'past' | 'pastOf'>;
  projections: readonly Projection[];
  sealed: SealedDocuments;
  /** Read models that this process applies or follows. Default: documents are shown as stored, and none is assumed to advance. */
  readModels?: Pick<ReadModels, 'shown'>;
  /** Returns whether some of the past is still being moved into the store. Default: none is. */
  isTakingOver?: () => boolean;
}>;

/** Interval in which a waiting caller checks the progress of the documents. */
const LOOK_MS = 10;

const NAMESPACE = { projection: '', version: 0, slot: 'a', generation: 0 } as const;

/** The past of read models, from the store that keeps earlier versions of documents. */
export class DocumentsHistory implements History {
  constructor(private readonly options: DocumentsHistoryOptions) {}

  view(projection: string, position: Position, shown?: MarkVisibility): ReadView {
    const { store, sealed } = this.options;
    const stored = store.past(projection, position, (builds) => chosen(this.readable(projection, builds), position));
    const inner = sealed.opened(stored, projection, shown ?? 'concealed');
    return this.partitioned(projection, stored, inner);
  }

  async reach(position: Position, timeoutMs = 0, projection?: string): Promise<PastAvailability> {
    const until = performance.now() + timeoutMs;
    for (;;) {
      const reached = this.reached(position, projection);
      const left = until - performance.now();
      if (reached !== 'behind' || left <= 0) return reached;
      await sleep(Math.min(LOOK_MS, left));
    }
  }

  status(): HistoryStatus {
    const { projections } = this.options;
    const all = projections.map(({ name }) => ({ name, builds: this.builds(name), shown: this.shown(name) }));
    const states = all.map(({ shown }) => shown?.state ?? 'stopped');
    return {
      state: states.find((state) => state !== 'live') ?? 'live',
      from: all.map(({ builds }) => firstShown(builds)).reduce(later, 0n),
      position: all.map(({ builds, shown }) => newest(builds, shown)).reduce(earlier, NEVER),
      documents: all.flatMap(({ builds }) => builds).reduce((sum, { versions }) => sum + versions, 0),
    };
  }

  private reached(position: Position, projection: string | undefined): PastAvailability {
    const concerned = this.options.projections.filter(({ name }) => projection === undefined || name === projection);
    const reaches = concerned.map(({ name }) => {
      const reach = reachOf(this.builds(name), this.shown(name), position);
      return reach === 'lost' && this.options.isTakingOver?.() ? 'behind' : reach;
    });
    return reaches.find((reach) => reach === 'behind') ?? reaches.find((reach) => reach === 'lost') ?? 'reached';
  }

  /** Builds whose documents current queries can read. */
  private builds(projection: string): readonly PastBuild[] {
    return this.readable(projection, this.options.store.pastOf(projection));
  }

  private readable(projection: string, builds: readonly PastBuild[]): readonly PastBuild[] {
    const readsFrom = this.options.projections.find(({ name }) => name === projection)?.readsFrom ?? 1;
    return builds.filter(({ version }) => version >= readsFrom);
  }

  private shown(projection: string): AppliedPosition {
    return this.options.readModels?.shown(projection) ?? null;
  }

  /** Documents of partitions that were paused at the position are refused, as they were then. */
  private partitioned(name: string, stored: ReadView, inner: ReadView): ReadView {
    const projection = this.options.projections.find((one) => one.name === name);
    if (!projection) return inner;
    const progress = async () => ({ checkpoint: 0n, origin: null, token: (await hasSetAside(stored)) ? 'some' : '' });
    const store = { served: async () => NAMESPACE, progress, documents: () => stored };
    return partitionedView({ store, inner, projection, tracker: new SetAsideTracker() });
  }
}

type AppliedPosition = ReturnType<ReadModels['shown']>;

const NEVER = 2n ** 63n;
const later = (one: Position, other: Position): Position => (one > other ? one : other);
const earlier = (one: Position, other: Position): Position => (one < other ? one : other);

const newest = ([served]: readonly PastBuild[], shown: AppliedPosition): Position => later(served?.checkpoint ?? 0n, shown?.position ?? 0n);

/** Until a served build shows the whole log, its first position may rise. */
const shows = (build: PastBuild, position: Position): boolean =>
  build.from <= position && (build.isServed ? !isBuilding(build) : position <= build.checkpoint);

/**
 * Selects the build for reading as of a position. A kept one of the served version comes first: it was made when the log held events that
 * its replacement has not seen.
 */
const chosen = (builds: readonly PastBuild[], position: Position): PastBuild | undefined => {
  const [served] = builds;
  const able = builds.filter((build) => shows(build, position));
  return able.findLast(({ isServed, version }) => !isServed && version === served?.version) ?? able[0];
};

const reachOf = (builds: readonly PastBuild[], shown: AppliedPosition, position: Position): PastAvailability => {
  if (shown && (shown.mismatch !== null || shown.position === null)) return 'behind';
  const build = chosen(builds, position);
  const [served] = builds;
  if (!build) return served?.isServed && !isBuilding(served) ? 'lost' : 'behind';
  if (!build.isServed) return 'reached';
  return position <= newest(builds, shown) ? 'reached' : 'behind';
};

/** First of the positions shown without a gap up to the newest one. */
const firstShown = ([served, ...kept]: readonly PastBuild[]): Position =>
  kept.reduce((first, one) => (one.checkpoint >= first - 1n ? earlier(first, one.from) : first), served?.from ?? 0n);
