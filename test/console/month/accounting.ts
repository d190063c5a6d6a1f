import { calling, chance, DAY, dayBefore, type Target, together } from './caller.js';
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

/** Calls that wait until the clock of the server has come to the end of what they report. */
export type Later = readonly (() => Promise<unknown>)[];

type Identified = Readonly<{ id: string; metric_definition_id: string }>;

/** Usage of six installations in two projects, day by day, with capacities that grew in the month. @returns what the server refuses as long as it is to come */
export const fillAccounting = async ({ url, accountingToken }: Target, now: number, serverTime: number): Promise<Later> => {
  const later: (() => Promise<unknown>)[] = [];
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
      for (const [days, share] of [
        [DAYS + 5, 11],
        [18, 9],
        [7, 14],
      ] as const)
        await call('POST', `/installations/${id}/capacities`, {
          value: usual * share,
          metric_definition_id: definition,
          registered_on: dayBefore(now, days),
        });
      await together(
        Array.from({ length: DAYS - 1 }, (_, at) => at + 1),
        (days) => {
          const day = Date.parse(`${dayBefore(now, days)}T00:00:00Z`);
          const end = day + DAY / 2;
          const report = () =>
            call('POST', `/installations/${id}/metrics`, {
              metric_definition_id: definition,
              time_period_start: new Date(day).toISOString(),
              time_period_end: new Date(end).toISOString(),
              value: Math.round(usual * (0.4 + chance(installation, definition, days) * 0.9) * 100) / 100,
              group_id: chance(installation, days) < 0.5 ? 'physics' : 'biology',
            });
          if (end < serverTime) return report();
          later.push(report);
        },
      );
    }
  }
  return later;
};
