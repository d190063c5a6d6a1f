import type { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { RebuildUnderWay } from '#infra/engine/projection-runner/rebuild/rebuild-lease.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import type { ReadModelDamage } from '#infra/stores/read-store/lmdb/condition.js';

/** The file of the read models cannot be used any more. The next start builds them anew. */
export class ReadModelsLost extends Error {
  override readonly name = 'ReadModelsLost';
}

/** What is done about damage that the embedded stores find while they run. */
export class DamageWatch {
  private readonly closing = new AbortController();
  private readModels: ReadModels | undefined;
  private lose: (error: ReadModelsLost) => void = () => {};

  /** Resolves, if ever, when the process cannot go on. */
  readonly lost = new Promise<ReadModelsLost>((resolve) => {
    this.lose = resolve;
  });

  constructor(private readonly logger: Logger) {}

  /** Of the event log: it refuses events from now on, and health says so. Only an operator can mend it. */
  readonly ofLog = (error: unknown): void => {
    this.logger.error({ err: error }, 'the event log is damaged: it takes no events any more; put it back from a backup');
  };

  /** Of one projection: rebuilt beside, while its reads answer 503. Of the file: the process has to end. */
  readonly ofReadModels = ({ projection, error }: ReadModelDamage): void => {
    if (projection !== undefined && this.readModels?.names.includes(projection)) {
      this.logger.error({ projection, err: error }, 'documents are damaged: they are built anew and not served until then');
      void this.rebuild(this.readModels, projection);
      return;
    }
    this.logger.error({ projection, err: error }, 'the read models are damaged: the next start builds them anew');
    this.lose(new ReadModelsLost('the read models are damaged', { cause: error }));
  };

  /** Who rebuilds. */
  watchOver(readModels: ReadModels): void {
    this.readModels = readModels;
  }

  /** Ends rebuilds. */
  close(): void {
    this.closing.abort();
  }

  private async rebuild(readModels: ReadModels, projection: string): Promise<void> {
    try {
      await readModels.rebuild(projection, { signal: this.closing.signal });
    } catch (error) {
      if (error instanceof RebuildUnderWay || this.closing.signal.aborted) return; // by another process
      this.logger.error({ projection, err: error }, 'damaged documents could not be built anew');
    }
  }
}
