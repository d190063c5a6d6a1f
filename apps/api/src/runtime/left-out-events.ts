import {
  type ProjectionCommand,
  type ProjectionOperation,
  type ProjectionState,
  projectionOperation,
  streamOfProjection,
} from '#domain/operations/projection-operations.js';
import type { RecordLeftOut } from '#infra/engine/projection-runner/rebuild/rebuild-kind.js';
import type { StreamProcessor } from '#infra/engine/stream-processor/stream-processor.js';

/** Records the events that a rebuild has left out, as the caller has requested. */
export const recordLeftOut =
  (processor: () => Pick<StreamProcessor, 'execute'>): RecordLeftOut =>
  async (projection, { partition, reason, caller }, events) => {
    const [first, ...others] = events.map(({ id, position, type }) => ({ eventId: id, position: `${position}`, eventType: type }));
    if (!first) return;
    await processor().execute<ProjectionState, ProjectionCommand, ProjectionOperation>({
      stream: streamOfProjection(projection),
      decider: projectionOperation,
      command: { type: 'SkipEvent', projection, partition, ...first, reason, ...(others.length > 0 && { others }) },
      context: caller,
    });
  };
