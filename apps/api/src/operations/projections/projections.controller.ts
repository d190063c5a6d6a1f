import { Inject, Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { PARTITION, PARTITIONS, PROJECTION, PROJECTIONS, SKIPS } from '#api/ops-kit/answers-documentation.js';
import { Call, type OpsCall } from '#api/ops-kit/parameters.js';
import { Problem, problemOf } from '#api/ops-kit/problem.js';
import { Get, OPERATOR, OpsController, Post } from '#api/ops-kit/route.js';
import { StrictBody } from '#api/ops-kit/strict-input.js';
import { flag, membersOf, optional, text } from '#api/ops-kit/strict-members.js';
import { setPosition } from '#api/shared/http/headers/position-header.js';
import type { Answered } from '#api/shared/openapi/described.js';
import { AUDIT_EVENTS, EVENT_STORE, HISTORY_KEEPER } from '#api/shared/tokens.js';
import { LONGEST_REASON } from '#domain/operations/given-texts.js';
import type { ProjectionOperation } from '#domain/operations/projection-operations.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import { AuditIndexIncomplete } from '#infra/engine/audit-index/index-files.js';
import type { AuditEvents } from '#infra/engine/audit-index/open-audit-index.js';
import { Jobs } from '#infra/engine/jobs/jobs.js';
import type { ProjectionStatus } from '#infra/engine/projection-runner/projection-status.js';
import { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { REBUILD } from '#infra/engine/projection-runner/rebuild/rebuild-kind.js';
import { operationsOf, skippedBy } from '#infra/engine/projection-runner/set-aside/skipped-events.js';
import { ResumePartitions, SkipEvent } from './commands.js';
import { NotToResume, PartitionOperator, type PartitionOutcome } from './partition-operator.js';
import { underWay } from './projection-jobs.js';
import { historyView, partitionView, projectionView } from './projection-views.js';

type OfProjection = Readonly<{ name: string }>;
type OfPartition = OfProjection & Readonly<{ partition: string }>;

class SkipBody extends membersOf({
  all: optional(
    flag({ description: 'also every later event of the partition that fails for the same reason. Default: only the failing event' }),
  ),
  /** Stays in the log for good, so it must not contain personal data. */
  reason: text(LONGEST_REASON, { description: 'why; no personal data: it stays in the log', example: 'written by a faulty release' }),
}) {}

const unknownProjection = () => new Problem(404, 'there is no projection with this name');

/** @throws Problem 409 */
const unlessIdle = <T>(act: Promise<T>): Promise<T> => act.catch(problemOf(409, NotToResume));

type Skipped = Extract<ProjectionOperation, { type: 'ProjectionEventSkipped' }>;

/** Read models and their partitions that are set aside (operations contract 1; docs/decisions/0018). */
@OpsController('ops/projections', 'operations')
export class ProjectionsController {
  constructor(
    private readonly readModels: ReadModels,
    private readonly bus: CommandBus,
    private readonly partitions: PartitionOperator,
    private readonly jobs: Jobs,
    @Inject(EVENT_STORE) private readonly events: EventStore,
    @Inject(AUDIT_EVENTS) private readonly audit: AuditEvents,
    @Inject(HISTORY_KEEPER) private readonly keeper: ReadModels | null,
  ) {}

  @Get('', { id: 'listProjections', summary: 'All projections, by name', answers: { 200: PROJECTIONS } })
  async list(): Promise<Answered<typeof PROJECTIONS>> {
    const names = [...this.readModels.names].sort();
    const projectors = this.readModels.projectors();
    const shown = await Promise.all(names.map((name) => this.shown(name, projectors)));
    return { items: shown.map(({ pace: _, ...view }) => view) };
  }

  @Get(':name', { id: 'getProjection', summary: 'One projection', answers: { 200: PROJECTION } })
  async show(@Param() { name }: OfProjection): Promise<Answered<typeof PROJECTION>> {
    return this.shown(name);
  }

  @Post(':name/resume', {
    id: 'resumeProjection',
    summary: 'Resumes all partitions that are set aside, by a rebuild beside the served documents',
    who: OPERATOR,
    limit: 'form',
    answers: { 200: PROJECTION },
  })
  async resume(@Call() { context, reply }: OpsCall, @Param() { name }: OfProjection): Promise<Answered<typeof PROJECTION>> {
    this.expectKnown(name);
    const { position } = await unlessIdle(this.bus.execute(new ResumePartitions(context, { projection: name })));
    setPosition(reply, position);
    return this.shown(name);
  }

  @Get(':name/partitions', {
    id: 'listSetAsidePartitions',
    summary: 'Paused partitions, the earliest failure first',
    answers: { 200: PARTITIONS },
  })
  async setAside(@Param() { name }: OfProjection): Promise<Answered<typeof PARTITIONS>> {
    this.expectKnown(name);
    const groups = await this.partitions.groups(name);
    return { items: groups.map((group) => partitionView(group.id, group, this.indexAt)) };
  }

  @Get(':name/skips', {
    id: 'listSkippedEvents',
    summary: 'The events that were skipped, by whom and why, oldest first',
    answers: { 200: SKIPS },
  })
  async skips(@Param() { name }: OfProjection): Promise<Answered<typeof SKIPS>> {
    this.expectKnown(name);
    const items: Answered<typeof SKIPS>['items'][number][] = [];
    for await (const operation of operationsOf(this.events, name)) {
      const { data, metadata } = operation;
      const { partition, reason } = data as Skipped['data'];
      for (const { eventId, position, eventType: type } of skippedBy(operation))
        items.push({ partition, eventId, position, type, reason, at: metadata.time, actor: metadata.actor });
    }
    return { items };
  }

  @Post(':name/partitions/:partition/resume', {
    id: 'resumePartition',
    summary: 'Tries the failing event of a partition again, then those that wait behind it, by a rebuild',
    who: OPERATOR,
    limit: 'form',
    answers: { 200: PARTITION },
  })
  async resumePartition(
    @Call() { context, reply }: OpsCall,
    @Param() { name, partition }: OfPartition,
  ): Promise<Answered<typeof PARTITION>> {
    this.expectKnown(name);
    return this.answered(reply, this.bus.execute(new ResumePartitions(context, { projection: name, partition })));
  }

  @Post(':name/partitions/:partition/skip', {
    id: 'skipFailingEvent',
    summary: 'Takes the failing event of a partition, or all that fail alike, out of the log for this projection, for good, then resumes',
    who: OPERATOR,
    limit: 'form',
    answers: { 200: PARTITION },
  })
  async skip(
    @Call() { context, reply }: OpsCall,
    @Param() { name, partition }: OfPartition,
    @StrictBody(SkipBody) { reason, all }: SkipBody,
  ): Promise<Answered<typeof PARTITION>> {
    this.expectKnown(name);
    return this.answered(reply, this.bus.execute(new SkipEvent(context, { projection: name, partition, reason, all })));
  }

  private async answered(reply: FastifyReply, act: Promise<PartitionOutcome>): Promise<Answered<typeof PARTITION>> {
    const { partition, group, position } = await unlessIdle(act);
    setPosition(reply, position);
    return partitionView(partition, group, this.indexAt);
  }

  /** @throws Problem 404 */
  private async shown(name: string, looked = this.readModels.projectors()): Promise<Answered<typeof PROJECTION>> {
    const [status, job, projectors] = await Promise.all([
      this.status(name),
      underWay({ jobs: this.jobs, readModels: this.readModels }, name),
      looked,
    ]);
    const shown = projectionView(status, job?.kind === REBUILD ? job.id : null, projectors.get(name) ?? null, this.indexAt);
    return { ...shown, history: await historyView(this.keeper, name) };
  }

  /** `null` without an index, or if it has not reached the position. */
  private readonly indexAt = (position: Position): number | null => {
    try {
      return this.audit.index.indexAt(position);
    } catch (error) {
      if (error instanceof AuditIndexIncomplete) return null;
      throw error;
    }
  };

  /** @throws Problem 404 */
  private expectKnown(name: string): void {
    if (this.readModels.state(name) === null) throw unknownProjection();
  }

  /** @throws Problem 404 */
  private async status(name: string): Promise<ProjectionStatus> {
    const status = await this.readModels.status(name);
    if (!status) throw unknownProjection();
    return status;
  }
}
