import { commandWith } from '#api/shared/commands/command-of.js';
import { toStreams } from '#api/shared/commands/handlers.js';
import * as errors from '#api/status/errors.js';
import { limitText, STATUS_LIMITS } from '#domain/status/limits.js';
import {
  NOTIFIED_LEVELS,
  type NotificationSettings,
  notificationSettings,
  streamOfNotificationSettings,
} from '#domain/status/notifications/notification-settings.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { NotificationQueries } from '#projections/status/notifications/queries.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';

/** Shortest and longest interval for repeats of an unchanged status, in seconds: a minute and thirty days. */
const [SHORTEST_REPEAT, LONGEST_REPEAT] = [60, 30 * 24 * 3_600];

/** Settings by names. Empty `reports` or `levels`: all of them; `repeatSeconds` 0: no repeats. */
type NamedSettings = Readonly<{
  project: string;
  topic: string;
  reports: readonly string[];
  levels: readonly string[];
  repeatSeconds: number;
}>;

type OfTenant = Readonly<{ tenantId: string }>;

type Lookups = Readonly<{ accounts: AccountQueries; resources: ResourceQueries; reports: ReportQueries }>;

/** @throws StatusError `E422` */
const settingsOf = async (
  lookups: Lookups,
  tenantId: string,
  { project: projectName, topic, ...named }: NamedSettings,
): Promise<NotificationSettings> => {
  const project = await lookups.accounts.projectNamed(projectName);
  if (!project) throw errors.unprocessable(`Project ${projectName} does not exist`);
  const { projectId } = project;
  if (!(await lookups.resources.topic(projectId, topic)))
    throw errors.unprocessable(`Topic ${topic} does not exist in project ${projectName}`);
  const reports = [...new Set(named.reports)];
  if (reports.length > STATUS_LIMITS.notifiedReports.value) throw errors.unprocessable(limitText('notifiedReports'));
  const found = await lookups.reports.byNames(reports.map((name) => ({ tenantId, name })));
  const missing = reports.find((_, index) => !found[index]);
  if (missing !== undefined) throw errors.unprocessable(`Report ${missing} does not exist`);
  const unknown = named.levels.find((level) => !NOTIFIED_LEVELS.some((known) => known === level));
  if (unknown !== undefined) throw errors.unprocessable(`Level ${unknown} is not one of ${NOTIFIED_LEVELS.join(', ')}`);
  const levels = NOTIFIED_LEVELS.filter((level) => named.levels.length === 0 || named.levels.includes(level));
  const { repeatSeconds } = named;
  if (repeatSeconds !== 0 && !(repeatSeconds >= SHORTEST_REPEAT && repeatSeconds <= LONGEST_REPEAT))
    throw errors.unprocessable(`repeat_seconds is neither 0 nor between ${SHORTEST_REPEAT} and ${LONGEST_REPEAT}`);
  return { projectId, topic, ...(reports.length > 0 && { reports }), levels, ...(repeatSeconds !== 0 && { repeatSeconds }) };
};

const toSettings = toStreams(notificationSettings, ({ tenantId }) => streamOfNotificationSettings(tenantId));

/** Publishes changes of a tenant's statuses to a topic. @throws StatusError `E404` unknown tenant, `E422` for names that do not exist */
export class TurnOnStatusNotifications extends commandWith(
  [TenantQueries, ReportQueries, AccountQueries, ResourceQueries],
  async (
    { tenantId, named }: OfTenant & Readonly<{ named: NamedSettings }>,
    { context, gateway },
    tenants,
    reports,
    accounts,
    resources,
  ) => {
    if (!(await tenants.tenant(tenantId))) throw errors.notFound();
    const settings = await settingsOf({ accounts, resources, reports }, tenantId, named);
    return gateway.execute(toSettings(context, { type: 'TurnOnStatusNotifications', tenantId, settings }));
  },
) {}

/** Ends the notifications. Unpublished changes are dropped. @throws StatusError `E404` if notifications are off */
export class TurnOffStatusNotifications extends commandWith(
  [NotificationQueries],
  async ({ tenantId }: OfTenant, { context, gateway }, queries) => {
    if (!(await queries.settings(tenantId))) throw errors.notFound();
    return gateway.execute(toSettings(context, { type: 'TurnOffStatusNotifications', tenantId }));
  },
) {}
