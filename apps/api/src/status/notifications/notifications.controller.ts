import { Controller, Delete, Get, Inject, Param, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { type Infer, integer, list, struct, text } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { Body } from '#api/shared/http/parameters.js';
import { schemaOf } from '#api/shared/openapi/shape.js';
import { LIVE_CLOCK, LIVE_READ_STORE, READS_ONLY } from '#api/shared/tokens.js';
import { json } from '#api/status/answers.js';
import { listOf, message } from '#api/status/envelopes.js';
import * as errors from '#api/status/errors.js';
import { AdminRoute } from '#api/status/http-policy.js';
import { AdminContext } from '#api/status/parameters.js';
import type { Clock } from '#domain/shared/clock.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { DEFAULT_LEASE_TIMING, workCondition } from '#infra/platform/coordination/work-lease.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { NotificationQueries } from '#projections/status/notifications/queries.js';
import { TurnOffStatusNotifications, TurnOnStatusNotifications } from './commands.js';
import { NOTIFICATIONS_LEASE } from './notifications-service.js';

type TenantPath = Readonly<{ id: string }>;

const notificationsBody = struct({ project: text, topic: text, reports: list(text), levels: list(text), repeat_seconds: integer });

/**
 * Which changes of a tenant's statuses become messages of which topic (docs/operations.md). For super admins: a topic may be that of any project, and
 * administrators of a tenant have no rights in the messaging service.
 */
@ApiTags('status: tenants')
@ApiSecurity('x-api-key')
@Controller('api/v2/admin/tenants/:id/status-notifications')
export class NotificationsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly notifications: NotificationQueries,
    private readonly accounts: AccountQueries,
    @Inject(LIVE_READ_STORE) private readonly live: ReadStore,
    @Inject(LIVE_CLOCK) private readonly clock: Clock,
    @Inject(READS_ONLY) private readonly readsOnly: boolean,
  ) {}

  @Get()
  @AdminRoute('tenants.get_status_notifications')
  @ApiOperation({ summary: 'The topic that a tenant is notified on, and how many notifications were published and wait' })
  async get(@Param() { id }: TenantPath): Promise<Answer> {
    const [settings, totals] = await Promise.all([this.notifications.settings(id), this.notifications.totals(id)]);
    if (!settings) throw errors.notFound();
    const { projectId, topic, reports = [], levels, repeatSeconds: repeat_seconds = 0 } = settings;
    const [project, problem] = await Promise.all([this.accounts.project(projectId), this.problemOf(id)]);
    const { published, pending, lastAt = '' } = totals;
    return json(
      listOf([
        { project: project?.name ?? '', topic, reports, levels, repeat_seconds, published, pending, last_published: lastAt, problem },
      ]),
    );
  }

  @Put()
  @AdminRoute('tenants.update_status_notifications')
  @ApiOperation({
    summary: 'Publishes changes of statuses to a topic from now on',
    description:
      'Without `reports` of all reports, without `levels` of groups, services, endpoints and metrics. `repeat_seconds`: a status that goes on is sent again after so many seconds (60 to 2592000); without it, or with 0, it is not.',
  })
  @ApiBody({ schema: schemaOf(notificationsBody) })
  async put(
    @AdminContext() context: CommandContext,
    @Param() { id }: TenantPath,
    @Body(notificationsBody) body: Infer<typeof notificationsBody>,
  ): Promise<Answer> {
    const { repeat_seconds: repeatSeconds, ...named } = body;
    const { readable } = await this.bus.execute(
      new TurnOnStatusNotifications(context, { tenantId: id, named: { ...named, repeatSeconds } }),
    );
    return json(message('Status notifications successfully updated'), { readable });
  }

  @Delete()
  @AdminRoute('tenants.delete_status_notifications')
  @ApiOperation({ summary: 'Publishes no more changes of statuses; notifications that wait are dropped' })
  async delete(@AdminContext() context: CommandContext, @Param() { id }: TenantPath): Promise<Answer> {
    const { readable } = await this.bus.execute(new TurnOffStatusNotifications(context, { tenantId: id }));
    return json(message('Status notifications successfully deleted'), { readable });
  }

  /** What keeps the node that watches statuses from this tenant; of the past nobody knows. */
  private async problemOf(tenantId: string): Promise<string> {
    if (this.readsOnly) return '';
    return (await workCondition(this.live, NOTIFICATIONS_LEASE, this.clock(), DEFAULT_LEASE_TIMING, tenantId)).problem ?? '';
  }
}
