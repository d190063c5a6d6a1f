import { Inject, Injectable } from '@nestjs/common';
import type { ERASURE, ERASURES } from '#api/ops-kit/answers-documentation.js';
import type { Answered } from '#api/shared/openapi/described.js';
import { CLOCK } from '#api/shared/tokens.js';
import { idOfSubject } from '#domain/operations/erasures.js';
import type { Clock } from '#domain/shared/clock.js';
import { ErasedSubjects } from '#infra/engine/erasure/erased-subjects.js';
import { type Erasure, SubjectQueries } from '#projections/operations/subjects/queries.js';

/**
 * Time after the destruction of a subject's key within which nodes drop cached data: answers are cached for a second at most, keys until
 * the log shows their destruction.
 */
const SETTLED_MS = 2_000;

/** Erasures read at a time. */
const AT_A_TIME = 50;

type KeyState = Awaited<ReturnType<ErasedSubjects['state']>>;

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
    private readonly queries: SubjectQueries,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** `sealed`: whether anything was ever sealed for the subject. It is `done` once the keys of all parts are destroyed, too. */
  async item(erasure: Erasure): Promise<ErasureItem & Readonly<{ sealed: boolean }>> {
    const { id, service, kind, subject, reason, requestedBy } = erasure;
    const key = await this.subjects.state(subject);
    const end = await this.endOf(erasure, key);
    const done = this.clock() >= end;
    return {
      id,
      state: done ? 'done' : 'running',
      service,
      kind,
      subject: idOfSubject({ service, kind, subject }),
      reason,
      requestedBy,
      endedAt: done ? new Date(end).toISOString() : null,
      sealed: key.state !== 'never',
    };
  }

  /** Milliseconds since 1970-01-01 UTC; `Infinity` as long as the record or one of its parts has a key. */
  private async endOf(erasure: Erasure, key: KeyState): Promise<number> {
    let end = endOfKey(erasure.time, key);
    for await (const page of this.queries.partsOf(erasure)) {
      if (end === Infinity) break;
      const keys = await Promise.all(page.map(({ subject }) => this.subjects.state(subject)));
      end = Math.max(end, ...keys.map((one) => endOfKey(erasure.time, one)));
    }
    return end;
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

/** If a key was destroyed before the request, or there never was one, the erasure ends at once. */
const endOfKey = (asked: string, key: KeyState): number => {
  if (key.state === 'kept') return Infinity;
  return Math.max(Date.parse(asked), key.state === 'destroyed' ? Date.parse(key.at) + SETTLED_MS : 0);
};
