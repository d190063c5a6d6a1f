import type { ErasableRecord } from '#domain/operations/erasures.js';
import { keysUnder } from '#projections/shared/key-part.js';
import { queriesOf } from '#projections/shared/queries.js';
import {
  type EndingDocument,
  endings,
  endingsById,
  erasedBySubject,
  ofOwner,
  type RecordDocument,
  records,
  SUBJECTS,
} from './documents.js';

export { type RecordDocument, SUBJECTS } from './documents.js';

/**
 * The erasure of one subject. `reason`: given by the operator, or the type of the event that ended the record. `ending`: set if other records were
 * erased with it.
 */
export type Erasure = Pick<EndingDocument, 'id' | 'service' | 'kind' | 'reason' | 'requestedBy' | 'time'> &
  Readonly<{ subject: string; ending?: EndingDocument }>;

const PAGE = 100;

/** Separates the id of an event from the parts it erased. */
const PART = '.';

const partOf = ({ id, requestedBy, reason, time }: EndingDocument, { service, kind, id: record, subject }: RecordDocument): Erasure => ({
  id: [id, kind, record].join(PART),
  service,
  kind,
  subject,
  reason,
  requestedBy,
  time,
});

/** Whether a record of the owner was erased with it. */
const isPart = ({ since }: RecordDocument, { after = '', at }: EndingDocument): boolean => after < since && since < at;

const own = (ending: EndingDocument): readonly Erasure[] => {
  const { id, service, kind, subject, owner, reason, requestedBy, time } = ending;
  return subject === null ? [] : [{ id, service, kind, subject, reason, requestedBy, time, ...(owner !== null && { ending }) }];
};

/** Records with personal data or secrets, and their erasures. */
export class SubjectQueries extends queriesOf(SUBJECTS) {
  /** An existing or deleted record. */
  record({ service, kind, id }: ErasableRecord): Promise<RecordDocument | undefined> {
    return records.get(this.view, [service, kind, id]);
  }

  /** Records that were ever there, in the order asked; `undefined` in place of others. */
  async ever(asked: readonly ErasableRecord[]): Promise<readonly (RecordDocument | undefined)[]> {
    const ids = asked.map(({ service, kind, id }) => [service, kind, id] as const);
    return ids.length === 0 ? [] : records.getMany(this.view, ids);
  }

  /** The id of the requested erasure of a subject. */
  askedFor(subject: string): Promise<string | undefined> {
    return erasedBySubject.get(this.view, subject);
  }

  async erasure(id: string): Promise<Erasure | undefined> {
    const [event = '', kind, ...record] = id.split(PART);
    const at = await endingsById.get(this.view, event);
    const ending = at === undefined ? undefined : await endings.get(this.view, at);
    if (!ending || kind === undefined) return ending && own(ending)[0];
    if (ending.owner === null || !ending.parts.includes(kind)) return undefined;
    const part = await ofOwner.get(this.view, [ending.owner, kind, record.join(PART)]);
    return part && isPart(part, ending) ? partOf(ending, part) : undefined;
  }

  /** All erasures, newest first, in pages. */
  async *erasures(): AsyncGenerator<readonly Erasure[]> {
    for (let before: string | undefined; ; ) {
      const page = await endings.range(this.view, { reverse: true, limit: PAGE, ...(before !== undefined && { lt: before }) });
      for (const ending of page) {
        yield own(ending);
        yield* this.partsOf({ ending });
      }
      before = page.at(-1)?.at;
      if (before === undefined || page.length < PAGE) return;
    }
  }

  /** The erasures of the records that were erased with this one, in pages. */
  async *partsOf({ ending }: Pick<Erasure, 'ending'>): AsyncGenerator<readonly Erasure[]> {
    const { owner = null, parts = [] } = ending ?? {};
    if (ending && owner !== null) for (const kind of parts) yield* this.parts(ending, owner, kind);
  }

  private async *parts(ending: EndingDocument, owner: string, kind: string): AsyncGenerator<readonly Erasure[]> {
    const { gte, lt } = keysUnder(owner, kind);
    for (let from: { gte: string } | { gt: string } = { gte }; ; ) {
      const page = await this.view.range(ofOwner.name, { ...from, lt, limit: PAGE });
      const documents = page.map(({ value }) => ofOwner.parse(value));
      yield documents.filter((document) => isPart(document, ending)).map((document) => partOf(ending, document));
      const last = page.at(-1);
      if (!last || page.length < PAGE) return;
      from = { gt: last.key };
    }
  }
}
