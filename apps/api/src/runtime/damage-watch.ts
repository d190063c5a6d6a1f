import { join } from 'node:path';
import type { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { RebuildUnderWay } from '#infra/engine/projection-runner/rebuild/rebuild-lease.js';
import { onEnvironmentLost } from '#infra/platform/lmdb/environment-error.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import type { ReadModelDamage } from '#infra/stores/document-store/condition.js';

/** A file of an embedded store cannot be used by this process any more. The next start goes on with what is in it, or builds it anew. */
export class StoreLost extends Error {
  override readonly name = 'StoreLost';
  constructor(
    message: string,
    /** Directory of files that are derived from the log, after which the server may begin anew in this process. `undefined`: it may not. */
    readonly renewable?: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Reactions to damage that the embedded stores find at run time. */
export class DamageWatch {
  private readonly closing = new AbortController();
  private readModels: ReadModels | undefined;
  /** Projections whose documents were found damaged before anybody could rebuild them. */
  private readonly early: string[] = [];
  private lose: (error: StoreLost) => void = () => {};
  private readonly forget: () => void;

  /** Resolves, if ever, when the process cannot go on. */
  readonly lost = new Promise<StoreLost>((resolve) => {
    this.lose = resolve;
  });

  /** @param dataDirectory under which the embedded stores are */
  constructor(
    private readonly logger: Logger,
    private readonly dataDirectory: string,
  ) {
    this.forget = onEnvironmentLost(({ path, message }) => {
      if (!path.startsWith(join(dataDirectory, '/'))) return;
      this.logger.error({}, message);
      this.lose(new StoreLost(message, path === join(dataDirectory, 'log') ? undefined : path));
    });
  }

  /** Of the event log: it refuses events from now on, and health says so. Only an operator can mend it. */
  readonly ofLog = (error: unknown): void => {
    this.logger.error({ err: error }, 'the event log is damaged: it takes no events any more; put it back from a backup');
  };

  /** Of one projection: rebuilt beside, while its reads answer 503. Of the index: the server begins anew. */
  readonly ofReadModels = ({ projection, error }: ReadModelDamage): void => {
    if (projection !== undefined) {
      this.logger.error({ projection, err: error }, 'documents are damaged: they are built anew and not served until then');
      if (this.readModels) void this.rebuild(this.readModels, projection);
      else this.early.push(projection);
      return;
    }
    this.logger.error({ err: error }, 'the index of the documents is damaged: it is made of them again');
    this.lose(new StoreLost('the index of the documents is damaged', join(this.dataDirectory, 'documents', 'index'), { cause: error }));
  };

  /** Rebuilds damaged read models. */
  watchOver(readModels: ReadModels): void {
    this.readModels = readModels;
    for (const projection of this.early) void this.rebuild(readModels, projection);
  }

  /** Ends rebuilds. */
  close(): void {
    this.forget();
    this.closing.abort();
  }

  private async rebuild(readModels: ReadModels, projection: string): Promise<void> {
    if (!readModels.names.includes(projection)) return; // of another release: nobody reads it
    try {
      await readModels.rebuild(projection, { signal: this.closing.signal });
    } catch (error) {
      if (error instanceof RebuildUnderWay || this.closing.signal.aborted) return; // by another process
      this.logger.error({ projection, err: error }, 'damaged documents could not be built anew');
    }
  }
}
