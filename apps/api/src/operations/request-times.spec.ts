import { describe, expect, it } from '@jest/globals';
import { Histogram, Registry } from 'prom-client';
import { RequestTimes } from './request-times.js';

const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

describe('the time that requests take', () => {
  it('is told to Prometheus as prom-client would tell it', async () => {
    const registry = new Registry();
    const names = { name: 'request_seconds', help: 'Time of a request' };
    const theirs = new Histogram({ ...names, labelNames: ['method', 'route', 'status'], buckets: BOUNDS, registers: [registry] });
    const ours = new RequestTimes(names.name, names.help);
    const times = [0, 0.0005, ...BOUNDS, 0.003, 11, 100];
    const series = [
      ['GET', '/a/:id', 200],
      ['PUT', '/a/:id', 200],
      ['GET', '/a/:id', 404],
      ['GET', '/"\\', 200],
    ] as const;
    for (const [method, route, status] of series)
      for (const seconds of times) {
        theirs.observe({ method, route, status }, seconds);
        ours.observe(method, route, status, seconds);
      }
    const lines = (text: string) => text.trim().split('\n').sort();
    expect(lines(`${ours}`)).toEqual(lines(await registry.metrics()));
  });

  it('is nothing but a heading before the first request', () => {
    expect(`${new RequestTimes('seconds', 'Time')}`).toBe('# HELP seconds Time\n# TYPE seconds histogram\n');
  });
});
