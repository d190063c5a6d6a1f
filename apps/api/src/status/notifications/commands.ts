import type { Type } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import * as errors from '#api/status/errors.js';
import type { WriteOutcome } from '#api/status/written.js';
import type { CommandContext } from '#domain/shared/execution.js';
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

/** Seconds after which a status that goes on is told again: a minute, and thirty days. */
const [SHORTEST_REPEAT, LONGEST_REPEAT] = [60, 30 * 24 * 3_600];

/** Settings as callers name them; empty `reports` or `levels`: all of them; `repeatSeconds` 0: nothing is repeated. */
export type NamedSettings = Readonly<{
  project: string;
  topic: string;
  reports: readonly string[];
  levels: readonly string[];
  repeatSeconds: number;
}>;

/**
 * Makes changes of a tenant's statuses messages of a topic.
 * @throws StatusError `E404` without the tenant, `E422` for what does not exist
 */
export class TurnOnStatusNotifications extends Command<WriteOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly tenantId: string,
    readonly named: NamedSettings,
  ) {
    super();
  }
}

@CommandHandler(TurnOnStatusNotifications)
class TurnOnStatusNotificationsHandler implements ICommandHandler<TurnOnStatusNotifications> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly tenants: TenantQueries,
    private readonly reports: ReportQueries,
    private readonly accounts: AccountQueries,
    private readonly resources: ResourceQueries,
  ) {}

  async execute({ context, tenantId, named }: TurnOnStatusNotifications): Promise<WriteOutcome> {
    if (!(await this.tenants.tenant(tenantId))) throw errors.notFound();
    const settings = await this.settingsOf(tenantId, named);
    const stream = streamOfNotificationSettings(tenantId);
    const command = { type: 'TurnOnStatusNotifications', tenantId, settings } as const;
    return this.gateway.execute({ stream, decider: notificationSettings, context, command });
  }

  private async settingsOf(tenantId: string, { project: projectName, topic, ...named }: NamedSettings): Promise<NotificationSettings> {
    const project = await this.accounts.projectNamed(projectName);
    if (!project) throw errors.unprocessable(`Project ${projectName} does not exist`);
    const { projectId } = project;
    if (!(await this.resources.topic(projectId, topic)))
      throw errors.unprocessable(`Topic ${topic} does not exist in project ${projectName}`);
    const reports = [...new Set(named.reports)];
    if (reports.length > STATUS_LIMITS.notifiedReports.value) throw errors.unprocessable(limitText('notifiedReports'));
    const found = await this.reports.byNames(reports.map((name) => ({ tenantId, name })));
    const missing = reports.find((_, index) => !found[index]);
    if (missing !== undefined) throw errors.unprocessable(`Report ${missing} does not exist`);
    const unknown = named.levels.find((level) => !NOTIFIED_LEVELS.some((known) => known === level));
    if (unknown !== undefined) throw errors.unprocessable(`Level ${unknown} is not one of ${NOTIFIED_LEVELS.join(', ')}`);
    const levels = NOTIFIED_LEVELS.filter((level) => named.levels.length === 0 || named.levels.includes(level));
    const { repeatSeconds } = named;
    if (repeatSeconds !== 0 && !(repeatSeconds >= SHORTEST_REPEAT && repeatSeconds <= LONGEST_REPEAT))
      throw errors.unprocessable(`repeat_seconds is neither 0 nor between ${SHORTEST_REPEAT} and ${LONGEST_REPEAT}`);
    return { projectId, topic, ...(reports.length > 0 && { reports }), levels, ...(repeatSeconds !== 0 && { repeatSeconds }) };
  }
}

/** Ends that; what is not published yet never will be. @throws StatusError `E404` if it is off */
export class TurnOffStatusNotifications extends Command<WriteOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly tenantId: string,
  ) {
    super();
  }
}

@CommandHandler(TurnOffStatusNotifications)
class TurnOffStatusNotificationsHandler implements ICommandHandler<TurnOffStatusNotifications> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly notifications: NotificationQueries,
  ) {}

  async execute({ context, tenantId }: TurnOffStatusNotifications): Promise<WriteOutcome> {
    if (!(await this.notifications.settings(tenantId))) throw errors.notFound();
    const stream = streamOfNotificationSettings(tenantId);
    const command = { type: 'TurnOffStatusNotifications', tenantId } as const;
    return this.gateway.execute({ stream, decider: notificationSettings, context, command });
  }
}

export const notificationHandlers: readonly Type[] = [TurnOnStatusNotificationsHandler, TurnOffStatusNotificationsHandler];
