import { afterEach, expect, it, jest } from '@jest/globals';
import { loadExplanation } from './load.js';

afterEach(() => void jest.restoreAllMocks());

it('joins the parts of an endpoint and of a metric that are on two pages of an explanation', async () => {
  const metric = (name: string, ...at: readonly string[]) => ({ metric: name, points: at.map((time) => ({ at: time })) });
  const endpoint = (host: string, ...metrics: readonly object[]) => ({ service: 'web', host, metrics });
  const pages = [
    { endpoints: [endpoint('a', metric('cert', '1'), metric('http', '1', '2'))], next: 'x' },
    { endpoints: [endpoint('a', metric('http', '3'), metric('tcp', '1')), endpoint('b', metric('tcp', '1'))], next: 'y' },
    { endpoints: [endpoint('b', metric('udp', '1'))], next: null },
  ];
  jest.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json(pages.shift()));
  const asked = { tenant: 't', report: 'r', from: '2026-03-01', to: '2026-03-01', asOf: undefined };
  expect((await loadExplanation(asked, 'g', '2026-03-01', new AbortController().signal)).endpoints).toEqual([
    endpoint('a', metric('cert', '1'), metric('http', '1', '2', '3'), metric('tcp', '1')),
    endpoint('b', metric('tcp', '1'), metric('udp', '1')),
  ]);
});
