import { bytes, count, counted, duration } from '#domain/shared/text/figures.js';

/** A measurement. `value`: what the bound is compared with. `of`: the read model or file. `detail`: without personal data and secrets. */
export type Measurement = Readonly<{ value: number; of?: string; detail?: string; events?: number; view?: FindingView }>;

/** View of the console. `path`: below `/console`, encoded. `text`: of the link. */
export type FindingView = Readonly<{ path: string; query?: Readonly<Record<string, string>>; text: string }>;

/** Alert for Prometheus with the same bound, see {@link expressionOf}. */
type Alert = Readonly<{
  name: string;
  metric: string;
  /** How the values of several nodes become one. Default: an alert for each. */
  over?: 'sum' | 'max' | 'min';
  /** The metric is an instant: the time until then is compared. */
  isInstant?: true;
  /** Second condition, over a time, which a finding does not have. */
  and?: string;
  /** How long it must last. 0: not at all. */
  forSeconds: number;
}>;

type Kind = Readonly<{
  severity: 'critical' | 'warning';
  /** Line of `logbook doctor`. */
  check: string;
  /** A value above it is a finding; with `isBelow` one below it. */
  bound: number;
  isBelow?: true;
  /** Absent: this needs no alert, or another one covers it. */
  alert?: Alert;
  text: (found: Measurement) => string;
  /** Sentence with figures that change all the time. */
  figures?: (found: Measurement) => string;
  todo: string;
  /** Default: that of the measurement, or the page of the read model. */
  view?: FindingView;
}>;

type Given = Omit<Kind, 'severity' | 'check' | 'bound'> & Readonly<{ /** Default: 0, for what must not happen at all. */ bound?: number }>;

const critical = (check: string, given: Given): Kind => ({ severity: 'critical', check, bound: 0, ...given });
const warning = (check: string, given: Given): Kind => ({ severity: 'warning', check, bound: 0, ...given });

const NEWEST_EVENTS = { path: '/events', text: 'Look at the newest events' };
const INTEGRITY = { path: '/integrity', text: 'Open Integrity' };
/** Subscriptions of all projects. */
const subscriptionsBy = (order: string): FindingView => ({
  path: '/messaging',
  query: { tab: 'subscriptions', order },
  text: 'Open the list',
});
const STATUS = { path: '/status', text: 'Open Status' };
const OPERATIONS = { path: '/operations', text: 'Open Operations' };
const PROJECTIONS = { path: '/projections', text: 'Open Projections' };

const KINDS = {
  'event-log': critical('event log', {
    text: ({ detail }) => `The event log does not work: ${detail}.`,
    todo: 'Writes are refused and resume by themselves. Check the disk or the server of the log.',
    view: NEWEST_EVENTS,
  }),
  'read-store': critical('read store', {
    text: ({ detail }) => `The read models do not work: ${detail}.`,
    todo: 'Check their disk or Redis.',
    view: PROJECTIONS,
  }),
  'read-store-refuses': critical('read store', {
    alert: { name: 'LogbookReadStoreRefuses', metric: 'logbook_read_store_refuses_writes', over: 'max', forSeconds: 60 },
    text: ({ detail }) => `Redis refuses writes: ${detail}.`,
    todo: 'Changes are in the log, and reads show them once Redis accepts writes. Raise maxmemory, or make room on its disk.',
    view: PROJECTIONS,
  }),
  'read-store-drops': critical('read store', {
    alert: { name: 'LogbookReadStoreDrops', metric: 'logbook_read_store_drops_documents', over: 'max', forSeconds: 0 },
    text: ({ detail }) => `Redis may drop documents: ${detail}.`,
    todo: 'Set it to noeviction. Read models that have lost documents answer 503 until they are built again.',
    view: PROJECTIONS,
  }),
  'read-store-filling': warning('read store', {
    bound: 30,
    isBelow: true,
    alert: { name: 'LogbookReadStoreFilling', metric: 'logbook_read_store_days_left', over: 'min', forSeconds: 3_600 },
    text: () => 'The memory of Redis will be full in less than 30 days at the pace of the last week.',
    figures: ({ value, detail }) => `In ${counted(Math.floor(value), 'day')}: ${detail} are in use.`,
    todo: 'Raise maxmemory, or use a larger machine, before it refuses writes.',
    view: PROJECTIONS,
  }),
  'role-missing': critical('nodes', {
    alert: { name: 'LogbookRoleMissing', metric: 'logbook_roles_missing', over: 'max', forSeconds: 120 },
    text: ({ of }) => `No node has the role ${of}.`,
    todo: 'Start one: LOGBOOK_ROLES of its nodes says which do what.',
    view: OPERATIONS,
  }),
  damage: critical('event log', {
    alert: { name: 'LogbookLogDamaged', metric: 'logbook_log_damaged', forSeconds: 0 },
    text: ({ detail }) => `The log does not match what was signed: ${detail}.`,
    todo: 'A verification found this. Compare with anchors and backups kept elsewhere, and restore a backup that verifies.',
    view: INTEGRITY,
  }),
  disk: critical('disk', {
    bound: 2 ** 30,
    isBelow: true,
    alert: { name: 'LogbookDiskFull', metric: 'logbook_disk_free_bytes', forSeconds: 60 },
    text: () => 'The disk is nearly full.',
    figures: ({ value }) => `${bytes(value)} are free.`,
    todo: 'Free space: below 64 MiB the log refuses writes.',
    view: OPERATIONS,
  }),
  metadata: critical('metadata', {
    alert: { name: 'LogbookForeignStreamMetadata', metric: 'logbook_foreign_stream_metadata', forSeconds: 0 },
    text: ({ value }) => `Another program has set metadata of ${counted(value, 'stream')} of Logbook in EventStoreDB.`,
    todo: 'Reset them: the log of the server names them. Restore dropped events from a backup or an export.',
    view: INTEGRITY,
  }),
  withheld: critical('read models', {
    alert: { name: 'LogbookReadModelWithheld', metric: 'logbook_projection_mismatched', forSeconds: 300 },
    text: ({ of, detail }) => `${of} is not served: ${detail}.`,
    todo: 'It is being rebuilt from the log and will be served when complete.',
  }),
  differs: critical('read models', {
    alert: { name: 'LogbookReadModelDiffers', metric: 'logbook_projection_differences', forSeconds: 0 },
    text: ({ of, value }) => `${of} does not match the log: ${counted(value, 'document differs', 'documents differ')}.`,
    todo: 'A verification found this. Rebuild the projection, then verify it again.',
  }),
  'set-aside': critical('read models', {
    alert: { name: 'LogbookPartitionsSetAside', metric: 'logbook_projection_partitions_set_aside', forSeconds: 0 },
    text: ({ of, value }) => `${of} has paused ${counted(value, 'partition')}.`,
    figures: ({ events = 0 }) => `${counted(events, 'event waits', 'events wait')}.`,
    todo: 'Resume it when the failing event can be applied, or skip that event.',
  }),
  behind: warning('read models', {
    bound: 10,
    alert: { name: 'LogbookReadModelBehind', metric: 'logbook_projection_lag_seconds', forSeconds: 60 },
    text: ({ of }) => `${of} is behind.`,
    figures: ({ value, events = 0 }) => `By ${counted(events, 'event')}, ${duration(value)}.`,
    todo: 'It catches up by itself. If it does not, check the load of its node.',
  }),
  'audit-index-stopped': critical('audit index', {
    alert: { name: 'LogbookAuditIndexStopped', metric: 'logbook_audit_index_stopped', forSeconds: 0 },
    text: () => 'The audit index has stopped, because it does not match the chain.',
    todo: 'Changes, events and reads as of the past end there. Verify the log.',
    view: INTEGRITY,
  }),
  'audit-index-behind': warning('audit index', {
    bound: 300,
    alert: { name: 'LogbookAuditIndexBehind', metric: 'logbook_audit_index_lag_seconds', forSeconds: 600 },
    text: () => 'The audit index is behind.',
    figures: ({ value }) => `By ${duration(value)}.`,
    todo: 'The newest events cannot be searched yet. It catches up by itself; if it does not, check the server log.',
    view: NEWEST_EVENTS,
  }),
  'history-set-aside': critical('history', {
    alert: { name: 'LogbookHistorySetAside', metric: 'logbook_history_partitions_set_aside', forSeconds: 0 },
    text: ({ of, value }) => `The history of ${of} has paused ${counted(value, 'partition')}.`,
    todo: 'Reads of them as of the past are refused. Resume or skip as for the projection.',
  }),
  'chain-behind': warning('chain', {
    bound: 5,
    alert: { name: 'LogbookChainBehind', metric: 'logbook_chain_lag_seconds', forSeconds: 60 },
    text: () => 'The chain is behind.',
    figures: ({ value }) => `By ${duration(value)}.`,
    todo: 'The newest events cannot be proved yet. Check the node with the role history; one node needs LOGBOOK_CHAIN=on.',
    view: INTEGRITY,
  }),
  'anchor-old': warning('anchor', {
    bound: 7_200,
    alert: { name: 'LogbookAnchorOld', metric: 'logbook_unanchored_seconds', forSeconds: 300 },
    text: () => 'The last anchor is too old: it does not cover the newest events.',
    figures: ({ value }) => `The oldest of them has waited for ${duration(value)}.`,
    todo: 'An auditor signs one in Integrity. If that is refused, the refusal and the server log say what is wrong with the signing key.',
    view: INTEGRITY,
  }),
  'results-stopped': warning('results', {
    text: () => 'The background computation of large results has stopped.',
    todo: 'Results are still computed on request. Check the server log.',
    view: NEWEST_EVENTS,
  }),
  'results-behind': warning('results', {
    bound: 300,
    alert: { name: 'LogbookResultsBehind', metric: 'logbook_results_lag_seconds', forSeconds: 600 },
    text: () => 'Results of past days are computed more slowly than they change.',
    figures: ({ value }) => `The oldest change has waited for ${duration(value)}.`,
    todo: 'Reads of them take longer. Check the load of the node.',
    view: STATUS,
  }),
  'erasures-failed': critical('erasures', {
    alert: { name: 'LogbookErasuresFailed', metric: 'logbook_erasures_failed', forSeconds: 300 },
    text: ({ value }) => `${counted(value, 'erasure')} failed.`,
    todo: 'Check the server log and the list of erasures.',
    view: OPERATIONS,
  }),
  'push-fails': warning('messaging', {
    alert: { name: 'LogbookPushFails', metric: 'logbook_subscriptions_push_failing', over: 'max', forSeconds: 900 },
    text: ({ value }) => `${counted(value, 'subscription fails', 'subscriptions fail')} to push.`,
    todo: 'The page of a subscription shows its last error. Check the push endpoint.',
    view: subscriptionsBy('push'),
  }),
  'push-unverified': warning('messaging', {
    text: ({ value }) => `${counted(value, 'push endpoint is', 'push endpoints are')} not verified.`,
    todo: 'Nothing is pushed there before the call verifyPushEndpoint succeeds.',
    view: subscriptionsBy('push'),
  }),
  'dead-letters': warning('messaging', {
    text: ({ value }) => `${counted(value, 'dead letter has', 'dead letters have')} not been sent back.`,
    todo: 'Remove the cause, then redrive them.',
    view: subscriptionsBy('dead-letters'),
  }),
  'dead-letters-kept': warning('messaging', {
    alert: { name: 'LogbookDeadLettersKept', metric: 'logbook_messaging_dead_letters_kept', over: 'sum', forSeconds: 600 },
    text: ({ value }) =>
      `${counted(value, 'subscription keeps', 'subscriptions keep')} undeliverable messages, because the dead letter topic is gone.`,
    todo: 'Create that topic again, or choose another one for the subscription.',
    view: { path: '/events', query: { type: 'TopicDeleted' }, text: 'Look at deleted topics' },
  }),
  'subscriptions-full': warning('messaging', {
    alert: { name: 'LogbookSubscriptionFull', metric: 'logbook_messaging_full', over: 'sum', forSeconds: 600 },
    text: ({ value }) => `${counted(value, 'subscription delivers', 'subscriptions deliver')} nothing before messages are acknowledged.`,
    todo: 'Check the consumers: they take messages and do not acknowledge them.',
    view: subscriptionsBy('backlog'),
  }),
  backlog: warning('messaging', {
    bound: 100_000,
    alert: {
      name: 'LogbookMessagesPileUp',
      metric: 'logbook_messages_waiting',
      over: 'max',
      and: 'deriv(max(logbook_messages_waiting)[30m:1m]) > 0',
      forSeconds: 1_800,
    },
    text: ({ value }) => `${count(value)} messages wait for their consumers.`,
    todo: 'Check the consumers, or delete subscriptions that nobody reads.',
    view: subscriptionsBy('backlog'),
  }),
  'backlog-old': warning('messaging', {
    bound: 3_600,
    text: () => 'Messages wait for more than an hour.',
    figures: ({ value }) => `The oldest for ${duration(value)}.`,
    todo: 'Check the consumers of subscriptions that are marked, or delete those that nobody reads.',
    view: subscriptionsBy('oldest'),
  }),
  'results-paused': warning('status', {
    text: ({ value }) => `The results of ${counted(value, 'tenant')} are paused.`,
    todo: 'Nothing is known of their groups. Status names the read models: resume them, or skip the failing events.',
    view: STATUS,
  }),
  'results-too-large': warning('status', {
    text: ({ value }) => `Groups of ${counted(value, 'report')} are more than a call may read, or take too long.`,
    todo: 'Nothing is known of them here. Status names the reports. If it stays so, raise LOGBOOK_RESULTS_CALL_LIMIT or make them smaller.',
    view: STATUS,
  }),
  'groups-not-ok': warning('status', {
    text: ({ value }) => `${counted(value, 'group is', 'groups are')} not OK.`,
    todo: 'Status says since when; the day of a group shows why.',
    view: STATUS,
  }),
  'certificate-ends': warning('certificate', {
    bound: 14 * 86_400,
    isBelow: true,
    alert: {
      name: 'LogbookCertificateEnds',
      metric: 'logbook_tls_certificate_expiry_timestamp_seconds',
      isInstant: true,
      forSeconds: 3_600,
    },
    text: ({ detail }) => `The certificate of this server ends ${detail}.`,
    todo: 'Renew it.',
    view: OPERATIONS,
  }),
  'tls-files-refused': warning('certificate', {
    text: ({ detail }) => `New files for TLS are not in use: ${detail}.`,
    todo: 'Correct them. Those before them stay in use until then.',
    view: OPERATIONS,
  }),
  'revocation-list-ends': warning('certificate', {
    bound: 6 * 3_600,
    isBelow: true,
    alert: { name: 'LogbookRevocationListsEnd', metric: 'logbook_x509_crl_expiry_timestamp_seconds', isInstant: true, forSeconds: 900 },
    text: ({ detail }) => `A revocation list of client certificates ends ${detail}.`,
    todo: 'Fetch the new one: clients of its authority are refused then.',
    view: OPERATIONS,
  }),
} satisfies Readonly<Record<string, Kind>>;

export type FindingKind = keyof typeof KINDS;

/** Everything that a person has to look at, with its bound: one table for `/health`, the console, the doctor and the alerts. The worst is first. */
export const FINDINGS: Readonly<Record<FindingKind, Kind>> = KINDS;
