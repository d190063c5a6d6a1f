import {
  type ProjectionCommand,
  type ProjectionOperation,
  type ProjectionState,
  projectionOperation,
  streamOfProjection,
} from '#domain/operations/projection-operations.js';
import type { CommandContext, Execution } from '#domain/shared/execution.js';
import type { RecordLeftOut } from '#infra/engine/projection-runner/rebuild/rebuild-kind.js';
import type { StreamProcessor } from '#infra/engine/stream-processor/stream-processor.js';

type Processor = Pick<StreamProcessor, 'execute'>;

/** Records a command of an operator on a projection. */
export const executeOn = (
  processor: Processor,
  projection: string,
  command: ProjectionCommand,
  context: CommandContext,
): Promise<Execution<ProjectionOperation>> =>
  processor.execute<ProjectionState, ProjectionCommand, ProjectionOperation>({
    ...{ stream: streamOfProjection(projection), decider: projectionOperation },
    ...{ command, context },
  });

/** Records the events that a rebuild has left out, as the caller has requested. */
export const recordLeftOut =
  (processor: () => Processor): RecordLeftOut =>
  async (projection, { partition, reason, caller }, events) => {
    const [first, ...others] = events.map(({ id, position, type }) => ({ eventId: id, position: `${position}`, eventType: type }));
    if (!first) return;
    const skipped = { ...first, ...(others.length > 0 && { others }) };
    await executeOn(processor(), projection, { type: 'SkipEvent', projection, partition, ...skipped, reason }, caller);
  };
