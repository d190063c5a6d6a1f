import type { HealthDocument } from '#projections/status/health/queries.js';

const HOUR_MS = 3_600_000;

const second = (instant: string): string => `${instant.slice(0, 19)}Z`;

/** Omits members without a value. */
const filled = (members: Readonly<Record<string, string | number>>): Readonly<Record<string, string | number>> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== ''));

/** An acknowledgement with status and message is in force until its timeout. */
const inForce = ({ acknowledgement }: HealthDocument, now: number): HealthDocument['acknowledgement'] => {
  if (!acknowledgement || acknowledgement.status === '' || acknowledgement.message === '') return undefined;
  return now - Date.parse(acknowledgement.at) < acknowledgement.timeoutHours * HOUR_MS ? acknowledgement : undefined;
};

/** The health of the installation: the acknowledgement in force, or else the last check (results contract 13). @param now ms since 1970 */
export const healthAnswer = (health: HealthDocument, now: number, verbose: boolean): Readonly<Record<string, string | number>> => {
  const { check } = health;
  const acknowledged = inForce(health, now);
  const { status, message } = acknowledged ?? check;
  const timestamp = second(new Date(now).toISOString());
  if (!verbose) return filled({ status, timestamp, message });
  return filled({
    status,
    timestamp,
    message,
    auto_check_status: check.status,
    auto_check_mesage: check.message, // sic
    auto_check_message: check.message,
    auto_check_timestamp: second(check.at),
    ...(acknowledged && {
      ack_status: acknowledged.status,
      ack_message: acknowledged.message,
      ack_timestamp: second(acknowledged.at),
      ack_timeout_hours: acknowledged.timeoutHours,
    }),
  });
};
