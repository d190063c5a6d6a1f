import { RECORD_DEPTH, wireText } from '#projections/status/layout.js';

const LIST_HEAD = Buffer.from('{\n "status": {\n  "message": "Success",\n  "code": "200"\n },\n "data": [');
const FIRST = Buffer.from('\n  ');
const NEXT = Buffer.from(',\n  ');
const LIST_END = Buffer.from('\n ]\n}');
const EMPTY_END = Buffer.from(']\n}');

/** S-LIST around records that are stored in the form they have in it (status contract 1.6, 1.8). */
export const listOfStored = (records: readonly Buffer[]): Buffer => {
  if (records.length === 0) return Buffer.concat([LIST_HEAD, EMPTY_END]);
  return Buffer.concat([LIST_HEAD, ...records.flatMap((record, index) => [index === 0 ? FIRST : NEXT, record]), LIST_END]);
};

/** S-LIST of records made for this answer. */
export const listOf = (records: readonly unknown[]): Buffer =>
  listOfStored(records.map((record) => Buffer.from(wireText(record, RECORD_DEPTH))));

/** S-REF: `code` is 201 after a create; where an update answers like one, 200. */
export const reference = (message: string, id: string, self: string, code = '201'): string =>
  wireText({ status: { message, code }, data: { id, links: { self } } });

/** S-MSG */
export const message = (text: string): string => wireText({ status: { message: text, code: '200' } });
