import type { KeptAnchor } from '#infra/engine/integrity/verification/anchor-feed.js';
import type { ChainProblem } from '#infra/engine/integrity/verification/problem.js';
import type { VerificationDetails as LogDetails } from '#infra/engine/integrity/verification/state.js';
import { LOG_VERIFICATION, type VerificationInput } from '#infra/engine/integrity/verification/verification-kind.js';
import type { Job, LastingJobs } from '#infra/engine/jobs/job.js';
import { REBUILD } from '#infra/engine/projection-runner/rebuild/rebuild-kind.js';
import { VERIFICATION, type VerificationDetails } from '#infra/engine/projection-runner/verify/verification-kind.js';

const isDone = ({ state }: Job): boolean => state === 'done';

type LogJob = Readonly<{ input: VerificationInput; details: LogDetails }>;

/** Distinct anchors: a request may have one of them a thousand times. */
const distinct = (anchors: readonly KeptAnchor[]): readonly KeptAnchor[] => [
  ...new Map(anchors.map((anchor) => [`${anchor.size} ${anchor.root}`, anchor])).values(),
];

/** A verification that found nothing: its anchors are the true ones, one of each size. */
class Refuter {
  private rootsBySize: ReadonlyMap<number, string> | undefined;

  constructor(private readonly input: VerificationInput) {}

  /** Whether it read the event and was given the anchors. */
  refutes({ index }: ChainProblem, behind: readonly KeptAnchor[]): boolean {
    return this.input.from <= index && behind.every(({ size, root }) => this.roots.get(size) === root);
  }

  /** Made when it is needed: most findings are not about anchors. */
  private get roots(): ReadonlyMap<number, string> {
    this.rootsBySize ??= new Map(this.input.anchors.map(({ size, root }) => [size, root]));
    return this.rootsBySize;
  }
}

/** Anchors that may have caused a problem: a verification without them does not check them. */
const anchorsBehind = ({ kind, index }: ChainProblem, { input: { anchors }, details: { verifiedTo } }: LogJob): readonly KeptAnchor[] => {
  if (kind === 'anchor') return anchors.filter(({ size }) => size === index + 1);
  return kind === 'missing' && index >= verifiedTo ? anchors.filter(({ size }) => size > index) : [];
};

/**
 * Verifications with a problem. A later one that has read event and anchors, and found nothing, refutes it.
 * @param newestFirst those of the log
 */
export function* withProblem(newestFirst: readonly Job[]): Generator<Readonly<{ job: Job; problem: ChainProblem }>> {
  const intact: Refuter[] = [];
  for (const job of newestFirst) {
    const [input, details] = [job.input as VerificationInput, job.details as LogDetails];
    const { problem } = details;
    if (!problem) {
      if (isDone(job) && details.intact) intact.push(new Refuter(input));
      continue;
    }
    const behind = distinct(anchorsBehind(problem, { input, details }));
    if (!intact.some((one) => one.refutes(problem, behind))) yield { job, problem };
  }
}

type Compared = Readonly<{ count: number; job: Job }>;

/** @param jobs rebuilds and verifications of read models; for each read model the one that ended last counts */
export const differencesIn = (jobs: readonly Job[]): ReadonlyMap<string, Compared> => {
  const newest = new Map<string, Compared>();
  for (const job of jobs.filter(isDone).sort((one, other) => (other.endedAt ?? '').localeCompare(one.endedAt ?? ''))) {
    const { projection, differenceCount } = job.details as VerificationDetails;
    if (!newest.has(projection)) newest.set(projection, { count: job.kind === VERIFICATION ? (differenceCount ?? 0) : 0, job });
  }
  return new Map([...newest].filter(([, { count }]) => count > 0));
};

/** Verifications whose findings still count. */
export const lastingFindings: LastingJobs = (ended) => [
  ...[...differencesIn(ended.filter(({ kind }) => kind === VERIFICATION || kind === REBUILD)).values()].map(({ job }) => job),
  ...[...withProblem(ended.filter(({ kind }) => kind === LOG_VERIFICATION))].map(({ job }) => job),
];
