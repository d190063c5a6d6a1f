import { requireSize } from '#domain/accounting/limits.js';
import { DomainError } from '#domain/shared/decider.js';
import type { DomainEvent } from '#domain/shared/events.js';
import { ruleText } from '../migration.js';
import type { DocumentPlace } from '../report.js';
import type { DecidedCommand, WriteResult } from '../write/log-writer.js';
import type { AccountingMigration } from './row.js';

/** `event`: written as a fact if `rule` forbids the command. `what`: the record in the report. */
type Kept<State, Command, Event extends DomainEvent> = Omit<DecidedCommand<State, Command, Event>, 'steps'> &
  Readonly<{ command: Command; event: NoInfer<Event>; time: string; rule: string; place: DocumentPlace; what: string }>;

/** Takes a record over even if it breaks a rule that originals may have broken; the report says so. @throws DomainError another rule forbids it */
export const takeAnyway = async <State, Command, Event extends DomainEvent>(
  { writer, report }: AccountingMigration,
  { command, event, time, rule, place, what, ...to }: Kept<State, Command, Event>,
): Promise<WriteResult> => {
  try {
    return await writer.decide({ ...to, steps: [{ command, time }] });
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== rule) throw error;
    requireSize(event.data);
    const written = await writer.decide({ ...to, steps: [{ event, time }] });
    report.changed(place, `${what} is taken although the rules forbid it: ${ruleText(error)}`);
    return written;
  }
};
