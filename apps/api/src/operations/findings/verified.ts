import { differencesIn, withProblem } from '#api/runtime/lasting-findings.js';
import { LOG_VERIFICATION } from '#infra/engine/integrity/verification/verification-kind.js';
import type { Job } from '#infra/engine/jobs/job.js';
import type { Jobs } from '#infra/engine/jobs/jobs.js';
import type { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { REBUILD } from '#infra/engine/projection-runner/rebuild/rebuild-kind.js';
import { VERIFICATION } from '#infra/engine/projection-runner/verify/verification-kind.js';

/** Findings of the verifications of the last seven days that no later job has repaired or refuted. */
type Findings = Readonly<{
  /** The first problem of the log, from the newest verification with one. */
  log: Readonly<{ index: number; kind: string; detail: string }> | null;
  /** Documents that differ from the log, by projection, in its served build. */
  differences: ReadonlyMap<string, number>;
}>;

/** Jobs are many small documents that change rarely. */
const KEPT_MS = 10_000;

const logProblem = (newestFirst: readonly Job[]): Findings['log'] => {
  for (const { problem } of withProblem(newestFirst)) return { index: problem.index, kind: problem.kind, detail: problem.detail };
  return null;
};

/** Looks up the findings of jobs, at most every ten seconds. */
export class FindingsOfJobs {
  /** Result of the last successful look; `null` until there is one. */
  known: Findings | null = null;
  private latest: Promise<Findings> | undefined;
  private at = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly jobs: Pick<Jobs, 'all'>,
    private readonly readModels: Pick<ReadModels, 'build'>,
  ) {}

  /** @throws ReadStoreUnavailable */
  look(): Promise<Findings> {
    const now = performance.now();
    if (this.latest && now - this.at < KEPT_MS) return this.latest;
    this.at = now;
    this.latest = this.find();
    this.latest.then(
      (found) => {
        this.known = found;
      },
      () => {
        this.at = Number.NEGATIVE_INFINITY;
      },
    );
    return this.latest;
  }

  private async find(): Promise<Findings> {
    const [log, verifications, rebuilds] = await Promise.all([LOG_VERIFICATION, VERIFICATION, REBUILD].map((kind) => this.jobs.all(kind)));
    const differences = new Map<string, number>();
    for (const [name, { count, job }] of differencesIn([...(verifications ?? []), ...(rebuilds ?? [])])) {
      const { build } = job.input;
      if (build === undefined || build === (await this.readModels.build(name))) differences.set(name, count);
    }
    return { log: logProblem(log ?? []), differences };
  }
}
