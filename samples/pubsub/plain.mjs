/**
 * Google's Pub/Sub client with Logbook and nothing in between: the key is its access token. Publishes, pulls and acknowledges: `npm install && node
 * plain.mjs <project> <topic> <subscription>`. Environment: LOGBOOK_URL, MESSAGING_KEY (a token with rights on both).
 */
import { v1 } from '@google-cloud/pubsub';
import { OAuth2Client } from 'google-auth-library';

const { LOGBOOK_URL = 'http://127.0.0.1:8080', MESSAGING_KEY = '' } = process.env;
const [project = 'example', topic = 'news', subscription = 'reader'] = process.argv.slice(2);
const { protocol, hostname, port } = new URL(LOGBOOK_URL);
const authClient = new OAuth2Client();
authClient.setCredentials({ access_token: MESSAGING_KEY });
const options = {
  fallback: true, // REST
  protocol: protocol.slice(0, -1),
  servicePath: hostname,
  port: Number(port) || (protocol === 'https:' ? 443 : 80),
  authClient,
};
const names = { topic: `projects/${project}/topics/${topic}`, subscription: `projects/${project}/subscriptions/${subscription}` };

const publisher = new v1.PublisherClient(options);
const [{ messageIds }] = await publisher.publish({ topic: names.topic, messages: [{ data: Buffer.from('A is down') }] });
console.log('published', ...messageIds);

const subscriber = new v1.SubscriberClient(options);
const [{ receivedMessages }] = await subscriber.pull({ subscription: names.subscription, maxMessages: 10 });
for (const { message } of receivedMessages) console.log(`${message.messageId} ${message.data}`);
const [last] = receivedMessages.slice(-1); // a cursor: acknowledges all before it, too
if (last) await subscriber.acknowledge({ subscription: names.subscription, ackIds: [last.ackId] });
