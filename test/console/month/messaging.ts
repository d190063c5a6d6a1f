import { type Caller, calling, chance, type Target } from './caller.js';

export const PROJECTS = ['monitoring', 'usage-records'] as const;

/** Topics by project, with how many messages go through each. */
export const TOPICS: Readonly<Record<(typeof PROJECTS)[number], readonly (readonly [name: string, messages: number])[]>> = {
  monitoring: [
    ['metric-data', 240],
    ['alerts', 40],
    ['status-changes', 90],
  ],
  'usage-records': [
    ['cloud-usage', 120],
    ['grid-jobs', 160],
    ['storage-snapshots', 12],
  ],
};

const IN_A_CALL = 20;

const publish = async (call: Caller, project: string, topic: string, count: number): Promise<void> => {
  for (let first = 0; first < count; first += IN_A_CALL) {
    const messages = Array.from({ length: Math.min(IN_A_CALL, count - first) }, (_, at) => ({
      data: Buffer.from(JSON.stringify({ number: first + at, value: chance(topic, first + at) })).toString('base64'),
      attributes: { type: topic },
    }));
    await call('POST', `/v1/projects/${project}/topics/${topic}:publish`, { messages });
  }
};

type Pulled = Readonly<{ receivedMessages: readonly Readonly<{ ackId: string }>[] }>;

const consume = async (call: Caller, project: string, subscription: string, count: number): Promise<void> => {
  const path = `/v1/projects/${project}/subscriptions/${subscription}`;
  const { receivedMessages } = await call<Pulled>('POST', `${path}:pull`, { maxMessages: `${count}`, returnImmediately: 'true' });
  if (receivedMessages.length > 0) await call('POST', `${path}:acknowledge`, { ackIds: receivedMessages.map(({ ackId }) => ackId) });
};

const fillProject = async (call: Caller, project: (typeof PROJECTS)[number]): Promise<void> => {
  await call('POST', `/v1/projects/${project}`, { description: project === 'monitoring' ? 'Checks of the sites' : 'Usage of the sites' });
  for (const user of ['publisher', 'reader'])
    await call('POST', `/v1/users/${project}-${user}`, {
      email: `${project}-${user}@example.org`,
      projects: [{ project, roles: [user === 'reader' ? 'consumer' : 'publisher'] }],
    });
  for (const [topic, messages] of TOPICS[project]) {
    await call('PUT', `/v1/projects/${project}/topics/${topic}`, {});
    const reader = `${topic}-reader`;
    const reference = { topic: `projects/${project}/topics/${topic}` };
    await call('PUT', `/v1/projects/${project}/subscriptions/${reader}`, { ...reference, ackDeadlineSeconds: 30 });
    await call('PUT', `/v1/projects/${project}/subscriptions/${topic}-archive`, reference);
    await publish(call, project, topic, messages);
    await consume(call, project, reader, Math.floor(messages * 0.9));
    for (const seconds of [60, 120, 300])
      await call('POST', `/v1/projects/${project}/subscriptions/${reader}:modifyAckDeadline`, { ackDeadlineSeconds: seconds });
  }
  await call('POST', `/v1/projects/${project}/topics/${TOPICS[project][0]?.[0]}:modifyAcl`, { authorized_users: [`${project}-publisher`] });
  await call('PUT', `/v1/projects/${project}/topics/not-taken`, {});
  await call('PUT', `/v1/projects/${project}/subscriptions/workers`, {
    topic: `projects/${project}/topics/${TOPICS[project][1]?.[0]}`,
    ackMode: 'message',
    deadLetterPolicy: { deadLetterTopic: `projects/${project}/topics/not-taken`, maxDeliveryAttempts: 5 },
  });
  await call('PUT', `/v1/projects/${project}/subscriptions/alarm-desk`, {
    topic: `projects/${project}/topics/${TOPICS[project][1]?.[0]}`,
    pushConfig: { type: 'http_endpoint', pushEndpoint: 'https://desk.example.org/alarms', maxMessages: 10 },
  });
};

/** Two projects with topics that are published to and read from, with a backlog here and there. */
export const fillMessaging = async ({ url, messagingKey }: Target): Promise<void> => {
  const call = calling(url, { 'x-api-key': messagingKey });
  for (const project of PROJECTS) await fillProject(call, project);
};
