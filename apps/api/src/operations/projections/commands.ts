import type { Provider } from '@nestjs/common';
import { CommandWith } from '#api/shared/commands/command-of.js';
import { handles } from '#api/shared/commands/handlers.js';
import type { Position } from '#domain/shared/events.js';
import { PartitionOperator, type PartitionOutcome, type ProjectionJob, type Skip } from './partition-operator.js';
import { ProjectionJobs } from './projection-jobs.js';

type OfProjection = Readonly<{ projection: string }>;
type OfPartition = OfProjection & Readonly<{ partition: string }>;

/** Retries the failing event of a partition, then the events that wait behind it. Rejects with NotToResume. */
export class ResumePartition extends CommandWith<OfPartition, PartitionOutcome> {}

/** Retries all partitions that are set aside, and the event at which this process has stopped. Rejects with NotToResume. */
export class ResumeProjection extends CommandWith<OfProjection, Position> {}

/** Skips the failing event of a partition in this projection for good, or all that fail alike, then resumes. Rejects with NotToResume. */
export class SkipEvent extends CommandWith<OfPartition & Skip, PartitionOutcome> {}

/** `position`: of the event that records the request. */
type RequestedJob = Readonly<{ id: string; position: Position }>;

/** Begins a rebuild or verification, or finds the one that this request began before. Rejects with ProjectionBusy. */
export class RequestProjectionJob extends CommandWith<OfProjection & Readonly<{ kind: ProjectionJob }>, RequestedJob> {}

export const projectionHandlers: readonly Provider[] = [
  handles(ResumePartition, [PartitionOperator], ({ context, data: { projection, partition } }, partitions) =>
    partitions.resume(projection, partition, context),
  ),

  handles(ResumeProjection, [PartitionOperator], ({ context, data: { projection } }, partitions) =>
    partitions.resumeAll(projection, context),
  ),

  handles(SkipEvent, [PartitionOperator], ({ context, data: { projection, partition, ...skip } }, partitions) =>
    partitions.skip(projection, partition, skip, context),
  ),

  handles(RequestProjectionJob, [ProjectionJobs], ({ context, data: { kind, projection } }, jobs) =>
    jobs.request(kind, projection, context),
  ),
];
