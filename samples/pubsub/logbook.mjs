import { PubSub, v1 } from '@google-cloud/pubsub';

/** Logbook names topics and subscriptions with a slash in front, as AMS does. */
const withoutSlash = (_, value) => (typeof value === 'string' && value.startsWith('/projects/') ? value.slice(1) : value);

/** A body as Logbook takes it: a lease for each message, pulls that wait, and no `tags`, which Logbook does not have. */
const bodyFor = (method, path, { tags: _, ...body }) => {
  if (method === 'PUT' && path.includes('/subscriptions/')) return { ...body, ackMode: 'message' };
  if (path.endsWith(':pull')) return { returnImmediately: false, ...body };
  return body;
};

/** A refusal that is not Logbook's, but of a proxy before it, in the client's own form: so it knows by the status whether a repeat may help. */
const refusalOf = ({ status, statusText }) => Response.json({ error: { code: status, message: `${status} ${statusText}` } }, { status });

/** Sends the requests of Google's client, in the place of its authentication. */
const transport = (key) => ({
  getClient: async () => ({}), // asked for credentials, of which there are none besides the key
  fetch: async (url, { method, headers, body, signal }) => {
    const sent = new Headers(headers);
    sent.set('x-api-key', key);
    const path = new URL(url).pathname;
    const answer = await fetch(url, {
      method,
      headers: sent,
      signal,
      ...(body !== undefined && { body: JSON.stringify(bodyFor(method, path, JSON.parse(body))) }),
    });
    const text = await answer.text();
    if (!answer.ok && !answer.headers.get('content-type')?.includes('json')) return refusalOf(answer);
    if (answer.ok && text === '') return new Response(null, { status: 204 }); // no other status may come without a body
    const json = path.endsWith(':pull') ? text : JSON.stringify(JSON.parse(text, withoutSlash)); // messages stay as they are
    return new Response(json, { status: answer.status });
  },
});

/**
 * Clients of `@google-cloud/pubsub` that speak with Logbook: `pubsub` publishes and administers, `subscriber` pulls, acknowledges and gives back.
 * @param url address of Logbook
 * @param key token of a member of the project
 */
export const logbookClients = (url, key, projectId) => {
  const { protocol, hostname, port } = new URL(url);
  const options = {
    projectId,
    fallback: true, // REST
    protocol: protocol.slice(0, -1),
    servicePath: hostname,
    port: Number(port) || (protocol === 'https:' ? 443 : 80),
    auth: transport(key),
  };
  return { pubsub: new PubSub(options), subscriber: new v1.SubscriberClient(options) };
};
