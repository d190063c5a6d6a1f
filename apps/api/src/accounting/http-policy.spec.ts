import { expect, it } from '@jest/globals';
import { PartitionSetAside } from '#projections/shared/read-store.js';
import { AccountingHttpPolicy } from './http-policy.js';

/** Status and headers of the answer to a failure before admission. */
const answerTo = (
  error: unknown,
  headers: Readonly<Record<string, string>>,
): readonly [status: number, Readonly<Record<string, string>>] => {
  const access = { authenticate: () => Promise.reject(new PartitionSetAside('accounting.access', 'tenant')) };
  const logger = { warn: () => undefined, error: () => undefined };
  const policy = new AccountingHttpPolicy(access as never, logger as never, () => '', [], []);
  const sent: Record<string, string> = {};
  let status = 0;
  const reply = {
    hasHeader: (name: string) => name in sent,
    header: (name: string, value: string) => {
      sent[name] = value;
      return reply;
    },
    code: (given: number) => {
      status = given;
      return reply;
    },
    send: () => reply,
  };
  policy.failed(error, { headers, url: '/accounting-system/projects', mayLookAgain: false } as never, reply as never);
  return [status, sent];
};

it('Callers without a token are not told to try again', () => {
  const [status, headers] = answerTo(new PartitionSetAside('accounting.catalogue', 'provider'), {});
  expect([status, headers['www-authenticate'], headers['retry-after']]).toEqual([401, 'Bearer', undefined]);
});
