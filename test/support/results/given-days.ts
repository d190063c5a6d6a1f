import type { Day } from '#domain/shared/time.js';
import type { GroupDay, ResultsDay } from '#domain/status/results/results.js';
import { DAY_SECONDS, type Timeline } from '#domain/status/results/timeline.js';
import type { DaySpan } from '#projections/status/results/report-reader.js';

type Info = Readonly<Record<string, string>>;

/** Statuses by time `HH:MM`, as in `00:00 OK, 06:00 CRITICAL`; a `!` in front: a threshold rule was applied. */
const rowOf = (text: string) => {
  const timeline: Timeline = text
    .replace('!', '')
    .split(', ')
    .map((step) => {
      const [time = '', status = ''] = step.split(' ');
      const [hours = 0, minutes = 0] = time.split(':').map(Number);
      return { at: hours * 3_600 + minutes * 60, status };
    });
  const figures = { availability: 100, reliability: 100, unknown: 0, uptime: 1, downtime: 0 };
  return { timeline, flagged: text.startsWith('!'), figures };
};

/** Endpoints by host, each with its timeline and, if there is one, its info. */
export type GivenService = Readonly<{ is: string; endpoints: Readonly<Record<string, string | readonly [timeline: string, info: Info]>> }>;
export type GivenGroup = Readonly<{ is: string; services: Readonly<Record<string, GivenService>> }>;

/** Results of a day by group, service and host. */
export const givenDay = (day: Day, groups: Readonly<Record<string, GivenGroup>>): ResultsDay<GroupDay> => ({
  day,
  seconds: DAY_SECONDS,
  supergroups: [],
  groups: Object.entries(groups).map(([name, { is, services }]) => ({
    name,
    ...rowOf(is),
    services: Object.entries(services).map(([service, { is: ofService, endpoints }]) => ({
      service,
      ...rowOf(ofService),
      endpoints: Object.entries(endpoints).map(([host, given]) => {
        const [text, info] = typeof given === 'string' ? [given, undefined] : given;
        return { host, ...rowOf(text), ...(info && { info }), metrics: [] };
      }),
    })),
  })),
});

/** Those of the days that lie in the span, in order. */
export const daysIn = <Of extends Readonly<{ day: Day }>>(days: readonly Of[]) =>
  async function* ({ from, to }: DaySpan): AsyncGenerator<Of> {
    for (const day of days) if (from <= day.day && day.day <= to) yield day;
  };
