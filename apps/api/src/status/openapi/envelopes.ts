import { answer, type DescribedAnswer } from '#api/shared/openapi/described.js';
import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { Component, component, doc, type Shape, type Static, schema } from '#domain/shared/shape.js';

export const CODE = schema<string>({ type: 'string', pattern: '^\\d{3}$', description: 'the HTTP status as text' });
/** Time of the last change. */
export const LAST_TIME = doc('text', 'when, as RFC 3339; empty: not yet');
export const STATUS = component('StatusOfAnswer', { message: 'text', code: CODE });

/** A component of these members, with an example for each; members without one are missing in the example of the whole. */
export const shownOf = <const M extends Readonly<Record<string, Shape>>>(
  name: string,
  members: { readonly [K in keyof M]: readonly [shape: M[K], example?: Static<M[K]>] },
  description?: string,
): Component<M> => {
  const entries = Object.entries<readonly [shape: Shape, example?: unknown]>(members);
  const examples = entries.flatMap(([member, [, example]]) => (example === undefined ? [] : [[member.replace('?', ''), example] as const]));
  const shape = Object.fromEntries(entries.map(([member, [one]]) => [member, one])) as M;
  return new Component(name, shape, description, Object.fromEntries(examples));
};

const known = new Map<Component, Component>();

/** S-LIST of the status contract 1.6. */
export const listOf = (record: Component): Component =>
  getOrInsert(known, record, () => component(`${record.name}List`, { status: STATUS, data: [record] }));

const SUCCESS = component('StatusSuccess', { status: STATUS }, 'A success that says only that (S-MSG of the status contract 1.6)');
const REFERENCE = component(
  'StatusReference',
  { status: STATUS, data: { id: 'uuid', links: { self: doc('uri', 'URL of the record') } } },
  'Where a record is (S-REF of the status contract 1.6)',
);
const PLAIN = component('StatusPlainMessage', { message: 'text', code: CODE });

type Answers = Readonly<Record<number, DescribedAnswer>>;

export const lists = (record: Component, example = record.example, message = 'Success'): Answers => ({
  200: answer(listOf(record), { status: { message, code: '200' }, data: [example] }),
});
export const says = (message: string): Answers => ({ 200: answer(SUCCESS, { status: { message, code: '200' } }) });
export const saysCreated = (message: string): Answers => ({ 201: answer(SUCCESS, { status: { message, code: '201' } }) });
/** A message at the top level. */
export const saysPlainly = (code: 200 | 201, message: string): Answers => ({ [code]: answer(PLAIN, { message, code: `${code}` }) });

const ID = '3954e18b-0f5e-4e4c-9ec1-613127ab6638';

/** A message with a reference to a record at this path. */
export const refers = (code: 200 | 201, message: string, path: string): Answers => ({
  [code]: answer(REFERENCE, {
    status: { message, code: `${code}` },
    data: { id: ID, links: { self: `https://logbook.example.org/${path}/${ID}` } },
  }),
});
export const envelopeOf = <const S extends Shape>(name: string, record: S) => component(name, { status: STATUS, data: record });
/** 200 with an envelope around a record. */
export const showsOne = (envelope: Component, example: unknown, message = 'Success'): Answers => ({
  200: answer(envelope, { status: { message, code: '200' }, data: example }),
});
