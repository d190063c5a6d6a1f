import { expect } from '@jest/globals';
import { badDate, forbidden, malformed, notAcceptable, notFound, pretty, UTF8_JSON, unauthorized } from '#test/e2e/status/contract.js';
import type { Answer } from '#test/support/status-client.js';

const ERRORS = {
  malformed: [400, malformed],
  'bad date': [400, badDate('2020-02-30')],
  unauthorized: [401, unauthorized],
  forbidden: [403, forbidden],
  'not found': [404, notFound],
  'not acceptable': [406, notAcceptable],
} as const;

/** Errors that tests name in tables; `bad date` is about 2020-02-30. */
export type ErrorName = keyof typeof ERRORS;

/** The answer is this error as JSON: status, every byte of the body, type and length. */
export const expectError = (answer: Answer, error: ErrorName): void => {
  const [status, body] = ERRORS[error];
  expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([status, pretty(body), UTF8_JSON]);
  expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(answer.text)));
};
