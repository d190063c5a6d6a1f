import { CommandBus } from '@nestjs/cqrs';
import { described, type Infer, integer, list, named, struct, text } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { Body } from '#api/shared/http/parameters.js';
import { done, json, listOf } from '#api/status/answers/answers.js';
import { WorkProblems } from '#api/status/background-work.js';
import { dueText, worded } from '#api/status/bodies.js';
import * as errors from '#api/status/errors.js';
import { lists, says } from '#api/status/openapi/envelopes.js';
import { Admin, type AdminCall } from '#api/status/parameters.js';
import { TENANT_ID } from '#api/status/queries.js';
import { routesWith, StatusController, SUPER } from '#api/status/route.js';
import { doc, type Static } from '#domain/shared/shape.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { NotificationQueries } from '#projections/status/notifications/queries.js';
import { TurnOffStatusNotifications, TurnOnStatusNotifications } from './commands.js';
import { NOTIFICATIONS_LEASE } from './notifications-service.js';
import { LEVEL, NOTIFICATIONS } from './openapi.js';

const notificationsBody = named(
  'StatusNotificationsRequest',
  struct({
    project: dueText('name of a project of the messaging service'),
    topic: dueText('name of a topic'),
    reports: worded(list(text), 'names of reports; default all'),
    levels: described(list(text), doc([LEVEL], 'default all')),
    repeat_seconds: described(
      integer,
      doc('count', 'a status that goes on is sent again after so many seconds, 60 to 2592000; default 0: never'),
    ),
  }),
);

const DONE = {
  put: 'Status notifications successfully updated',
  delete: 'Status notifications successfully deleted',
} as const;

const { Delete, Get, Put } = routesWith({ who: SUPER, path: TENANT_ID });

/**
 * Notifications of a tenant's status changes to a topic (docs/running/services.md). For super admins: a topic may belong to any project, and
 * administrators of a tenant have no rights in the messaging service.
 */
@StatusController('api/v2/admin/tenants/:id/status-notifications', 'status: tenants')
export class NotificationsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly notifications: NotificationQueries,
    private readonly accounts: AccountQueries,
    private readonly problems: WorkProblems,
  ) {}

  @Get('', {
    id: 'getStatusNotifications',
    summary: 'The topic that a tenant is notified on, and how many notifications were published and wait',
    answers: lists(NOTIFICATIONS),
  })
  async get(@Admin() { tenantId }: AdminCall): Promise<Answer> {
    const [settings, totals] = await Promise.all([this.notifications.settings(tenantId), this.notifications.totals(tenantId)]);
    if (!settings) throw errors.notFound();
    const { projectId, topic, reports = [], levels, repeatSeconds: repeat_seconds = 0 } = settings;
    const [project, problem] = await Promise.all([this.accounts.project(projectId), this.problems.of(NOTIFICATIONS_LEASE, tenantId)]);
    const { published, pending, lastAt = '' } = totals;
    const view = {
      project: project?.name ?? '',
      topic,
      reports,
      levels,
      repeat_seconds,
      published,
      pending,
      last_published: lastAt,
      problem,
    };
    return json(listOf([view satisfies Static<typeof NOTIFICATIONS>]));
  }

  @Put('', {
    id: 'setStatusNotifications',
    summary: 'Publishes changes of statuses to a topic from now on',
    description:
      'Without `reports` of all reports, without `levels` of groups, services, endpoints and metrics. `repeat_seconds`: a status that goes on is sent again after so many seconds (60 to 2592000); without it, or with 0, it is not.',
    body: notificationsBody,
    example: { project: 'alerts', topic: 'changes', levels: ['group'], repeat_seconds: 86_400 },
    answers: says(DONE.put),
  })
  put(@Admin() { context, tenantId }: AdminCall, @Body(notificationsBody) body: Infer<typeof notificationsBody>): Promise<Answer> {
    const { repeat_seconds: repeatSeconds, ...named } = body;
    return done(this.bus.execute(new TurnOnStatusNotifications(context, { tenantId, named: { ...named, repeatSeconds } })), DONE.put);
  }

  @Delete('', {
    id: 'deleteStatusNotifications',
    summary: 'Publishes no more changes of statuses; notifications that wait are dropped',
    answers: says(DONE.delete),
  })
  delete(@Admin() { context, tenantId }: AdminCall): Promise<Answer> {
    return done(this.bus.execute(new TurnOffStatusNotifications(context, { tenantId })), DONE.delete);
  }
}
