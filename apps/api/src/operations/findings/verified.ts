import type { KeptAnchor } from '#infra/engine/integrity/verification/anchor-feed.js';
import type { ChainProblem } from '#infra/engine/integrity/verification/problem.js';
import type { VerificationDetails as LogDetails } from '#infra/engine/integrity/verification/state.js';
import { LOG_VERIFICATION, type VerificationInput } from '#infra/engine/integrity/verification/verification-kind.js';
import type { Job } from '#infra/engine/jobs/job.js';
import type { Jobs } from '#infra/engine/jobs/jobs.js';
import type { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { REBUILD } from '#infra/engine/projection-runner/rebuild/rebuild-kind.js';
import { VERIFICATION, type VerificationDetails } from '#infra/engine/projection-runner/verify/verification-kind.js';

/** Findings of the verifications of the last seven days that no later job has repaired or refuted. */
type Findings = Readonly<{
  /** The first problem of the log, from the newest verification with one. */
  log: Readonly<{ index: number; kind: string; detail: string }> | null;
  /** Documents that differ from the log, by projection, in its served build. */
  differences: ReadonlyMap<string, number>;
}>;

/** Jobs are many small documents that change rarely. */
const KEPT_MS = 10_000;

const isDone = ({ state }: Job): boolean => state === 'done';

type LogJob = Readonly<{ input: VerificationInput; details: LogDetails }>;

/** Anchors that may have caused a problem: a verification without them does not check them. */
const anchorsBehind = ({ kind, index }: ChainProblem, { input: { anchors }, details: { verifiedTo } }: LogJob): readonly KeptAnchor[] => {
  if (kind === 'anchor') return anchors.filter(({ size }) => size === index + 1);
  return kind === 'missing' && index >= verifiedTo ? anchors.filter(({ size }) => size > index) : [];
};

/** A later verification that has read event and anchors, and found nothing, refutes a problem. @param newestFirst those of the log */
const logProblem = (newestFirst: readonly Job[]): Findings['log'] => {
  const intact: VerificationInput[] = [];
  for (const job of newestFirst) {
    const [input, details] = [job.input as VerificationInput, job.details as LogDetails];
    const { problem } = details;
    if (!problem) {
      if (isDone(job) && details.intact) intact.push(input);
      continue;
    }
    const behind = anchorsBehind(problem, { input, details });
    const disproves = ({ from, anchors }: VerificationInput): boolean =>
      from <= problem.index && behind.every(({ size, root }) => anchors.some((given) => given.size === size && given.root === root));
    if (!intact.some(disproves)) return { index: problem.index, kind: problem.kind, detail: problem.detail };
  }
  return null;
};

type Compared = Readonly<{ count: number; build: unknown }>;

/** @param newestFirst rebuilds and verifications of read models; for each read model the newest one counts */
const differencesIn = (newestFirst: readonly Job[]): ReadonlyMap<string, Compared> => {
  const newest = new Map<string, Compared>();
  for (const { kind, input, details } of newestFirst) {
    const { projection, differenceCount } = details as VerificationDetails;
    if (!newest.has(projection)) newest.set(projection, { count: kind === VERIFICATION ? (differenceCount ?? 0) : 0, build: input.build });
  }
  return new Map([...newest].filter(([, { count }]) => count > 0));
};

/** Looks up the findings of jobs, at most every ten seconds. */
export class FindingsOfJobs {
  /** Result of the last successful look; `null` until there is one. */
  known: Findings | null = null;
  private latest: Promise<Findings> | undefined;
  private at = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly jobs: Pick<Jobs, 'list'>,
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
    const [log, verifications, rebuilds] = await Promise.all([LOG_VERIFICATION, VERIFICATION, REBUILD].map((kind) => this.jobs.list(kind)));
    const ended = [...(verifications ?? []), ...(rebuilds ?? [])].filter(isDone);
    const newestFirst = ended.sort((one, other) => (other.endedAt ?? '').localeCompare(one.endedAt ?? ''));
    const differences = new Map<string, number>();
    for (const [name, { count, build }] of differencesIn(newestFirst))
      if (build === undefined || build === (await this.readModels.build(name))) differences.set(name, count);
    return { log: logProblem(log ?? []), differences };
  }
}
