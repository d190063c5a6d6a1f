/** `YYYY-MM-DD`, UTC. */
export const today = (): string => new Date().toISOString().slice(0, 10);

/** `YYYY-MM-DDTHH`, UTC. */
const thisHour = (): string => new Date().toISOString().slice(0, 13);

const within =
  (period: () => string) =>
  async (test: (named: string) => Promise<unknown>): Promise<void> => {
    const begun = period();
    try {
      await test(begun);
    } catch (error) {
      if (period() === begun) throw error;
      await test(period());
    }
  };

/**
 * Runs a test that names today. One during which the day ends (UTC) may fail, and runs again on the next day; so it makes records of its own, or such as
 * differ from day to day.
 */
export const onOneDay = within(today);

/** The same with the hour, for quotas, which begin anew with it. */
export const inOneHour = within(thisHour);
