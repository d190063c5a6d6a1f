import { Inject, Injectable } from '@nestjs/common';
import type { Answered, ERASURE, ERASURES } from '#api/ops-kit/answers-documentation.js';
import { CLOCK } from '#api/shared/tokens.js';
import { idOfSubject } from '#domain/operations/erasures.js';
import type { Clock } from '#domain/shared/clock.js';
import { ErasedSubjects } from '#infra/engine/erasure/erased-subjects.js';
import type { Erasure } from '#projections/operations/subjects/queries.js';

/**
 * Time after the destruction of a subject's key within which nodes drop cached data: answers are cached for a second at most, keys until
 * the log shows their destruction.
 */
const SETTLED_MS = 2_000;

/** Erasures read at a time. */
const AT_A_TIME = 50;

export type ErasureItem = Answered<typeof ERASURES>['items'][number];

/** An erasure as a job. */
export const erasureView = (
  { time }: Pick<Erasure, 'time'>,
  { id, state, service, kind, subject, reason, requestedBy, endedAt }: ErasureItem,
): Answered<typeof ERASURE> => ({
  id,
  state,
  startedAt: time,
  endedAt,
  failure: null,
  service,
  kind,
  subject,
  reason,
  requestedBy,
});

/** Progress of erasures according to the keys in the log. So it is known on every node, even right after the loss of all other data. */
@Injectable()
export class ErasureProgress {
  constructor(
    private readonly subjects: ErasedSubjects,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** `null` if nothing was ever sealed for the subject: there is nothing to erase. */
  async item({ id, service, kind, subject, reason, requestedBy, time }: Erasure): Promise<ErasureItem & Readonly<{ sealed: boolean }>> {
    const key = await this.subjects.state(subject);
    const rest = { service, kind, subject: idOfSubject({ service, kind, subject }), reason, requestedBy };
    if (key.state === 'never') return { id, state: 'done', ...rest, endedAt: time, sealed: false };
    const ended = key.state === 'destroyed' ? endOf(time, key.at) : null;
    const done = ended !== null && this.clock() >= ended;
    return { id, state: done ? 'done' : 'running', ...rest, endedAt: done ? new Date(ended).toISOString() : null, sealed: true };
  }

  /** In pages, in the given order; without records for which nothing was ever sealed. */
  async *items(pages: AsyncIterable<readonly Erasure[]>): AsyncGenerator<readonly ErasureItem[]> {
    for await (const page of pages)
      for (let start = 0; start < page.length; start += AT_A_TIME) {
        const items = await Promise.all(page.slice(start, start + AT_A_TIME).map((erasure) => this.item(erasure)));
        yield items.filter(({ sealed }) => sealed).map(({ sealed: _, ...item }) => item);
      }
  }
}

/** Milliseconds since 1970-01-01 UTC. If a key was destroyed before the request, the erasure ends at once. */
const endOf = (asked: string, destroyed: string): number => Math.max(Date.parse(asked), Date.parse(destroyed) + SETTLED_MS);
