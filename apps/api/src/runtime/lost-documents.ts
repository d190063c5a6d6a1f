import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { JobUnderWay } from '#infra/engine/jobs/job.js';
import type { Jobs } from '#infra/engine/jobs/jobs.js';
import type { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { exclusiveFor, REBUILD } from '#infra/engine/projection-runner/rebuild/rebuild-kind.js';
import { renewNamespace } from '#infra/platform/coordination/own-namespace.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import type { ReadStore } from '#projections/shared/read-store.js';

type Parts = Readonly<{ jobs: Pick<Jobs, 'begin'>; readModels: Pick<ReadModels, 'names' | 'build' | 'rebuildUnderWay'>; store: ReadStore }>;

/** Time after an attempt before the next one for the same read model. */
const PAUSE_MS = 2_000;

/**
 * Has read models built again whose documents are gone from Redis, which has dropped them, or somebody has deleted them. Until then their reads are
 * refused. What is not in the log (leases, sessions, jobs) begins empty.
 */
export class LostDocuments {
  private readonly underWay = new Set<string>();
  private parts: Parts | undefined;

  constructor(private readonly log: Pick<Logger, 'error' | 'warn'>) {}

  start(parts: Parts): void {
    this.parts = parts;
  }

  readonly note = (name: string): void => {
    const { parts } = this;
    if (!parts || this.underWay.has(name)) return;
    this.underWay.add(name);
    this.log.error({ projection: name }, 'documents of the read model are gone from Redis: it is built again');
    void mend(parts, name)
      .catch((error: unknown) => this.log.warn({ projection: name, err: error }, 'the read model cannot be built again now'))
      .finally(() => setTimeout(() => this.underWay.delete(name), PAUSE_MS).unref());
  };
}

const mend = async ({ jobs, readModels, store }: Parts, name: string): Promise<void> => {
  if (!readModels.names.includes(name)) return renewNamespace(store, name);
  for (;;)
    try {
      if (await readModels.rebuildUnderWay(name)) return;
      const input = { projection: name, build: await readModels.build(name) };
      await jobs.begin(REBUILD, randomUUID(), input, { exclusive: exclusiveFor(name) });
      return;
    } catch (error) {
      if (!(error instanceof JobUnderWay)) throw error;
      if (error.other.kind === REBUILD) return;
      await sleep(PAUSE_MS, undefined, { ref: false }); // a verification, which goes on
    }
};
