import { Inject, Injectable } from '@nestjs/common';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { MessagesRefused, MessagingClient, type PublishedTopic } from '#api/shared/messaging-client.js';
import { CLOCK } from '#api/shared/tokens.js';
import { absenceOf } from '#api/status/absence.js';
import { sha256 } from '#domain/shared/bytes/sha256.js';
import type { Cause } from '#domain/shared/causation.js';
import type { Clock } from '#domain/shared/clock.js';
import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { publishedNotices, streamOfPublishedNotices } from '#domain/status/notifications/published-notices.js';
import { systemContext } from '#infra/stores/event-store/system-events.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import {
  type FoundNotice,
  NotificationQueries,
  type PendingNotice,
  type SettingsDocument,
} from '#projections/status/notifications/queries.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';
import { attributesOf, noticeOf } from './notice.js';

/** A problem that blocks notifications and only a user can solve; the text is for operators. */
export class NotificationsUnusable extends Error {
  override readonly name = 'NotificationsUnusable';
}

/** Bytes of notices that are published before that is recorded. */
const AT_ONCE_BYTES = 256 * 1024;

/** Notices by group, in order. Different groups need not wait for each other and are published together. */
const byGroup = (found: readonly FoundNotice[]): readonly (readonly FoundNotice[])[] => {
  const groups = new Map<string, FoundNotice[]>();
  for (const one of found) {
    const key = JSON.stringify([one.notice.report, one.notice.group]);
    getOrInsert(groups, key, () => []).push(one);
  }
  return [...groups.values()];
};

/** `null`: the read model is still that of an earlier release, without conversations. */
const causeOfNotice = ({ event: id, correlationId }: PendingNotice): Cause | null =>
  correlationId === undefined ? null : { id, correlationId };

/** Publishes the recorded changes, each once, and those of a group in order. */
@Injectable()
export class NoticePublisher {
  constructor(
    private readonly messaging: MessagingClient,
    private readonly gateway: CommandGateway,
    private readonly accounts: AccountQueries,
    private readonly resources: ResourceQueries,
    private readonly tenants: TenantQueries,
    private readonly queries: NotificationQueries,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Publishes the oldest changes; `false` if there are none. @throws NotificationsUnusable; the errors of the stores */
  async publish(tenantId: string, settings: SettingsDocument): Promise<boolean> {
    const found = await this.queries.pending(tenantId, AT_ONCE_BYTES);
    const tenant = found.length > 0 ? await this.tenants.tenant(tenantId) : undefined;
    if (!tenant) return false;
    const topic = await this.resources.topic(settings.projectId, settings.topic);
    if (!topic) throw new NotificationsUnusable(await absenceOf(this.accounts, settings.projectId, `Topic ${settings.topic}`));
    const to = { ...topic, projectId: settings.projectId };
    const done: FoundNotice[] = [];
    let messages = 0;
    const sendAll = async (notices: readonly FoundNotice[]): Promise<void> => {
      for (const one of notices) {
        const { notice } = one;
        if (notice.epoch === settings.epoch) {
          await this.send(to, tenant.info.name, notice);
          messages += notice.changes.length;
        }
        done.push(one);
      }
    };
    const outcomes = await Promise.allSettled(byGroup(found).map(sendAll));
    await this.record(tenantId, done, messages);
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
    return true;
  }

  private async send(topic: PublishedTopic, tenant: string, notice: PendingNotice): Promise<void> {
    const key = sha256(`status notice ${notice.event} to ${topic.topicId}`);
    const context = {
      ...systemContext('status-watcher', 'messaging', this.clock(), causeOfNotice(notice)),
      idempotency: { key, body: key },
    };
    const messages = notice.changes.map((change) => ({
      data: Buffer.from(JSON.stringify(noticeOf(tenant, notice, change))).toString('base64'),
      attributes: attributesOf(change),
    }));
    const bytes = messages.reduce((sum, { data }) => sum + data.length, 0);
    try {
      await this.messaging.publish(context, topic, messages, bytes);
    } catch (error) {
      if (error instanceof MessagesRefused) throw new NotificationsUnusable(`The topic takes no notifications: ${error.message}`);
      throw error;
    }
  }

  private async record(tenantId: string, done: readonly FoundNotice[], messages: number): Promise<void> {
    const [first] = done;
    if (!first) return;
    await this.gateway.execute({
      stream: streamOfPublishedNotices(tenantId),
      decider: publishedNotices,
      context: systemContext('status-watcher', 'status', this.clock(), causeOfNotice(first.notice)),
      command: { tenantId, notices: done.map(({ position }) => position), messages },
    });
  }
}
