import { RECORD_DEPTH, separatorAt, wireText } from '#projections/status/layout.js';

const LIST_HEAD = Buffer.from('{\n "status": {\n  "message": "Success",\n  "code": "200"\n },\n "data": [');
const ONE_HEAD = '{\n "status": {\n  "message": "Success",\n  "code": "200"\n },\n "data": ';
const FIRST = Buffer.from('\n  ');
const NEXT = Buffer.from(',\n  ');
const LIST_END = Buffer.from('\n ]');
const EMPTY_END = Buffer.from(']');
const END = Buffer.from('\n}');
const ROOT = Buffer.from(',\n "root": [');

/** The text of an array around values that are stored in the form they have in it, `depth` levels deep. */
export const arrayOfStored = (values: readonly Buffer[], depth: number): Buffer => {
  if (values.length === 0) return Buffer.from('[]');
  const [first, next] = [Buffer.from(`\n${' '.repeat(depth)}`), Buffer.from(separatorAt(depth))];
  const end = Buffer.from(`\n${' '.repeat(depth - 1)}]`);
  return Buffer.concat([Buffer.from('['), ...values.flatMap((value, index) => [index === 0 ? first : next, value]), end]);
};

const elements = (records: readonly Buffer[]): readonly Buffer[] => {
  if (records.length === 0) return [EMPTY_END];
  return [...records.flatMap((record, index) => [index === 0 ? FIRST : NEXT, record]), LIST_END];
};

/** S-LIST around records that are stored in the form they have in it (status contract 1.6, 1.8). */
export const listOfStored = (records: readonly Buffer[]): Buffer => Buffer.concat([LIST_HEAD, ...elements(records), END]);

/** S-LIST with the same records once more in an array `root`: the seed knows recomputations by that name, the original by `data`. */
export const rootedListOfStored = (records: readonly Buffer[]): Buffer => {
  const array = elements(records);
  return Buffer.concat([LIST_HEAD, ...array, ROOT, ...array, END]);
};

/** A success whose `data` is one stored record, not an array. */
export const oneOfStored = (record: Buffer): string => `${ONE_HEAD}${record.toString('utf8').replaceAll('\n ', '\n')}\n}`; // stands one level less deep than in a list

/** S-LIST of records made for this answer. */
export const listOf = (records: readonly unknown[]): Buffer =>
  listOfStored(records.map((record) => Buffer.from(wireText(record, RECORD_DEPTH))));

/** S-REF: `code` is 201 after a create; where an update answers like one, 200. */
export const reference = (message: string, id: string, self: string, code = '201'): string =>
  wireText({ status: { message, code }, data: { id, links: { self } } });

/** S-MSG: `code` is 201 where records were created without ids of their own. */
export const message = (text: string, code = '200'): string => wireText({ status: { message: text, code } });

/** A message of its own with data of its own. */
export const withData = (text: string, data: unknown): string => wireText({ status: { message: text, code: '200' }, data });
