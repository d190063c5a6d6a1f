import { describe, expect, it } from '@jest/globals';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { ReadModelsUnavailable } from '#projections/shared/read-store.js';
import { ExpectedItems, type FindExpectedItems } from '#projections/status/metric-data/expected-items.js';
import { withInfo } from './issue-info.js';

const TOPOLOGY = new Map([
  ['SITE-A', { name: 'SITE-A', endpoints: [{ service: 'web', host: 'h', metrics: ['http'], info: { ID: 'one' } }] }],
  ['SITE-B', { name: 'SITE-B', endpoints: [{ service: 'web', host: 'h', metrics: ['http'] }] }],
]);
const expecting = async (): Promise<ExpectedItems> => new ExpectedItems(TOPOLOGY);

type Issue = Readonly<{ endpoint_group?: string; endpoint?: string; hostname?: string; info?: object }>;

const shown = async (issues: readonly Issue[], find: FindExpectedItems, group?: string): Promise<readonly (object | undefined)[]> => {
  const pages = (async function* () {
    for (const issue of issues) yield [Buffer.from(JSON.stringify({ service: 'web', ...issue }))];
  })();
  const found: (object | undefined)[] = [];
  for await (const page of withInfo(pages, find, new TimeSlice(), group))
    for (const bytes of page) found.push((JSON.parse(bytes.toString()) as Issue).info);
  return found;
};

describe('The info of an issue', () => {
  const own = { URL: 'u' };
  const issues = ['SITE-A', 'SITE-B', 'SITE-C'].flatMap((endpoint_group) => [
    { endpoint_group, endpoint: 'h' },
    { endpoint_group, endpoint: 'h', info: own },
  ]);

  it('is that of the endpoint in the topology, else that of the point', async () => {
    expect(await shown(issues, expecting)).toEqual([{ ID: 'one' }, { ID: 'one' }, undefined, own, undefined, own]);
    expect(await shown([{ hostname: 'h', info: own }], expecting, 'SITE-A')).toEqual([{ ID: 'one' }]);
  });

  it.each([
    ['the day cannot be computed', async () => undefined],
    ['the topology cannot be read', () => Promise.reject(new ReadModelsUnavailable('being built'))],
  ])('is that of the point where %s', async (_what, find) => {
    expect(await shown(issues, find)).toEqual([undefined, own, undefined, own, undefined, own]);
  });

  it('is no reason to hide what is wrong with the service itself', async () => {
    await expect(shown(issues, () => Promise.reject(new TypeError('wrong')))).rejects.toThrow(TypeError);
  });
});
