import { calling, chance, DAY, type Due, dayBefore, type Target } from './caller.js';
import { DAYS } from './status.js';

/** Projects of the accounting service, by id. */
export const ACCOUNTED = ['alpine-grid', 'baltic-cloud'] as const;

const PROVIDERS = ['alpine-hpc', 'baltic-clouds', 'coral-storage'] as const;
/** Two installations of each provider, each in one project. */
const INSTALLATIONS = PROVIDERS.flatMap((provider, at) =>
  [1, 2].map((number) => ({ project: ACCOUNTED[(at + number) % 2] ?? ACCOUNTED[0], provider, installation: `${provider}-${number}` })),
);

const DEFINITIONS = [
  { metric_name: 'cpu time', metric_description: 'Processor time of jobs', unit_type: 'CPU Time', metric_type: 'aggregated', usual: 900 },
  { metric_name: 'stored', metric_description: 'Data at rest', unit_type: 'TB', metric_type: 'averaged', usual: 12 },
] as const;

type Identified = Readonly<{ id: string; metric_definition_id: string }>;

/** Six installations in two projects. @returns their usage, day by day, which the server refuses before, and their capacities, which grew in the month */
export const addInstallations = async ({ url, accountingToken }: Target, now: number): Promise<readonly Due[]> => {
  const dues: Due[] = [];
  const call = calling(`${url}/accounting-system`, { authorization: `Bearer ${accountingToken}` });
  const dates = { start_date: '2020-01-01', end_date: '2032-12-31', call_identifier: 'EXAMPLE-2026' };
  for (const id of ACCOUNTED)
    await call('POST', '/admin/projects', { id, acronym: id.toUpperCase(), title: `Resources of ${id.replace('-', ' ')}`, ...dates });
  for (const id of PROVIDERS) {
    await call('POST', '/providers', { id, name: id.replace('-', ' '), website: `https://${id}.example.org`, external_id: `x-${id}` });
    for (const project of ACCOUNTED) await call('POST', `/projects/${project}/associate/provider/${id}`);
  }
  const definitions: Readonly<{ id: string; usual: number }>[] = [];
  for (const { usual, ...definition } of DEFINITIONS)
    definitions.push({ id: (await call<Identified>('POST', '/metric-definitions', definition)).metric_definition_id, usual });
  for (const place of INSTALLATIONS) {
    const { project, provider: organisation, installation } = place;
    const { id } = await call<Identified>('POST', '/installations', { project, organisation, infrastructure: 'cloud', installation });
    for (const { id: definition, usual } of definitions) {
      const grow = (days: number, share: number) =>
        call('POST', `/installations/${id}/capacities`, {
          value: usual * share,
          metric_definition_id: definition,
          registered_on: dayBefore(now, days),
        });
      await grow(DAYS + 5, 11);
      dues.push({ days: 18, work: () => grow(18, 9) }, { days: 7, work: () => grow(7, 14) });
      for (let days = DAYS - 1; days > 0; days -= 1) {
        const day = Date.parse(`${dayBefore(now, days)}T00:00:00Z`);
        const work = () =>
          call('POST', `/installations/${id}/metrics`, {
            metric_definition_id: definition,
            time_period_start: new Date(day).toISOString(),
            time_period_end: new Date(day + DAY / 2).toISOString(),
            value: Math.round(usual * (0.4 + chance(installation, definition, days) * 0.9) * 100) / 100,
            group_id: chance(installation, days) < 0.5 ? 'physics' : 'biology',
          });
        dues.push({ days, work });
      }
    }
  }
  return dues;
};
