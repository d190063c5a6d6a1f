import { sizeWithin } from '#domain/status/limits.js';

/** Whether one kind of input of a tenant is complete. `message`: the missing parts, or empty. */
export type InputReadiness = Readonly<{ ready: boolean; message: string }>;

/** Reported progress of a tenant's setup (status contract of 2026, 3). `last_check` is verbatim. */
export type Readiness = Readonly<{ data: InputReadiness; topology: InputReadiness; reports: InputReadiness; last_check: string }>;

/** @throws DomainError `OVER_LIMIT` */
export const ensureReadinessSize = (readiness: Readiness): void => void sizeWithin('readinessSize', readiness, 1);

/** The readiness of a tenant without a report of it. Results can be computed once there are a topology, of any day, and a report. */
export const readinessWith = ({ topology, reports }: Readonly<{ topology: boolean; reports: boolean }>): Readiness => {
  const found = (ready: boolean): InputReadiness => ({ ready, message: '' });
  return { data: found(topology && reports), topology: found(topology), reports: found(reports), last_check: '' };
};

export const isReady = ({ data, topology, reports }: Readiness): boolean => data.ready && topology.ready && reports.ready;
