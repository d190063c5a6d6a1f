/** Whether one kind of input of a tenant is in place; `message` says what is missing, and is empty where nothing is. */
export type Ready = Readonly<{ ready: boolean; message: string }>;

/** What is said of how far the set-up of a tenant is (status contract of 2026, 3); `last_check` verbatim. */
export type Readiness = Readonly<{ data: Ready; topology: Ready; reports: Ready; last_check: string }>;

/** The readiness of a tenant of which nothing was said: it is computed for once there are a topology, of any day, and a report. */
export const readinessWith = ({ topology, reports }: Readonly<{ topology: boolean; reports: boolean }>): Readiness => {
  const found = (ready: boolean): Ready => ({ ready, message: '' });
  return { data: found(topology && reports), topology: found(topology), reports: found(reports), last_check: '' };
};

export const isReady = ({ data, topology, reports }: Readiness): boolean => data.ready && topology.ready && reports.ready;
