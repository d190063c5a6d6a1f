import { type ReceivedBody, readLargeBody, type Shape, text, unsaid } from '#api/shared/bodies/body-shape.js';
import type { Tag } from '#api/shared/openapi/tags.js';
import { dueText, recordMembers } from '#api/status/bodies.js';
import { type Component, component, type Shape as Described, doc } from '#domain/shared/shape.js';
import type { DatedResource, NamedRecord } from '#domain/status/dated-records/dated-records.js';
import type { DatedCommands } from './commands.js';

/** First members of the bodies of all kinds. */
export const HEAD = { id: unsaid(text), date: unsaid(text), name: dueText('unique among all versions of other records') };

/** The shape of a kind's bodies, and how they are read into a record and its `date`. */
type DatedBody<R> = Readonly<{
  shape: Shape<unknown>;
  read(body: ReceivedBody | undefined): Promise<Readonly<{ date: string; record: R }>>;
}>;

/** `id` and `date` of a body are checked for their type and otherwise ignored: path and query take precedence. */
export const datedBody = <Sent extends Readonly<{ id: string; date: string }>>(
  shape: Shape<Sent>,
): DatedBody<Omit<Sent, 'id' | 'date'>> => ({
  shape,
  read: async (body) => {
    const { id, date, ...record } = await readLargeBody(shape, body);
    return { date, record };
  },
});

type DatedTexts = Readonly<{
  created: string;
  updated: string;
  /** Text for a day added to the history. Default: `updated` and ` (new history snapshot)`. */
  added?: string;
  deleted: string;
  nameTaken: string;
  /** Text for an update; default `nameTaken`. */
  nameTakenOnUpdate?: string;
}>;

/** Differences between kinds of dated records in the shared calls (status contract 3 to 7). */
export type DatedKind<R extends NamedRecord> = Readonly<{
  resource: DatedResource<R>;
  path: string;
  tag: Tag;
  /** Names for operations and schemas of OpenAPI, and for sentences. */
  names: Readonly<{ one: string; many: string; words: string }>;
  /** Purpose of the kind. */
  description: string;
  body: DatedBody<R>;
  /** Example of a body. */
  example: object;
  /** Members whose answered form differs from the sent one. */
  answered?: Readonly<Record<string, Described>>;
  /** The same for the example. */
  exampleAnswered?: object;
  commands: DatedCommands<R>;
  texts: DatedTexts;
  /** Example of a line in the refusal of an invalid body. Default: every readable body is valid. */
  invalid?: string;
  /** If set, a creation without a day in the query uses the day of the body. */
  createdOnBodyDate?: boolean;
  /** Reference of a record to another kind: the id in the record, and the record with the current name of its target. */
  reference?: Readonly<{ to: DatedResource<NamedRecord>; idIn(record: R): string; named(record: R, name: string): R; missing: string }>;
  /** Set if an update answers with a reference to the record as well, not only with the message. Default `false`. */
  updateRefers?: boolean;
  /** Set if an update of an unknown record is 404 even if its body is malformed. Default `false`. */
  existenceFirst?: boolean;
}>;

const ID = '3954e18b-0f5e-4e4c-9ec1-613127ab6638';

/** The answered form of a record of a kind. */
export const recordOf = <R extends NamedRecord>({
  names,
  description,
  body,
  answered,
  example,
  exampleAnswered,
}: DatedKind<R>): Component =>
  component(
    `Status${names.one}`,
    { id: 'uuid', date: doc('day', 'from which day on this version holds'), ...recordMembers(body.shape), ...answered },
    description,
  ).shownAs({ id: ID, date: '2024-01-15', ...example, ...exampleAnswered });
