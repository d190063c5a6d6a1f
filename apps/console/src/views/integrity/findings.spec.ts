import { afterEach, expect, it, jest } from '@jest/globals';
import { ApiError } from '../../api/client.js';
import { loadFindings } from './findings.js';

afterEach(() => void jest.restoreAllMocks());

const answering = (status: number, body: object | null): void => {
  jest.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json(body, { status }));
};

it.each([200, 503])('findings are those of an answer with the status %s', async (status) => {
  const findings = [{ kind: 'anchor-old' }];
  answering(status, { status: 'down', findings });
  expect(await loadFindings()).toEqual(findings);
});

it.each([null, { title: 'Service Unavailable' }])('without findings in it, %j, an error is one', async (body) => {
  answering(503, body);
  await expect(loadFindings()).rejects.toBeInstanceOf(ApiError);
});
