import type { EventStore } from '#domain/shared/event-store.js';
import type { ResourceReference } from '#domain/shared/resource-change.js';
import { AuditIndexIncomplete } from '#infra/engine/audit-index/index-files.js';
import type { AuditEvents } from '#infra/engine/audit-index/open-audit-index.js';
import { RecordHistory } from '#infra/engine/audit-index/record-history.js';

/** Kinds whose records have no look-up by id alone: their names are read from their newest events. None of them is personal. */
export const LOGGED_KINDS = [
  'messaging.topic',
  'messaging.schema',
  'accounting.resource',
  'accounting.metric_definition',
  'accounting.unit_type',
  'accounting.metric_type',
  'accounting.entitlement',
  'status.report',
  'status.metric_profile',
  'status.operations_profile',
  'status.aggregation_profile',
  'status.thresholds_profile',
  'status.weights',
] as const;

export type LoggedKind = (typeof LOGGED_KINDS)[number];

/** `owner`: tenant or project that the record belongs to. */
type LoggedName = Readonly<{ isGone: boolean; name: string | undefined; owner: ResourceReference | undefined }>;

/** Ids of records of a project are `<id of the project>/<id>`. */
const referenceOf = (kind: LoggedKind, id: string): ResourceReference => {
  const [service = '', own = ''] = kind.split('.');
  const slash = service === 'messaging' ? id.indexOf('/') : -1;
  return { service, kind: own, id: id.slice(slash + 1), ...(slash >= 0 && { scope: id.slice(0, slash) }) };
};

/** Names of records from the log; `undefined` for what the log does not have, and for all while the audit index is built. */
export const loggedNames = async (
  { index }: Pick<AuditEvents, 'index'>,
  events: Pick<EventStore, 'readStream'>,
  kind: LoggedKind,
  ids: readonly string[],
): Promise<readonly (LoggedName | undefined)[]> => {
  try {
    const { size } = index.checkpoint();
    const history = new RecordHistory(index, events, size);
    const found: (LoggedName | undefined)[] = [];
    for (const id of ids) {
      const reference = referenceOf(kind, id);
      const standing = await history.standing(reference);
      const name = standing && !standing.isGone ? await history.names.at(reference, size - 1) : undefined;
      found.push(standing && { isGone: standing.isGone, name, owner: standing.owners[0] });
    }
    return found;
  } catch (error) {
    if (error instanceof AuditIndexIncomplete) return ids.map(() => undefined);
    throw error;
  }
};
