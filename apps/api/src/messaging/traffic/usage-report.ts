import { Injectable } from '@nestjs/common';
import { inParts } from '#api/messaging/answers/pagination.js';
import type { USAGE_REPORT } from '#api/messaging/openapi/components.js';
import type { Static } from '#domain/shared/shape.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { AccountQueries, type ProjectReference } from '#projections/messaging/accounts/queries.js';
import { ResourceCounts } from '#projections/messaging/resources/queries.js';
import { TrafficQueries } from '#projections/messaging/traffic/queries.js';
import type { UsageWindow } from './usage-window.js';

type Usage = Static<typeof USAGE_REPORT>;
/** Usage of one project in a window. */
type ProjectUsage = Usage['projects_metrics']['projects'][number];

const sumOf = (usages: readonly ProjectUsage[], member: Exclude<keyof ProjectUsage, 'project'>): number =>
  usages.reduce((sum, usage) => sum + usage[member], 0);

/** Rounds sums of hundredths, which binary floats do not hold exactly. */
const hundredths = (value: number): number => Math.round(value * 100) / 100;

/** Usage of projects over time (messaging contract 3.9: VA report). */
@Injectable()
export class UsageReport {
  constructor(
    private readonly accounts: AccountQueries,
    private readonly counts: ResourceCounts,
    private readonly traffic: TrafficQueries,
  ) {}

  /** Reports on the projects that have messages in the window. Totals are sums over them. */
  async on(projects: readonly ProjectReference[], window: UsageWindow): Promise<Usage> {
    const ids = projects.map(({ projectId }) => projectId);
    const counts = await this.traffic.messagesBetween(ids, window.first, window.last);
    const listed = projects.flatMap((project, index) => {
      const messages = counts[index];
      return messages === undefined ? [] : [{ project, messages }];
    });
    const usages: ProjectUsage[] = [];
    for (const { project, messages } of listed) usages.push(await this.usageOf(project, messages, window)); // one by one to limit memory
    return {
      projects_metrics: {
        projects: usages,
        total_message_count: sumOf(usages, 'message_count'),
        average_daily_messages: hundredths(sumOf(usages, 'average_daily_messages')),
      },
      total_users_count: sumOf(usages, 'users_count'),
      total_topics_count: sumOf(usages, 'topics_count'),
      total_subscriptions_count: sumOf(usages, 'subscriptions_count'),
    };
  }

  private async usageOf(
    { projectId, name }: ProjectReference,
    messages: number,
    { first, last, days }: UsageWindow,
  ): Promise<ProjectUsage> {
    const created = await this.counts.createdBetween(projectId, first, last, new TimeSlice());
    let users = 0;
    for await (const { items } of inParts((page) => this.accounts.listUsers(page, projectId), { size: 0, counted: false })) {
      const since = items.map(({ createdOn }) => createdOn.slice(0, first.length));
      users += since.filter((day) => day >= first && day <= last).length;
    }
    return {
      project: name,
      message_count: messages,
      average_daily_messages: Math.ceil((messages * 100) / days) / 100,
      topics_count: created.topics,
      subscriptions_count: created.subscriptions,
      users_count: users,
    };
  }
}
