import type { Static } from '#domain/shared/shape.js';
import type { HealthDocument } from '#projections/status/health/queries.js';
import type { CONSISTENCY } from './openapi.js';

const HOUR_MS = 3_600_000;

const second = (instant: string): string => `${instant.slice(0, 19)}Z`;

/** An acknowledgement with status and message is in force until its timeout. */
const inForce = ({ acknowledgement }: HealthDocument, now: number): HealthDocument['acknowledgement'] => {
  if (!acknowledgement || acknowledgement.status === '' || acknowledgement.message === '') return undefined;
  return now - Date.parse(acknowledgement.at) < acknowledgement.timeoutHours * HOUR_MS ? acknowledgement : undefined;
};

/** The health of the installation: the acknowledgement in force, or else the last check (results contract 13). @param now ms since 1970 */
export const healthAnswer = (health: HealthDocument, now: number, verbose: boolean): Static<typeof CONSISTENCY> => {
  const { check } = health;
  const acknowledged = inForce(health, now);
  const { status, message } = acknowledged ?? check;
  const shown = { status: status || undefined, timestamp: second(new Date(now).toISOString()), message: message || undefined };
  if (!verbose) return shown;
  return {
    ...shown,
    auto_check_status: check.status || undefined,
    auto_check_mesage: check.message || undefined, // sic
    auto_check_message: check.message || undefined,
    auto_check_timestamp: second(check.at),
    ack_status: acknowledged?.status,
    ack_message: acknowledged?.message,
    ack_timestamp: acknowledged && second(acknowledged.at),
    ack_timeout_hours: acknowledged?.timeoutHours,
  };
};
