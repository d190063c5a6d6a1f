import { type ReceivedBody, readLargeBody, type Shape, text, unsaid } from '#api/shared/bodies/body-shape.js';
import { type Component, component, type Shape as Described, doc } from '#api/shared/openapi/shape.js';
import type { Tag } from '#api/shared/openapi/tags.js';
import { dueText, recordMembers } from '#api/status/bodies.js';
import type { DatedResource, NamedRecord } from '#domain/status/dated-records/dated-records.js';
import type { DatedCommands } from './commands.js';

/** Members that bodies of all kinds begin with. */
export const HEAD = { id: unsaid(text), date: unsaid(text), name: dueText('unique among all versions of other records') };

/** How the bodies of a kind are described, and read into a record and the `date` beside it. */
type DatedBody<R> = Readonly<{
  shape: Shape<unknown>;
  read(body: ReceivedBody | undefined): Promise<Readonly<{ date: string; record: R }>>;
}>;

/** `id` and `date` of a body are checked for their type and otherwise ignored: the path and the query count. */
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
  /** When a day was added to the history. Default: `updated` and ` (new history snapshot)`. */
  added?: string;
  deleted: string;
  nameTaken: string;
  /** On an update; default `nameTaken`. */
  nameTakenOnUpdate?: string;
}>;

/** Parts of the shared calls that differ between kinds of dated records (status contract 3 to 7). */
export type DatedKind<R extends NamedRecord> = Readonly<{
  resource: DatedResource<R>;
  path: string;
  tag: Tag;
  /** Of operations and schemas of OpenAPI, and as words in sentences. */
  names: Readonly<{ one: string; many: string; words: string }>;
  /** Its purpose. */
  description: string;
  body: DatedBody<R>;
  /** Of a body. */
  example: object;
  /** Members that are answered otherwise than they are sent. */
  answered?: Readonly<Record<string, Described>>;
  /** The same in the example. */
  exampleAnswered?: object;
  commands: DatedCommands<R>;
  texts: DatedTexts;
  /** A line of the refusal of an invalid body, as an example. Default: a body is valid if it can be read. */
  invalid?: string;
  /** A creation without a day in the query takes the one of the body. */
  createdOnBodyDate?: boolean;
  /** The reference of a record to another kind: what it refers to, and the record with the current name of that. */
  reference?: Readonly<{ to: DatedResource<NamedRecord>; idIn(record: R): string; named(record: R, name: string): R; missing: string }>;
  /** Whether an update answers with the reference to the record too, not with the message alone. Default `false`. */
  updateRefers?: boolean;
  /** Whether an update of an unknown record is 404 even when its body is malformed. Default `false`. */
  existenceFirst?: boolean;
}>;

const ID = '3954e18b-0f5e-4e4c-9ec1-613127ab6638';

/** A record of a kind as it is answered. */
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
