import { describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { currentCall, PastCall, type PointInTime } from '#api/shared/as-of/past-call.js';
import type { ServiceHttpPolicy } from '#api/shared/http/service-http-policy.js';
import { PastPolicy } from './past-policy.js';

const refused = new Error('no such key');
const live: PointInTime = { moment: null, clock: 0, views: () => Promise.reject(new Error('not read here')) };

/** A service without accounts, which admits auditors only. */
const service = {
  prefix: '/api/v2',
  callersIn: [],
  admitAgain: async () => {
    if (!currentCall().auditor) throw refused;
  },
} as Partial<ServiceHttpPolicy> as ServiceHttpPolicy;

/** Admits a read of the past under way again, where these keys of auditors are in force. */
const admitAgain = async (...inForce: readonly string[]): Promise<void> => {
  const call = new PastCall('request');
  call.auditor = { keyId: 'ada', name: 'Ada' };
  const edge = {
    pointOf: async () => live,
    usual: undefined,
    live,
    recognize: async (_request: FastifyRequest, found: PastCall) => {
      found.auditor = inForce.includes('ada') ? { keyId: 'ada', name: 'Ada' } : undefined;
    },
    record: async () => undefined,
  };
  await new PastPolicy(service, edge).admitAgain({ pastCall: call } as Partial<FastifyRequest> as FastifyRequest);
};

describe('A read of the past under way', () => {
  it('goes on while the key of its auditor is in force', () => expect(admitAgain('ada')).resolves.toBeUndefined());

  it('is refused by the service once that key is revoked', () => expect(admitAgain('bob')).rejects.toBe(refused));
});
