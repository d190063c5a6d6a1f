import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { RebuildUnderWay } from '#infra/engine/projection-runner/rebuild/rebuild-lease.js';
import { renewNamespace } from '#infra/platform/coordination/own-namespace.js';
import { onEnvironmentLost } from '#infra/platform/lmdb/environment-error.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { isOutage } from '#infra/platform/program/outage.js';
import type { ReadModelDamage } from '#infra/stores/document-store/failures/condition.js';
import type { ReadStore } from '#projections/shared/read-store.js';

const RETRY_MS = 5_000;

/** Embedded documents, and the read models in them. */
type Documents = Readonly<{ readModels: ReadModels; store: ReadStore }>;

/** This process cannot use a file of an embedded store any more. The next start continues with its content, or rebuilds it. */
export class StoreLost extends Error {
  override readonly name = 'StoreLost';
  constructor(
    message: string,
    /** Directory of files derived from the log, after whose damage the server may restart in this process. `undefined` if it may not. */
    readonly renewable?: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Reactions to damage that the embedded stores find at run time. */
export class DamageWatch {
  private readonly closing = new AbortController();
  private documents: Documents | undefined;
  /** Projections whose documents were found damaged before they could be rebuilt. */
  private readonly early: string[] = [];
  private fail: (error: StoreLost) => void = () => {};
  private readonly forget: () => void;

  /** Resolves if the process cannot continue. */
  readonly lost = new Promise<StoreLost>((resolve) => {
    this.fail = resolve;
  });

  /** @param dataDirectory parent of the embedded stores */
  constructor(
    private readonly logger: Logger,
    private readonly dataDirectory: string,
  ) {
    this.forget = onEnvironmentLost(({ path, message }) => {
      if (!path.startsWith(join(dataDirectory, '/'))) return;
      this.logger.error({}, message);
      this.fail(new StoreLost(message));
    });
  }

  /** For the event log: it refuses events from now on, and the health shows it. Only an operator can repair it. */
  readonly ofLog = (error: unknown): void => {
    this.logger.error({ err: error }, 'the event log is damaged: it takes no events any more; put it back from a backup');
  };

  /** For one projection: it is rebuilt separately, while its reads answer 503. For the index: the server restarts. */
  readonly ofReadModels = ({ projection, error }: ReadModelDamage): void => {
    if (projection !== undefined) {
      this.logger.error({ projection, err: error }, 'documents are damaged: they are built anew and not served until then');
      if (this.documents) void this.rebuild(this.documents, projection);
      else this.early.push(projection);
      return;
    }
    this.logger.error({ err: error }, 'the index of the documents is damaged: it is made of them again');
    this.fail(new StoreLost('the index of the documents is damaged', join(this.dataDirectory, 'documents', 'index'), { cause: error }));
  };

  /** Rebuilds damaged read models. Other documents, such as those of leases, begin anew, as do those of a projection of another release. */
  watchOver(documents: Documents): void {
    this.documents = documents;
    for (const projection of this.early) void this.rebuild(documents, projection);
  }

  /** Ends rebuilds. */
  close(): void {
    this.forget();
    this.closing.abort();
  }

  /** Waits while the disk is full, or no more files can be opened. */
  private async renew(store: ReadStore, projection: string): Promise<void> {
    for (let isFirst = true; ; isFirst = false) {
      try {
        await renewNamespace(store, projection);
        return;
      } catch (error) {
        if (!isOutage(error)) throw error;
        if (isFirst) this.logger.warn({ projection, err: error }, 'damaged documents cannot be built anew for now');
        await sleep(RETRY_MS, undefined, { signal: this.closing.signal });
      }
    }
  }

  private async rebuild({ readModels, store }: Documents, projection: string): Promise<void> {
    try {
      if (readModels.names.includes(projection)) await readModels.rebuild(projection, { signal: this.closing.signal });
      else await this.renew(store, projection);
    } catch (error) {
      if (error instanceof RebuildUnderWay || this.closing.signal.aborted) return; // by another process
      this.logger.error({ projection, err: error }, 'damaged documents could not be built anew');
    }
  }
}
