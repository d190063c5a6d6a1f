import { ACCOUNTED } from './accounting.js';
import { calling, chance, dayBefore, type Target, together, zulu } from './caller.js';
import { PROJECTS, TOPICS } from './messaging.js';
import type { Month, SetClock } from './month.js';
import { CHECKED } from './status.js';

type Message = Readonly<{ ackId: string; message: Readonly<{ messageId: string }> }>;
type Pulled = Readonly<{ receivedMessages: readonly Message[] }>;

const HOUR = 60;
/** A subscription that alerts wait in until somebody takes them; what nobody could take is in `not-taken`. */
const DUTY = 'duty-desk';
const ALERTS = 'alerts';
const NOT_TAKEN = 3;

const textOf = (topic: string, at: number): string =>
  topic === ALERTS
    ? JSON.stringify({ host: `storage-${1 + (at % 40)}.alpine.example.org`, metric: 'free-space', status: 'CRITICAL' })
    : JSON.stringify({ number: at, value: chance(topic, at) });

const messaging = ({ url, messagingKey }: Target) => {
  const call = calling(url, { 'x-api-key': messagingKey });
  let published = 0;
  const publish = (project: string, topic: string, count: number) => {
    const messages = Array.from({ length: count }, () => {
      published += 1;
      return { data: Buffer.from(textOf(topic, published)).toString('base64'), attributes: { type: topic, severity: 'high' } };
    });
    return call('POST', `/v1/projects/${project}/topics/${topic}:publish`, { messages });
  };
  const pull = async (project: string, subscription: string, count: number) => {
    const path = `/v1/projects/${project}/subscriptions/${subscription}:pull`;
    return (await call<Pulled>('POST', path, { maxMessages: `${count}`, returnImmediately: 'true' })).receivedMessages;
  };
  const acknowledge = async (project: string, subscription: string, messages: readonly Message[]) => {
    const ackIds = messages.map(({ ackId }) => ackId);
    if (ackIds.length > 0) await call('POST', `/v1/projects/${project}/subscriptions/${subscription}:acknowledge`, { ackIds });
  };
  return { call, publish, pull, acknowledge };
};

type Broker = ReturnType<typeof messaging>;

/** Some hours: busy by day, quiet by night, and no two the same. */
const busyness = (hour: number): number => 0.3 + 0.4 * (1 + Math.sin((hour * Math.PI) / 12)) + 0.5 * chance('hour', hour);

/** Messages that came in and were read in an hour, or a part of one. */
const traffic = async (broker: Broker, at: number, share: number): Promise<void> => {
  for (const project of PROJECTS)
    for (const [topic, messages] of TOPICS[project]) {
      const count = Math.round(messages * 0.2 * busyness(at) * share * (0.5 + chance(topic, at)));
      if (count === 0) continue;
      await broker.publish(project, topic, count);
      const reader = `${topic}-reader`;
      await broker.acknowledge(project, reader, await broker.pull(project, reader, Math.ceil(count * (0.7 + 0.4 * chance(reader, at)))));
    }
};

const DUTY_PATH = `/v1/projects/monitoring/subscriptions/${DUTY}`;

const openDuty = async ({ call }: Broker): Promise<void> => {
  await call('PUT', DUTY_PATH, {
    topic: `projects/monitoring/topics/${ALERTS}`,
    ackMode: 'message',
    ackDeadlineSeconds: 60,
    deadLetterPolicy: { deadLetterTopic: 'projects/monitoring/topics/not-taken', maxDeliveryAttempts: 5 },
    retryPolicy: { minimumBackoff: '0s', maximumBackoff: '0s' },
  });
  await call('POST', `${DUTY_PATH}:modifyAcl`, { authorized_users: ['monitoring-reader'] });
};

/** Alerts that were pulled five times and never acknowledged. */
const loseSome = async (broker: Broker, setClock: SetClock): Promise<void> => {
  await broker.publish('monitoring', ALERTS, NOT_TAKEN);
  for (let attempt = 0; attempt < 5; attempt += 1) {
    await setClock(50 - attempt);
    const messages = await broker.pull('monitoring', DUTY, NOT_TAKEN);
    await broker.call('POST', `${DUTY_PATH}:modifyAckDeadline`, { ackIds: messages.map(({ ackId }) => ackId), ackDeadlineSeconds: 0 });
  }
};

type Listed = Readonly<{ data: readonly Readonly<{ id: string }>[] }>;
type Made = Readonly<{ data: Readonly<{ id: string }> }>;

/** Changes by the administrator of the first tenant. */
const changesOf = ({ url }: Target, { tenants: [tenant] }: Month, now: number) => {
  const call = calling(`${url}/api/v2`, { 'x-api-key': tenant?.user ?? '' });
  const date = dayBefore(now, 0);
  const rules = (percent: number) => [{ metric: 'free-space', thresholds: `free=${percent}%;${percent}:100;10:${percent}` }];
  let thresholds = '';
  return {
    addThresholds: async () => {
      thresholds = (await call<Made>('POST', `/thresholds_profiles?date=${dayBefore(now, 3)}`, { name: 'free space', rules: rules(15) }))
        .data.id;
    },
    changeThresholds: () => call('PUT', `/thresholds_profiles/${thresholds}?date=${date}`, { name: 'free space', rules: rules(20) }),
    changeChecks: async () => {
      const [profile] = (await call<Listed>('GET', '/metric_profiles')).data;
      const description = 'What every endpoint is checked for, at all sites, every hour';
      await call('PUT', `/metric_profiles/${profile?.id}?date=${date}`, { name: 'checks', description, services: CHECKED });
    },
    /** New results of checks, all well. */
    measure: (at: number) =>
      call(
        'POST',
        '/metric_data',
        Array.from({ length: 4 + Math.round(20 * busyness(at)) }, (_, place) => {
          const [service, metrics] = Object.values(CHECKED[place % 3] ?? {}) as [string, readonly string[]];
          const host = `${service}-${12 * (place % 3) + (place % 12) + 1}.alpine.example.org`;
          return { timestamp: zulu(now - at * 60_000), service, host, metric: metrics[0] ?? '', status: 'OK', monitoring_host: 'monitor' };
        }),
      ),
  };
};

type Accounted = Readonly<{ content: readonly Readonly<Record<string, string>>[] }>;

const usage = async ({ url, accountingToken }: Target, now: number) => {
  const call = calling(`${url}/accounting-system`, { authorization: `Bearer ${accountingToken}` });
  const [installation] = (await call<Accounted>('GET', `/projects/${ACCOUNTED[0]}/installations`)).content;
  const [definition] = (await call<Accounted>('GET', '/metric-definitions')).content;
  const id = installation?.id ?? installation?.installation_id;
  return (minutesAgo: number) =>
    call('POST', `/installations/${id}/metrics`, {
      metric_definition_id: definition?.metric_definition_id ?? definition?.id,
      time_period_start: new Date(now - (minutesAgo + HOUR) * 60_000).toISOString(),
      time_period_end: new Date(now - minutesAgo * 60_000).toISOString(),
      value: Math.round(40 * busyness(minutesAgo / HOUR)),
      group_id: 'physics',
    });
};

/**
 * A day in which the installation of the month is used, hour by hour and at last every few minutes, by a server whose clock is set: so that pictures
 * show rates, backlogs of all ages, dead letters, and changes that are not all of the same minute.
 */
export const liveADay = async (target: Target, month: Month, setClock: SetClock, now = Date.now()): Promise<void> => {
  const broker = messaging(target);
  const changes = changesOf(target, month, now);
  const report = await usage(target, now);
  await setClock(24 * HOUR - 1);
  await openDuty(broker);
  const during: Readonly<Record<number, () => Promise<unknown>>> = {
    19: changes.addThresholds,
    9: changes.changeChecks,
    4: changes.changeThresholds,
    2: () => broker.call('POST', `${DUTY_PATH}:modifyAckDeadline`, { ackDeadlineSeconds: 120 }),
  };
  const readDuty = async (most: number) => broker.acknowledge('monitoring', DUTY, await broker.pull('monitoring', DUTY, most));
  for (let hour = 23; hour > 0; hour -= 1) {
    const minutes = hour * HOUR + Math.floor(HOUR * 0.7 * chance('minute', hour));
    await setClock(minutes);
    await traffic(broker, hour, 1);
    await readDuty(300);
    await changes.measure(minutes);
    await together(month.tenants, ({ measured }) => measured(now - minutes * 60_000));
    await report(minutes);
    await during[hour]?.();
  }
  await setClock(55);
  await loseSome(broker, setClock);
  for (let minutes = 43; minutes > 0; minutes -= 3) {
    await setClock(minutes);
    await traffic(broker, minutes, 0.4);
    await readDuty(2);
    if (minutes % 2 === 0) await changes.measure(minutes);
  }
  await setClock(0);
  await together(month.tenants, ({ measured }) => measured(now));
  await together(month.later, ({ work }) => work());
  await traffic(broker, 0, 0.4);
};
