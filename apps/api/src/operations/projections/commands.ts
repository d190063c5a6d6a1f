import { commandWith } from '#api/shared/commands/command-of.js';
import { PartitionOperator, type Skip } from './partition-operator.js';
import { type ProjectionJob, ProjectionJobs } from './projection-jobs.js';

type OfProjection = Readonly<{ projection: string }>;
type OfPartition = OfProjection & Readonly<{ partition: string }>;

/** Retries the failing event of a partition, then the events that wait behind it. Default: of all that are set aside. Rejects with NotToResume. */
export class ResumePartitions extends commandWith(
  [PartitionOperator],
  ({ projection, partition }: OfProjection & Partial<OfPartition>, { context }, partitions) =>
    partitions.resume(projection, partition, context),
) {}

/** Skips the failing event of a partition in this projection for good, or all that fail alike, then resumes. Rejects with NotToResume. */
export class SkipEvent extends commandWith(
  [PartitionOperator],
  ({ projection, partition, ...skip }: OfPartition & Skip, { context }, partitions) =>
    partitions.skip(projection, partition, skip, context),
) {}

/**
 * Begins a rebuild or verification, or finds the one that this request began before. `position`: of the event that records the request.
 * Rejects with ProjectionBusy.
 */
export class RequestProjectionJob extends commandWith(
  [ProjectionJobs],
  ({ kind, projection }: OfProjection & Readonly<{ kind: ProjectionJob }>, { context }, jobs) => jobs.request(kind, projection, context),
) {}
