import type { Day } from '#domain/shared/time.js';
import { ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { DayListChanged } from '#projections/status/day-lists/queries.js';
import type { Configurations, DayConfiguration } from './configuration.js';
import { ConfigurationChanged } from './plans.js';
import type { ReportSettings } from './report-settings.js';

/** Maximum attempts while the configuration of a day changes during its use. */
const ATTEMPTS = 5;

const hasChanged = (error: unknown): boolean => error instanceof ConfigurationChanged || error instanceof DayListChanged;

const changesAllTheTime = (day: Day): ReadStoreUnavailable =>
  new ReadStoreUnavailable(`the configuration of ${day} changed during ${ATTEMPTS} reads`);

/**
 * Result of `read`, which looks up the configuration of the day. Repeats the read if the configuration has changed meanwhile.
 * @throws ReadStoreUnavailable it changes in every attempt
 */
export const readAnew = async <Result>(
  configurations: Pick<Configurations, 'changed'>,
  day: Day,
  read: () => Promise<Result>,
): Promise<Result> => {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      return await read();
    } catch (error) {
      if (!hasChanged(error)) throw error;
      configurations.changed();
    }
  }
  throw changesAllTheTime(day);
};

/**
 * Result of `use` for the configuration of a day. Looks up the configuration again if it has changed meanwhile. `undefined`: the day can no longer be
 * computed.
 * @throws ReadStoreUnavailable it changes in every attempt
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
      configurations.changed();
      current = (await configurations.during(report, { from: day, to: day })).get(day);
    }
  }
  if (!current) return undefined;
  throw changesAllTheTime(day);
};
