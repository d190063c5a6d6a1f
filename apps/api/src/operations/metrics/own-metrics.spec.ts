import { expect, it } from '@jest/globals';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { ownMetrics, sumOfEnded, withOthers } from './own-metrics.js';

const counting = (count: number) => {
  const registry = new Registry();
  new Counter({ name: 'calls_total', help: 'Calls', labelNames: ['kind'], registers: [registry] }).inc({ kind: 'a' }, count);
  new Histogram({ name: 'seconds', help: 'Time', buckets: [1, 10], registers: [registry] }).observe(count);
  new Gauge({ name: 'process_bytes', help: 'Memory', registers: [registry] }).set(count);
  new Gauge({ name: 'looked_up', help: 'The same for all', registers: [registry] }).set(7);
  return registry;
};
const requestsOf = (sum: number) => [{ labels: 'route="/"', counts: [1, 0], sum }];
const ofThread = (count: number) => ownMetrics(counting(count), requestsOf(count));

it('what several processes count is added up, what is looked up is not; of those that have ended only counts are left', async () => {
  const ended = await sumOfEnded([await ofThread(20), await sumOfEnded([await ofThread(300)])]);
  expect(ended.requests).toEqual([{ labels: 'route="/"', counts: [2, 0, ...Array(11).fill(0)], sum: 320 }]);
  const registry = counting(1);
  const whole = await withOthers(registry, [await ofThread(4_000), ended]);
  const lines = (await whole.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  expect(lines).toEqual([
    'calls_total{kind="a"} 4321',
    'seconds_bucket{le="1"} 1',
    'seconds_bucket{le="10"} 1',
    'seconds_bucket{le="+Inf"} 4',
    'seconds_sum 4321',
    'seconds_count 4',
    'process_bytes 4001',
    'looked_up 7',
  ]);
});
