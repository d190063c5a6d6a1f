import { expect } from '@jest/globals';
import { pretty, UTF8_JSON } from '#test/e2e/status/contract.js';
import type { TestTenant } from '#test/e2e/status/extended-contract.js';
import { type Answer, idOf } from '#test/support/status-client.js';

/** Texts, bodies and calls of metric results (status contract 13 to 15, extended contract 7, 8), written down independently of the implementation. */

export type Point = Readonly<Record<string, unknown>>;

export const DAY = '2015-05-01';
export const at = (time: string, day = DAY): string => `${day}T${time}Z`;

/** A point of host `h1`, service `CE`, metric `ping`, at noon. */
export const point = (report: string, changes: Point = {}): Point => ({
  timestamp: at('12:00:00'),
  report,
  endpoint_group: 'SITE-A',
  service: 'CE',
  host: 'h1',
  metric: 'ping',
  status: 'OK',
  ...changes,
});

export const stored = (count: number) => ({ status: { message: `${count} metric results stored`, code: '201' } });

const NDJSON = { 'content-type': 'application/x-ndjson' };
export const ndjson = (points: readonly unknown[]): string => points.map((one) => JSON.stringify(one)).join('\n');

/** Whoever writes for a tenant. */
export type Poster = Pick<TestTenant, 'post'>;

export const send = (tenant: Poster, points: readonly Point[], headers: Readonly<Record<string, string>> = {}) =>
  tenant.post('/metric_data', points, { headers: { 'content-type': 'application/json', ...headers } });
export const sendLines = (tenant: TestTenant, body: string, headers: Readonly<Record<string, string>> = {}) =>
  tenant.post('/metric_data', body, { headers: { ...NDJSON, ...headers } });

/** Sends points that must be taken. */
export const given = async (tenant: Poster, ...points: readonly Point[]): Promise<void> => {
  const answer = await send(tenant, points);
  expect([answer.status, answer.text]).toEqual([201, pretty(stored(points.length))]);
};

/** A report whose endpoint groups are SITES; its id. */
export const newReport = async (tenant: TestTenant, name: string): Promise<string> =>
  idOf(await tenant.post('/reports', { info: { name }, topology_schema: { group: { type: 'NGI', group: { type: 'SITES' } } } }));

/** Parameters that are wrong (`E400V`), each as message and details. */
export const badParameters = (...problems: readonly (readonly [message: string, details: string])[]) => ({
  status: { message: 'Bad Request', code: '400' },
  errors: problems.map(([message, details]) => ({ message, code: '400', details })),
});

const ZULU = 'zulu format like 2006-01-02T15:04:05Z';
export const parsingError = (parameter: string, value: string): readonly [string, string] => [
  `${parameter} parsing error`,
  `Error parsing date string ${value} please use ${ZULU}`,
];

export const unprocessable = (details: string) => ({
  status: { message: 'Unprocessable Entity', code: '422' },
  errors: [{ message: 'Unprocessable Entity', code: '422', details }],
});

/** Status, every byte of the body, type and length of an answer in JSON or XML. */
export const expectText = (answer: Answer, status: number, text: string, type = UTF8_JSON): void => {
  expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([status, text, type]);
  expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(answer.text)));
};
export const UTF8_XML = 'application/xml; charset=utf-8';
