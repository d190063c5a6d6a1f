import type { CatalogueOf } from '#domain/shared/catalogue.js';
import { type Decider, DomainError } from '#domain/shared/decider.js';
import { none } from '#domain/shared/resource-change.js';
import { sizeWithin } from '#domain/status/limits.js';

/** What a check or a person says of the installation; `OK` or `CRITICAL` as a rule. Either may be empty. */
export type Verdict = Readonly<{ status: string; message: string }>;

/** How long an acknowledgement holds if it does not say so. */
const DEFAULT_TIMEOUT_HOURS = 6;

/** When it was said is in the metadata. */
export type HealthEvent =
  /** An automatic check of the consistency of the installation ended. */
  | Readonly<{ type: 'ConsistencyChecked'; data: Verdict }>
  /** Somebody has seen the outcome of the checks and overrules it for some hours; without status or message, nobody does any more. */
  | Readonly<{ type: 'ConsistencyAcknowledged'; data: Verdict & Readonly<{ timeoutHours: number }> }>;

export type HealthCommand =
  | Readonly<{ type: 'ReportConsistency' } & Verdict>
  /** `timeoutHours`: 0 stands for the default. */
  | Readonly<{ type: 'AcknowledgeConsistency'; timeoutHours: number } & Verdict>;

export const HEALTH_CATEGORY = 'status.health';
/** One record for the whole installation. */
export const HEALTH_STREAM = `${HEALTH_CATEGORY}-global`;

export const healthEvents: CatalogueOf<HealthEvent> = {
  ConsistencyChecked: { resource: none },
  ConsistencyAcknowledged: { resource: none },
};

/**
 * Health of the installation (results contract 13): its last automatic check and the last acknowledgement. Rejects with `OVER_LIMIT`, an
 * acknowledgement without a check also with `CONSISTENCY_NOT_CHECKED`. The first event is a check, so any event shows that there was one.
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
