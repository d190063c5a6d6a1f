import { Inject, Injectable } from '@nestjs/common';
import { PushAvailability } from '#api/messaging/push-availability.js';
import { OpenStreams } from '#api/messaging/streams/open-streams.js';
import type { Answered } from '#api/shared/openapi/described.js';
import { CLOCK } from '#api/shared/tokens.js';
import type { PushConfiguration } from '#domain/messaging/push/push-configuration.js';
import { withoutPushSecrets } from '#domain/messaging/push/push-secrets.js';
import type { Clock } from '#domain/shared/clock.js';
import { isJsonObject } from '#domain/shared/marks.js';
import type { Static } from '#domain/shared/shape.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { ResourceQueries, type SubscriptionDocument } from '#projections/messaging/resources/queries.js';
import type { TrafficQueries } from '#projections/messaging/traffic/queries.js';
import type { SourceOfTenant } from '#projections/status/metric-source/queries.js';
import { BacklogAges } from './backlog-ages.js';
import type { PUSH_SETTINGS, SETTINGS, SUBSCRIPTION } from './documentation.js';
import { PastTraffic } from './past-traffic.js';
import { deadLetterTopicOf, type KnownSubscription, SubscriptionRows } from './subscription-rows.js';

/** Host and channel: the path of the URL is a credential. */
const mattermostOf = ({ mattermostUrl, mattermostChannel }: PushConfiguration): string => {
  const host = URL.canParse(mattermostUrl) ? `at ${new URL(mattermostUrl).host}` : '';
  return ['Mattermost', mattermostChannel, host].filter((part) => part !== '').join(' ');
};

/** Endpoint of push settings: without the parts that may carry credentials (operations contract 4). Resolves to `null` for a pulled one. */
const pushSettingsOf = ({ push }: SubscriptionDocument): Static<typeof PUSH_SETTINGS> | null => {
  const shown = push && withoutPushSecrets(push);
  if (!push || !isJsonObject(shown)) return null;
  const { type, maxMessages, authorization, retryPolicy, verified, base64Decode } = push;
  const endpoint = type === 'mattermost' ? mattermostOf(push) : `${shown.pushEndpoint}`;
  return { type, endpoint, maxMessages, authorization: authorization.type || 'none', retryPolicy, verified, base64Decode };
};

/** Settings of a subscription with its defaults; `null`: none. Durations in seconds, periods of push in milliseconds. */
const settingsOf = (document: SubscriptionDocument): Static<typeof SETTINGS> => {
  const { options = {} } = document;
  const { filter, messageRetentionSeconds, deadLetterPolicy, retryPolicy, expiresAfterSeconds, labels } = options;
  return {
    createdAt: document.createdOn,
    ackDeadlineSeconds: document.ackDeadlineSeconds,
    filter: filter ?? null,
    messageRetentionSeconds: messageRetentionSeconds ?? null,
    enableMessageOrdering: options.enableMessageOrdering ?? false,
    enableExactlyOnceDelivery: options.enableExactlyOnceDelivery ?? false,
    deadLetterPolicy: deadLetterPolicy ?? null,
    retryPolicy: retryPolicy ?? null,
    expiresAfterSeconds: expiresAfterSeconds ?? null,
    labels: labels ?? {},
    push: pushSettingsOf(document),
  };
};

/** The page of a subscription (console contract 7). */
@Injectable()
export class SubscriptionState {
  constructor(
    private readonly rows: SubscriptionRows,
    private readonly ages: BacklogAges,
    private readonly past: PastTraffic,
    private readonly push: PushAvailability,
    private readonly streams: OpenStreams,
    private readonly accounts: AccountQueries,
    private readonly resources: ResourceQueries,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async of(projectId: string, document: SubscriptionDocument, sources: readonly SourceOfTenant[]): Promise<Answered<typeof SUBSCRIPTION>> {
    const [known] = await this.rows.known([{ projectId, document }]);
    if (!known) throw new Error('a subscription that was found is not known');
    const { name, topic, options } = document;
    const { cursor, here } = known;
    const published = known.topic && this.published(known.topic.topicId, known.standing.totals?.messages ?? 0);
    const delivered = this.delivered(known);
    const [backlog, lastHour, inNow, outNow, pushed, users, [letters], leased] = await Promise.all([
      this.ages.of(known.standing, here?.leases),
      this.past.lastHour({ published: published ?? { id: '', now: 0, read: async () => 0 }, delivered }),
      published ? this.past.perSecond(published) : 0,
      this.past.perSecond(delivered),
      this.push.stateOf(document),
      this.users(projectId, document),
      this.rows.deadLetters(projectId, [document], sources),
      this.rows.leased(known, this.clock()),
    ]);
    return {
      name,
      topic: { name: topic, exists: known.topic !== undefined },
      ackMode: options?.ackMode ?? 'cursor',
      backlog,
      lastHour,
      inNow,
      outNow,
      consumers: { streams: this.streams.ofSubscription(document.subscriptionId), waiting: here?.awaited.count ?? null },
      outstanding: leased,
      pulledAt: cursor.lastPull,
      push: pushed,
      settings: settingsOf(document),
      users,
      acknowledgedUpTo: cursor.offset > document.startOffset ? `${cursor.offset - 1}` : null,
      deadLetterTopic: deadLetterTopicOf(document, sources),
      deadLetters: letters ?? null,
      deadLettersKept: here?.deadLetters.areBlocked ?? null,
    };
  }

  private published(topicId: string, now: number) {
    return { id: topicId, now, read: async (traffic: TrafficQueries) => (await traffic.ofTopic(topicId))?.messages ?? 0 };
  }

  private delivered({ ref, cursor, here }: KnownSubscription) {
    return {
      id: ref.subscriptionId,
      now: Math.max(cursor.messages, here?.delivered ?? 0),
      read: async (traffic: TrafficQueries) => (await traffic.ofSubscription(ref))?.messages ?? 0,
    };
  }

  /** Names of the users in the ACL, in their order. */
  private async users(projectId: string, { subscriptionId }: SubscriptionDocument): Promise<readonly string[]> {
    const ids = await this.resources.acl(projectId, subscriptionId);
    const names = await this.accounts.namesOf(ids);
    return ids.flatMap((id) => names.get(id) ?? []);
  }
}
