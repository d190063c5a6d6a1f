import type { Day } from '#domain/shared/time.js';
import { type LabEvent, labEvents, type ResultsLab } from './results-lab.js';

const { report, groups, endpoints, metrics, operations, aggregation } = labEvents;

export const NOW = '2024-03-10T12:00:00Z';
export const START = '2024-01-01';

/** One group of groups, one endpoint group, one host with one metric. */
export const world = (...others: readonly LabEvent[]): readonly LabEvent[] => [
  report(),
  groups(START, ['EU', 'SITE-A']),
  endpoints(START, ['SITE-A', 'CE', 'h1']),
  metrics(START, { CE: ['m'] }),
  operations(START),
  aggregation(START, { computing: ['CE'] }),
  ...others,
];

/** More than any span with results. */
export const EVER = ['2020-01-01', '2030-01-01'] as const;
/** `day: timeline of the first group`, a step as `hour status`. */
export const timelines = async (lab: ResultsLab, from: Day = EVER[0], to: Day = EVER[1]) =>
  (await lab.days(from, to)).map(({ day, groups: [group] }) => {
    const steps = group?.timeline.map(({ at, status }) => `${at / 3_600} ${status}`) ?? [];
    return `${day.slice(5)}: ${steps.join(', ')}`;
  });
export const daysWith = async (lab: ResultsLab) => (await lab.days(...EVER)).map(({ day }) => day.slice(5));
/** What is expected on a day as `group service host metric,…`. */
export const expected = async (lab: ResultsLab, day: Day) => {
  const found = await (await lab.reader()).expected(day);
  return (
    found && [...found.values()].flatMap((group) => group.endpoints.map((one) => `${group.name} ${one.service} ${one.host} ${one.metrics}`))
  );
};
