/** `YYYY-MM-DD`, UTC. */
export const today = (): string => new Date().toISOString().slice(0, 10);

/**
 * Runs a test that names today. One during which the day ends (UTC) may fail, and runs again on the next day; so it makes records of its own, or such as
 * differ from day to day.
 */
export const onOneDay = async (test: (today: string) => Promise<unknown>): Promise<void> => {
  const day = today();
  try {
    await test(day);
  } catch (error) {
    if (today() === day) throw error;
    await test(today());
  }
};
