import type { CatalogueOf } from '#domain/shared/catalogue.js';
import { type Decider, DomainError } from '#domain/shared/decider.js';
import { none } from '#domain/shared/resource-change.js';
import { sizeWithin } from '#domain/status/limits.js';

/** Health of the installation according to a check or a person, usually `OK` or `CRITICAL`. Both members may be empty. */
export type Verdict = Readonly<{ status: string; message: string }>;

/** Duration of an acknowledgement without a timeout. */
const DEFAULT_TIMEOUT_HOURS = 6;

/** The time of a verdict is in the metadata. */
export type HealthEvent =
  /** An automatic consistency check of the installation has ended. */
  | Readonly<{ type: 'ConsistencyChecked'; data: Verdict }>
  /** A person has acknowledged the result of the checks and overrides it for some hours. Empty status or message: withdraws the acknowledgement. */
  | Readonly<{ type: 'ConsistencyAcknowledged'; data: Verdict & Readonly<{ timeoutHours: number }> }>;

type HealthCommand =
  | Readonly<{ type: 'ReportConsistency' } & Verdict>
  /** `timeoutHours`: 0 = default. */
  | Readonly<{ type: 'AcknowledgeConsistency'; timeoutHours: number } & Verdict>;

export const HEALTH_CATEGORY = 'status.health';
/** One record for the whole installation. */
export const HEALTH_STREAM = `${HEALTH_CATEGORY}-global`;

export const healthEvents: CatalogueOf<HealthEvent> = {
  ConsistencyChecked: { resource: none },
  ConsistencyAcknowledged: { resource: none },
};

/**
 * Health of the installation (results contract 13): the last automatic check and the last acknowledgement. Rejects with `OVER_LIMIT`; an
 * acknowledgement without a check also with `CONSISTENCY_NOT_CHECKED`. The first event is always a check, so any event implies that there was one.
 */
export const health: Decider<Readonly<{ checked: boolean }>, HealthCommand, HealthEvent> = {
  window: 1,
  initialState: () => ({ checked: false }),
  decide: (command, { checked }) => {
    const { status, message } = command;
    sizeWithin('healthSize', { status, message });
    if (command.type === 'ReportConsistency') return [{ type: 'ConsistencyChecked', data: { status, message } }];
    if (!checked) throw new DomainError('CONSISTENCY_NOT_CHECKED');
    const timeoutHours = command.timeoutHours === 0 ? DEFAULT_TIMEOUT_HOURS : command.timeoutHours;
    return [{ type: 'ConsistencyAcknowledged', data: { status, message, timeoutHours } }];
  },
  evolve: () => ({ checked: true }),
};
