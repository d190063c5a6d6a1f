import { randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import { SERVICE_TOKEN } from '#test/e2e/messaging/calls.js';
import { weights } from '#test/e2e/status/contract.js';
import type { Deployment } from '#test/support/deployments.js';
import { untilReady } from '#test/support/eventually.js';
import { type LogbookProcess } from '#test/support/processes/logbook-process.js';
import { startServer } from '#test/support/server-host/hosted-server.js';
import { httpClient, recordsOf, statusClient } from '#test/support/status-client.js';

/** Key of the tenant that every log of these tests has. */
export const KEPT = 'kept-admin';
/** One key for all installations, so that only their logs tell them apart. */
const MASTER_KEY = { LOGBOOK_MASTER_KEY: randomBytes(32).toString('base64') };

/** A server that tests stop and start over changing stores, and calls to it. */
export class Scene {
  private running: LogbookProcess | undefined;

  constructor(
    readonly deployment: Deployment,
    readonly environment: Readonly<Record<string, string>> = {},
  ) {}

  get server(): LogbookProcess {
    if (!this.running) throw new Error('no server runs');
    return this.running;
  }

  get root() {
    return httpClient(this.server.url);
  }

  get status() {
    return statusClient(this.server.url);
  }

  /** Resolves when the server listens, which is before it is ready. */
  async start(): Promise<void> {
    this.running = await startServer({ ...this.deployment.environment, ...MASTER_KEY, ...this.environment });
  }

  async stop(): Promise<void> {
    await this.running?.stop();
    this.running = undefined;
  }

  ready() {
    return untilReady(this.root);
  }

  async restart(between: () => Promise<unknown> = async () => undefined): Promise<void> {
    await this.stop();
    await between();
    await this.start();
  }

  names = async (key: string): Promise<readonly unknown[]> => recordsOf(await this.status.get('/weights', { key })).map(({ name }) => name);

  create = (name: string, headers: Readonly<Record<string, string>> = {}) =>
    this.status.post('/weights', { key: KEPT, body: weights(name), headers });

  /** Creates a topic whose messages go to a subscription. */
  async createTopic(): Promise<void> {
    const key = SERVICE_TOKEN;
    expect((await this.root.post('/v1/projects/lab', { key, body: {} })).status).toBe(200);
    expect((await this.root.put('/v1/projects/lab/topics/news', { key, body: {} })).status).toBe(200);
    const body = { topic: 'projects/lab/topics/news' };
    expect((await this.root.put('/v1/projects/lab/subscriptions/reader', { key, body })).status).toBe(200);
  }

  /** Returns the id of the message: its offset in the topic. */
  async publish(text: string): Promise<string> {
    const body = { messages: [{ data: Buffer.from(text).toString('base64') }] };
    const { json } = await this.root.post('/v1/projects/lab/topics/news:publish', { key: SERVICE_TOKEN, body });
    return (json as { messageIds: string[] }).messageIds.join();
  }

  async pull(): Promise<readonly string[]> {
    const body = { maxMessages: '10', returnImmediately: 'true' };
    const { json } = await this.root.post('/v1/projects/lab/subscriptions/reader:pull', { key: SERVICE_TOKEN, body });
    const { receivedMessages } = json as { receivedMessages: readonly { message: { data: string } }[] };
    return receivedMessages.map(({ message }) => Buffer.from(message.data, 'base64').toString());
  }
}
