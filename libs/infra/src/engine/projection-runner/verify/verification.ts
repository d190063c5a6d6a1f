import type { Position } from '#domain/shared/events.js';
import type { RunnerDependencies } from '#infra/engine/projection-runner/dependencies.js';
import { type BegunBuild, Build } from '#infra/engine/projection-runner/rebuild/build.js';
import { isLogged } from '#infra/platform/coordination/back-off.js';
import { OutageRetry } from '#infra/platform/coordination/outage-retry.js';
import type { Projection } from '#projections/shared/projection.js';
import type { Namespace, StoredDocument } from '#projections/shared/read-store.js';
import { BoundedLog } from './bounded-log.js';
import { compareDocuments, PAGE } from './compare.js';
import type { Difference } from './differences.js';

/** Result of a comparison. `position`: that of the last compared documents. */
export type ComparisonResult = Readonly<{
  position: Position;
  compared: number;
  differenceCount: number;
  differences: readonly Difference[];
}>;

type VerificationOptions = Readonly<{
  signal: AbortSignal;
  /** Continues this build, if it still exists and comes from this log. */
  begun: BegunBuild | null;
  /** Called once the namespace of the build is known. */
  onNamespace: (namespace: Namespace) => void;
  /** Called after every page of events, with the number of its uncounted events. */
  onEvents: (events: number, position: Position) => void;
  onCompared: (compared: number) => void;
}>;

/** Nothing is served yet, or the store has lost what was compared: the message says which. */
export class NotToVerify extends Error {
  override readonly name = 'NotToVerify';
}

const MOST_DIFFERENCES = 100;

/** Attempts to read a page between two commits after which half as many documents are read. */
const ATTEMPTS = 4;

type Built = Readonly<{ log: BoundedLog; build: Build }>;

/**
 * Compares every served document with a separate build, which is made beside the served documents, in the place of a rebuild. The documents
 * are compared a page at a time: if the checkpoint before and after the read of a page is the same, the page is of that position, to which
 * the build is then brought. Nobody waits for a verification. It waits through outages of the stores.
 */
export class ProjectionVerification {
  private readonly retry: OutageRetry;

  constructor(
    private readonly dependencies: RunnerDependencies,
    private readonly projection: Projection,
    private readonly options: VerificationOptions,
  ) {
    const { timing, log } = dependencies;
    this.retry = new OutageRetry(timing, options.signal, (error, attempt) => {
      if (isLogged(attempt)) log.warn({ projection: projection.name, attempt, err: error }, 'verification waits for a store');
    });
  }

  /**
   * @throws NotToVerify
   * @throws NamespaceGone another build replaced one of the two
   * @throws DamagedLog, AbortError
   */
  async run(): Promise<ComparisonResult> {
    const { store } = this.dependencies;
    const built = await this.begin();
    const served = await this.served();
    await this.bring(built, await this.retry.retryUntilAvailable(() => store.checkpoint(served)));
    const differences: Difference[] = [];
    let differenceCount = 0;
    const compared = await compareDocuments({
      collections: await this.collections(built.build.namespace, served),
      next: async (collection, after) => {
        const { documents, position } = await this.read(served, collection, after);
        await this.bring(built, position);
        return documents;
      },
      built: store.documents(built.build.namespace),
      onDifference: (difference) => {
        differenceCount++;
        if (differences.length < MOST_DIFFERENCES) differences.push(difference);
      },
      onPage: (soFar) => {
        this.options.signal.throwIfAborted();
        this.options.onCompared(soFar);
      },
    });
    return { position: built.log.bound, compared, differenceCount, differences };
  }

  /** Removes the build. */
  async cleanUp(): Promise<void> {
    const { name, version } = this.projection;
    await this.dependencies.store.prepare(name, version);
  }

  private async served(): Promise<Namespace> {
    const served = await this.retry.retryUntilAvailable(() => this.dependencies.store.served(this.projection.name));
    if (!served) throw new NotToVerify(`nothing of ${this.projection.name} is served yet`);
    if (served.version !== this.projection.version) throw new NotToVerify(`version ${this.projection.version} is being built`);
    return served;
  }

  private async begin(): Promise<Built> {
    const { begun, onEvents, onNamespace, signal } = this.options;
    const log = new BoundedLog(this.dependencies.events);
    const onPage = async (count: number, position: Position): Promise<void> => {
      onEvents(count, position);
      signal.throwIfAborted();
    };
    const build = await Build.open({ ...this.dependencies, events: log, retry: this.retry, onPage }, this.projection, begun);
    log.bound = build.progress.checkpoint;
    onNamespace(build.namespace);
    return { log, build };
  }

  private async collections(...namespaces: readonly Namespace[]): Promise<ReadonlySet<string>> {
    const { store } = this.dependencies;
    const names = await this.retry.retryUntilAvailable(() => Promise.all(namespaces.map((each) => store.collections(each))));
    const { expiring } = this.projection;
    return new Set(names.flat().filter((name) => !name.startsWith('$') && !expiring?.includes(name))); // `$`: of the runner itself
  }

  /** Applies the log to the build up to the position, which the served documents have. */
  private async bring({ log, build }: Built, position: Position): Promise<void> {
    if (position < log.bound) throw new NotToVerify('the served documents show less than before: verify once more');
    if (position === log.bound) return;
    log.bound = position;
    await build.catchUp(position);
  }

  /** The next documents of a collection, and the position of which they are. Reads fewer of them while commits come in between. */
  private async read(
    served: Namespace,
    collection: string,
    after: string | undefined,
  ): Promise<Readonly<{ documents: readonly StoredDocument[]; position: Position }>> {
    const { store } = this.dependencies;
    const checkpoint = (): Promise<Position> => this.retry.retryUntilAvailable(() => store.checkpoint(served));
    let { limit } = PAGE;
    for (let attempt = 1; ; attempt++) {
      const before = await checkpoint();
      const range = { ...PAGE, limit, ...(after !== undefined && { gt: after }) };
      const documents = await this.retry.retryUntilAvailable(() => store.documents(served).range(collection, range));
      const position = await checkpoint();
      if (position === before) return { documents, position };
      this.options.signal.throwIfAborted();
      if (attempt % ATTEMPTS === 0) limit = Math.ceil(limit / 2);
    }
  }
}
