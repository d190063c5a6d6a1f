import type { PastApplication } from '#api/as-of/past-application.js';
import type { RecordAtMoment, ResourceKind } from '#api/operations/records/kinds.js';
import { Problem } from '#api/ops-kit/problem.js';
import { AsOfRefused } from '#api/shared/as-of/as-of-refused.js';
import type { LogMoment } from '#domain/operations/moments.js';
import { categoryOf, type RecordedEvent } from '#domain/shared/events.js';
import { type ExactJson, exactJson } from '#domain/shared/json/exact-json.js';
import type { MarkVisibility } from '#domain/shared/marks.js';
import type { ResourceReference } from '#domain/shared/resource-change.js';
import { dayBefore, isDay } from '#domain/shared/time.js';
import type { RecordHistory } from '#infra/engine/audit-index/record-history.js';

/** Page size for a list without a GET of an item. */
const LIST_SIZE = 100;

/** A read of a dated record as of this day answers its newest snapshot. */
export const LAST_DAY = '9999-12-31';

/** Day of a snapshot. */
export const dayOf = (value: ExactJson): string | null =>
  typeof value === 'object' && value !== null && 'date' in value && typeof value.date === 'string' ? value.date : null;

/** Bytes of all days of a dated record at a moment. */
const MOST_BYTES = 64 * 1024 * 1024;

/** A page of a list: only its items (capacities), or in the envelope of pages. */
type Item = Readonly<Record<string, ExactJson>>;
type ListPage = readonly Item[] | Readonly<{ content?: readonly Item[]; total_pages?: number }>;

const isPlain = (body: ListPage | null): body is readonly Item[] => Array.isArray(body);

export type ReadingOf = Readonly<{
  past: PastApplication;
  history: RecordHistory;
  kind: ResourceKind;
  reference: ResourceReference;
  first: RecordedEvent;
  shown: MarkVisibility;
}>;

/** Reads a record as of moments, with an administrator's view. */
export class ValueReader {
  /** Of a dated record: bytes of its days as last read. */
  private readonly days = new Map<string, number>();

  constructor(private readonly parts: ReadingOf) {}

  /** The record right after an event, of a dated record all its days; `null` if it did not exist. @throws Problem 410, 413, 503 */
  async at(moment: LogMoment): Promise<ExactJson> {
    const { kind, reference } = this.parts;
    const place = await this.placeAt(moment);
    if (kind.read.listed) return this.listed(moment, kind.read.url(place), reference.id);
    if (!kind.dated) return this.read(moment, kind.read.url(place));
    const days: [string, ExactJson][] = [];
    this.clear();
    for (let asked = LAST_DAY; isDay(asked); ) {
      const value = await this.dayAt(moment, place, asked);
      const day = dayOf(value);
      if (day === null) break;
      days.push([day, value]);
      asked = dayBefore(day);
    }
    return Object.fromEntries(days.reverse());
  }

  /** For a dated record: the version of a day. */
  async day(moment: LogMoment, day: string): Promise<ExactJson> {
    return this.dayAt(moment, await this.placeAt(moment), day);
  }

  /** The record was deleted: its days begin anew. */
  clear(): void {
    this.days.clear();
  }

  /** The day is not part of the versions that are read next. */
  leave(day: string): void {
    this.days.delete(day);
  }

  private async dayAt(moment: LogMoment, place: RecordAtMoment, asked: string): Promise<ExactJson> {
    let length = 0;
    const value = await this.read(moment, `${this.parts.kind.read.url(place)}?date=${asked}`, (bytes) => {
      length = bytes;
    });
    this.days.set(dayOf(value) ?? asked, length);
    if ([...this.days.values()].reduce((sum, bytes) => sum + bytes, 0) > MOST_BYTES)
      throw new Problem(413, 'all days of this record together are too large: GET its service with Logbook-As-Of and a date');
    return value;
  }

  private async placeAt({ index }: LogMoment): Promise<RecordAtMoment> {
    const { history, kind, reference, first } = this.parts;
    const nameOf = async (record: ResourceReference) => (await history.names.at(record, index, Number.POSITIVE_INFINITY)) ?? '';
    const project = { service: 'messaging', kind: 'project', id: reference.scope ?? '' };
    return {
      id: reference.id,
      name: kind.named ? await nameOf(reference) : '',
      project: kind.scope === 'project' ? await nameOf(project) : '',
      first: first.data,
    };
  }

  private async read(moment: LogMoment, url: string, counted?: (bytes: number) => void): Promise<ExactJson> {
    const body = await this.body(moment, url, counted);
    if (body === null) return null;
    const { kind, reference } = this.parts;
    return ((kind.read.record ?? ((whole: unknown) => whole))(body, reference.id) ?? null) as ExactJson;
  }

  private async listed(moment: LogMoment, url: string, id: string): Promise<ExactJson> {
    for (let page = 1; ; page++) {
      const body = (await this.body(moment, `${url}?page=${page}&size=${LIST_SIZE}`)) as ListPage | null;
      const items = (isPlain(body) ? body : body?.content) ?? [];
      const found = items.find((item) => item.id === id);
      if (found) return found;
      if (isPlain(body) ? items.length < LIST_SIZE : page >= (body?.total_pages ?? 0)) return null;
    }
  }

  /** JSON of an answer, with all digits of its numbers; `null` for 404. */
  private async body(moment: LogMoment, url: string, counted?: (bytes: number) => void): Promise<unknown> {
    const { past, shown } = this.parts;
    const tenant = this.tenant();
    try {
      const { status, body } = await past.read({ moment, url, shown, ...(tenant !== undefined && { tenant }) });
      if (status === 404) return null;
      if (status !== 200) throw new Problem(status === 410 ? 410 : 503, `what was there at position ${moment.position} cannot be read now`);
      counted?.(body.length);
      return exactJson(body.toString('utf8'));
    } catch (error) {
      throw error instanceof AsOfRefused && error.obstacle !== 'unavailable'
        ? new Problem(error.obstacle === 'lost' ? 410 : 503, error.message)
        : error;
    }
  }

  private tenant(): string | undefined {
    const { kind, reference, first } = this.parts;
    if (!kind.ofTenant) return undefined;
    if (reference.scope !== undefined) return reference.scope;
    return typeof first.data.tenantId === 'string' ? first.data.tenantId : first.stream.slice(categoryOf(first.stream).length + 1);
  }
}
