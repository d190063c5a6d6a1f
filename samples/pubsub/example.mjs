/**
 * Google's Pub/Sub client with Logbook: publishes, pulls, gives back, pulls again, acknowledges: `npm install && node example.mjs <project>`.
 * Environment: LOGBOOK_URL, MESSAGING_KEY (a token with the role project_admin: it creates a topic and a subscription, and deletes both).
 */
import { logbookClients } from './logbook.mjs';

const { LOGBOOK_URL = 'http://127.0.0.1:8080', MESSAGING_KEY = '' } = process.env;
const [project = 'example'] = process.argv.slice(2);
const { pubsub, subscriber } = logbookClients(LOGBOOK_URL, MESSAGING_KEY, project);

const [topic] = await pubsub.createTopic('pubsub-example');
const [{ name: subscription }] = await topic.createSubscription('pubsub-example', { filter: 'attributes:site', ackDeadlineSeconds: 30 });

const pull = async () => {
  const [{ receivedMessages }] = await subscriber.pull({ subscription, maxMessages: 1 });
  for (const { message, deliveryAttempt } of receivedMessages)
    console.log(`${message.messageId} ${message.data}, attempt ${deliveryAttempt}`);
  return receivedMessages.map(({ ackId }) => ackId);
};

for (const site of ['A', 'B'])
  console.log('published', await topic.publishMessage({ data: Buffer.from(`${site} is down`), attributes: { site } }));
await topic.publishMessage({ data: Buffer.from('not for this subscription') });

await subscriber.modifyAckDeadline({ subscription, ackIds: await pull(), ackDeadlineSeconds: 0 });
await subscriber.acknowledge({ subscription, ackIds: await pull() });
await subscriber.acknowledge({ subscription, ackIds: await pull() });

await pubsub.subscription(subscription).delete();
await topic.delete();
