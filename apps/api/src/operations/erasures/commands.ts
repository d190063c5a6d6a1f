import { randomUUID } from 'node:crypto';
import { foundOrAbsent } from '#api/shared/answers/found-or-absent.js';
import { commandWith } from '#api/shared/commands/command-of.js';
import type { ErasableRecord } from '#domain/operations/erasures.js';
import { ERASURES_CATEGORY, ERASURES_STREAM, erasures, subjectOfRecord } from '#domain/operations/erasures.js';
import type { Position } from '#domain/shared/events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { ErasedSubjects } from '#infra/engine/erasure/erased-subjects.js';
import { Completeness } from '#infra/engine/projection-runner/completeness.js';
import { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { StreamProcessor } from '#infra/engine/stream-processor/stream-processor.js';
import { SUBJECTS, SubjectQueries } from '#projections/operations/subjects/queries.js';

/** The record never existed. */
export class NoSuchRecord extends Error {
  override readonly name = 'NoSuchRecord';
}

/** `position`: of the last known event. `readable`: true if reads show it. */
type RequestedErasure = Readonly<{ id: string; position: Position; readable: boolean }>;

type ErasingParts = Readonly<{
  processor: StreamProcessor;
  readModels: Pick<ReadModels, 'applied' | 'owe'>;
  completeness: Completeness;
  queries: SubjectQueries;
  subjects: Pick<ErasedSubjects, 'erase'>;
}>;

/**
 * Appends the event and destroys the key, so that nothing can be written for the record any more. Every node does the rest, and what fails
 * here. @throws NoSuchRecord
 */
export const eraseRecord = async (
  { processor, readModels, completeness, queries, subjects }: ErasingParts,
  context: CommandContext,
  record: ErasableRecord,
  reason: string,
): Promise<RequestedErasure> => {
  const found = await foundOrAbsent(completeness, [SUBJECTS], () => queries.record(record));
  if (!found) throw new NoSuchRecord(`there never was a ${record.kind} with this id`);
  const command = { type: 'EraseSubject', record, erasureId: randomUUID(), reason } as const;
  const { events, position } = await processor.execute({ stream: ERASURES_STREAM, decider: erasures, command, context });
  const [erased] = events;
  if (erased) await subjects.erase(erased.data.subject, erased).catch(() => undefined);
  const readable = await readModels.applied(ERASURES_CATEGORY, position);
  if (!readable) readModels.owe(ERASURES_CATEGORY, position);
  if (erased) return { id: erased.data.erasureId, position, readable };
  // It may have been requested before, perhaps just now on another node.
  const id = await foundOrAbsent(completeness, [SUBJECTS], () => queries.askedFor(subjectOfRecord(record)));
  if (id === undefined) throw new Error('an erasure is in the log, but not among those known');
  return { id, position, readable };
};

/** Erases the secret or personal data of a record, or finds the earlier erasure. Rejects with NoSuchRecord. */
export class EraseRecord extends commandWith(
  [StreamProcessor, ReadModels, Completeness, SubjectQueries, ErasedSubjects],
  ({ record, reason }: Readonly<{ record: ErasableRecord; reason: string }>, { context }, ...parts) => {
    const [processor, readModels, completeness, queries, subjects] = parts;
    return eraseRecord({ processor, readModels, completeness, queries, subjects }, context, record, reason);
  },
) {}
