import type { NameOfRecord } from '#api/operations/names/names.js';
import type { Answered } from '#api/shared/openapi/described.js';
import { articleOf, wordsOf } from '#domain/audit/changes/names.js';
import { countText, type Statement } from '#domain/audit/changes/statements.js';
import { resourcesOf } from '#domain/audit/resources/resources-of.js';
import type { Actor, Json, JsonObject, RecordedEvent } from '#domain/shared/events.js';
import { ERASED } from '#domain/shared/marks.js';
import type { ResourceReference } from '#domain/shared/resource-change.js';
import type { CHANGES } from './documentation.js';

/** A change without names. */
export type UnnamedChange = {
  readonly key: string;
  readonly index: number;
  readonly event: RecordedEvent;
  readonly statement: Statement;
  readonly record: ResourceReference | undefined;
  readonly isDeleted: boolean;
  count: number;
  /** True if the count is a lower bound. */
  isLeast: boolean;
};

/** A part of a sentence. `is`: set for a name, with its kind. */
export type Change = Answered<typeof CHANGES>['items'][number];
type SentencePart = Change['parts'][number];

/** Tenant or project of a record; `undefined` if there is none. */
export const placeOf = (event: RecordedEvent, record: ResourceReference | undefined): ResourceReference | undefined => {
  if (!record || record.kind === 'tenant' || record.kind === 'project') return undefined;
  const { projectId } = event.data;
  if (record.service === 'status') {
    const owner = resourcesOf(event).flatMap(({ owners = [] }) => owners)[0];
    return owner ?? (record.scope === undefined ? undefined : { service: 'status', kind: 'tenant', id: record.scope });
  }
  const id = record.scope ?? (typeof projectId === 'string' ? projectId : undefined);
  return id === undefined ? undefined : { service: record.service, kind: 'project', id };
};

type NamesOfItem = Readonly<{ actor: NameOfRecord | undefined; record: string | undefined; place: string | undefined }>;

const actorName = ({ kind }: Actor, named: NameOfRecord | undefined): string => {
  if (named?.name) return named.name;
  if (kind === 'system') return 'The server';
  return kind === 'key' ? 'an access key without a name' : 'a user without a name';
};

const recordPart = (record: ResourceReference, name: string | undefined): readonly SentencePart[] => {
  const words = wordsOf(record.kind);
  if (name === ERASED) return [plain(' the '), { text: `erased ${words}`, is: 'record' }];
  if (name === undefined) {
    const unnamed = words.replace(/ of$/, '');
    return [plain(` ${articleOf(unnamed)} `), { text: unnamed, is: 'record' }];
  }
  return [plain(` the ${words} `), { text: name, is: 'record' }];
};

const plain = (text: string): SentencePart => ({ text, is: null });

export const sentenceOf = (item: UnnamedChange, place: ResourceReference | undefined, names: NamesOfItem): Change => {
  const { key, index, event, statement, record, isDeleted, count, isLeast } = item;
  const { actor, time } = event.metadata;
  const name = actorName(actor, names.actor);
  const parts: readonly SentencePart[] = [
    { text: name, is: 'actor' },
    plain(` ${statement.says(count, event.data, isLeast, actor)}`),
    ...(record ? recordPart(record, names.record) : []),
    ...(place && names.place !== undefined ? [plain(' in '), { text: names.place, is: 'place' as const }] : []),
    ...(statement.times && count > 1 ? [plain(` (${countText(count, isLeast)} times)`)] : []),
  ];
  return {
    key,
    index,
    id: event.id,
    position: `${event.position}`,
    time,
    type: event.type,
    sentence: parts.map(({ text }) => text).join(''),
    parts,
    actor: { kind: actor.kind, id: actor.id, name },
    record: record
      ? {
          service: record.service,
          kind: record.kind,
          id: record.id,
          scope: record.scope ?? null,
          name: names.record ?? null,
          deleted: isDeleted,
        }
      : null,
    place: place
      ? { service: place.service, kind: place.kind === 'tenant' ? 'tenant' : 'project', id: place.id, name: names.place ?? null }
      : null,
    count,
    exact: !isLeast,
    changed: statement.folded === undefined,
    day: statement.dated && typeof event.data.date === 'string' ? event.data.date : null,
  };
};

/** Keeps texts of the data and of its members, from which sentences are built. */
export const withoutLists = (data: JsonObject, depth = 1): JsonObject =>
  Object.fromEntries(
    Object.entries(data).flatMap(([name, value]): readonly (readonly [string, Json])[] => {
      if (typeof value !== 'object' || value === null) return [[name, value]];
      return Array.isArray(value) || depth === 0 ? [] : [[name, withoutLists(value as JsonObject, depth - 1)]];
    }),
  );
