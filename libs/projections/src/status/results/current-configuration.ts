import type { Day } from '#domain/shared/time.js';
import { ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { DayListChanged } from '#projections/status/day-lists/queries.js';
import type { Configurations, DayConfiguration } from './configuration.js';
import { ConfigurationChanged } from './plans.js';
import type { ReportSettings } from './report-settings.js';

/** How often the configuration of a day may change while it is used. */
const ATTEMPTS = 5;

const hasChanged = (error: unknown): boolean => error instanceof ConfigurationChanged || error instanceof DayListChanged;

const changesAllTheTime = (day: Day): ReadStoreUnavailable =>
  new ReadStoreUnavailable(`the configuration of ${day} changed during ${ATTEMPTS} reads`);

/**
 * What `read`, which looks the configuration of the day up itself, finds; read anew where that has changed in the meantime.
 * @throws ReadStoreUnavailable it changes again and again
 */
export const readAnew = async <Result>(day: Day, read: () => Promise<Result>): Promise<Result> => {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      return await read();
    } catch (error) {
      if (!hasChanged(error)) throw error;
    }
  }
  throw changesAllTheTime(day);
};

/**
 * What `use` makes of the configuration of a day, looked up anew where it has changed in the meantime. `undefined`: the day cannot be computed any
 * more.
 * @throws ReadStoreUnavailable it changes again and again
 */
export const withCurrent = async <Result>(
  configurations: Configurations,
  report: ReportSettings,
  configuration: DayConfiguration,
  use: (configuration: DayConfiguration) => Promise<Result>,
): Promise<Result | undefined> => {
  const { day } = configuration;
  let current: DayConfiguration | undefined = configuration;
  for (let attempt = 0; current && attempt < ATTEMPTS; attempt++) {
    try {
      return await use(current);
    } catch (error) {
      if (!hasChanged(error)) throw error;
      current = (await configurations.during(report, { from: day, to: day })).get(day);
    }
  }
  if (!current) return undefined;
  throw changesAllTheTime(day);
};
