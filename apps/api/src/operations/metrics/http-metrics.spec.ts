import { expect, it } from '@jest/globals';
import Fastify from 'fastify';
import { httpMetrics } from './http-metrics.js';

it('counts requests by method, route and status, in the text format of Prometheus', async () => {
  const fastify = Fastify();
  const text = httpMetrics(fastify);
  fastify.get('/records/:id', async () => 'found');
  for (const url of ['/records/a', '/records/b', '/elsewhere']) await fastify.inject({ url });
  const lines = (await text()).split('\n');
  const name = 'logbook_http_request_duration_seconds';
  expect(lines.slice(0, 2)).toEqual([expect.stringMatching(`^# HELP ${name} `), `# TYPE ${name} histogram`]);
  const series = lines.filter((line) => line.includes('{')).map((line) => line.split(' '));
  const ends = ['0.001', '0.0025', '0.005', '0.01', '0.025', '0.05', '0.1', '0.25', '0.5', '1', '2.5', '10', '+Inf'];
  const named = (labels: string) => [
    ...ends.map((end) => `${name}_bucket{le="${end}",${labels}}`),
    `${name}_sum{${labels}}`,
    `${name}_count{${labels}}`,
  ];
  const [found, absent] = ['method="GET",route="/records/:id",status="200"', 'method="GET",route="none",status="404"'] as const;
  expect(series.map(([label]) => label)).toEqual([...named(found), ...named(absent)]);
  const counts = series.slice(0, ends.length).map(([, count]) => Number(count));
  expect(counts).toEqual([...counts].sort((a, b) => a - b)); // each bucket includes those before it
  expect([counts.at(-1), series.find(([label]) => label === `${name}_count{${found}}`)?.[1]]).toEqual([2, '2']);
});
