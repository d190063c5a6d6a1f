import { Agent, request as ask, type IncomingMessage } from 'node:http';
import { request as askSecurely, Agent as SecureAgent } from 'node:https';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import * as errors from '#api/messaging/errors.js';
import { Answer } from '#api/shared/http/answer.js';
import { correlationIdOf, receivedBodyOf } from '#api/shared/http/request-context.js';
import { PASSED_ON } from '#api/shared/http/role-elsewhere.js';
import type { ServerCertificate } from '#api/shared/http/tls/server-certificate.js';
import { CERTIFICATE, CONFIGURATION, LIVE_CLOCK, LIVE_READ_STORE, LOGGER } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import { seemsAlive } from '#infra/platform/coordination/lease.js';
import { SeatBook, type SeatHolder } from '#infra/platform/coordination/seats/seat-book.js';
import { type Seat, Seats } from '#infra/platform/coordination/seats/seats.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import type { ReadStore } from '#projections/shared/read-store.js';

/** Namespace of the seats of nodes that serve subscriptions. */
const SEATS = 'messaging.servers';
/** Time that a call waits for the seat of a node that is gone. */
const SEAT_MS = 5_000;
/** Pause between two checks whether another node has taken it. */
const LOOK_MS = 50;
/** Nodes without a heartbeat for so long get no requests. */
const SILENCE_MS = 3_000;
/** Time for which the node of a subscription is cached. */
const BELIEVED_MS = 1_000;
const MOST_BELIEVED = 10_000;
/** Longer than the wait of a pull. */
const ANSWER_MS = 45_000;

const KEPT = { keepAlive: true, maxFreeSockets: 256 };

/** Headers of the client that the other node needs. */
const PASSED = ['x-api-key', 'authorization', 'content-type', 'idempotency-key', 'traceparent', 'origin'];
/** Response headers that every node sets for itself, or that belong to the connection. */
const OWN = new Set(['connection', 'keep-alive', 'date', 'transfer-encoding', 'x-request-id', 'x-correlation-id', 'vary']);

const isUnreachable = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'ETIMEDOUT'].includes(String(error.code));

/** Prefix of the address of a node that speaks https; others have no scheme. */
const SECURE = 'https://';

/** An address under which other nodes reach this one: that on which it listens or, if it listens on all, its first one in the network. */
const addressIn = (url: string, host: string): string => `${url.startsWith(SECURE) ? SECURE : ''}${hostIn(url, host)}`;

const hostIn = (url: string, host: string): string => {
  const { port } = new URL(url);
  if (host !== '0.0.0.0' && host !== '::') return new URL(url).host;
  const found = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4');
  const address = found?.address ?? '127.0.0.1';
  return isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`;
};

/** Another node has begun to serve the subscription and has to be asked instead. */
export class ServedElsewhere extends Error {
  override readonly name = 'ServedElsewhere';

  constructor() {
    super('another node serves the subscription');
  }
}

/**
 * Finds the node that serves a subscription: with several nodes, the one that holds its seat. Calls that reach another node are forwarded
 * unchanged to its HTTP server.
 */
@Injectable()
export class ServingNodes {
  private readonly agent = new Agent(KEPT);
  private readonly secureAgent = new SecureAgent(KEPT);
  private readonly believed = new LRUCache<string, string>({ max: MOST_BELIEVED, ttl: BELIEVED_MS });
  /** Nodes that could not be reached lately: they may have gone. */
  private readonly unreachable = new LRUCache<string, true>({ max: 100, ttl: SEAT_MS });
  /** Last beats of nodes, and when they were first seen. `ahead`: milliseconds that the clock of the node is ahead of this one, once two beats were seen. */
  private readonly beats = new LRUCache<string, Readonly<{ beats: number; since: number; ahead: number }>>({ max: 100 });
  private seats: Seats | undefined;
  private address = '';

  constructor(
    @Inject(LIVE_READ_STORE) private readonly store: ReadStore,
    @Inject(LIVE_CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
    @Inject(CONFIGURATION) private readonly configuration: Pick<Configuration, 'redisUrl' | 'host'>,
    @Inject(CERTIFICATE) private readonly certificate: ServerCertificate | null,
  ) {}

  /** To be called once this node listens. With embedded read models no other node can serve. @param url address on which it listens */
  start(url: string): void {
    const { store, log, clock: now } = this;
    const { host, redisUrl } = this.configuration;
    if (redisUrl === undefined) return;
    this.address = addressIn(url, host);
    this.seats = new Seats({ store, name: SEATS, node: this.address, log, now });
  }

  /**
   * The right to serve a subscription; `undefined` if no other node could take it.
   * @throws ServedElsewhere another node has it; MessagingError (not ready) it is not available
   */
  async take(subscriptionId: string): Promise<Seat | undefined> {
    if (!this.seats && this.configuration.redisUrl !== undefined) throw errors.notReady(); // before the start others may have it
    if (!this.seats) return undefined;
    this.believed.delete(subscriptionId);
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(errors.notReady()), SEAT_MS);
    try {
      const seat = this.seats.take(subscriptionId, over.signal);
      void this.lookUntil(over.signal, subscriptionId).then(
        (elsewhere) => over.abort(elsewhere),
        () => undefined,
      );
      return await seat;
    } finally {
      clearTimeout(timer);
      over.abort();
    }
  }

  /** Returns whether another node is known to serve the subscription. */
  async isElsewhere(subscriptionId: string): Promise<boolean> {
    if (!this.seats) return false;
    const address = this.believed.get(subscriptionId) ?? (await this.holder(subscriptionId));
    return address !== undefined && address !== this.address;
  }

  /** The answer of the node that serves the subscription; `undefined` if no other node is known to. */
  async answerOfOther(subscriptionId: string, request: FastifyRequest, reply: FastifyReply): Promise<Answer | undefined> {
    const address = this.believed.get(subscriptionId) ?? (await this.holder(subscriptionId));
    if (address === undefined || address === this.address) return undefined;
    if (request.headers[PASSED_ON] !== undefined) throw errors.notReady();
    this.believed.set(subscriptionId, address);
    try {
      const answer = await this.pass(address, request, reply);
      if (answer.statusCode === 503) this.believed.delete(subscriptionId);
      return answerFrom(answer);
    } catch (error) {
      this.believed.delete(subscriptionId);
      if (isUnreachable(error)) {
        this.unreachable.set(address, true);
        return undefined;
      }
      this.log.warn({ err: error, node: address }, 'the node that serves a subscription does not answer');
      throw errors.notReady();
    }
  }

  /** Called by Nest after the last request. */
  async onApplicationShutdown(): Promise<void> {
    this.agent.destroy();
    this.secureAgent.destroy();
    await this.seats?.close();
  }

  private async holder(subscriptionId: string): Promise<string | undefined> {
    const member = await SeatBook.holder(this.store, SEATS, subscriptionId);
    return member && this.isAlive(member) && !this.unreachable.has(member.node) ? member.node : undefined;
  }

  /** The clocks of two nodes may differ: a beat that comes soon after another one shows by how much. */
  private isAlive(member: SeatHolder): boolean {
    const { id, beats, beatAt } = member;
    const known = this.beats.get(id);
    const [now, clock] = [performance.now(), this.clock()];
    const isNew = known?.beats !== beats;
    const ahead = isNew && known && now - known.since < SILENCE_MS ? beatAt - clock : (known?.ahead ?? 0);
    if (isNew) this.beats.set(id, { beats, since: now, ahead });
    return seemsAlive(member, SILENCE_MS, clock + ahead);
  }

  /** Resolves as soon as another node has the seat. Rejects on the signal. */
  private async lookUntil(signal: AbortSignal, subscriptionId: string): Promise<ServedElsewhere> {
    for (;;) {
      await sleep(LOOK_MS, undefined, { signal });
      const holder = await this.holder(subscriptionId);
      if (holder !== undefined && holder !== this.address) return new ServedElsewhere();
    }
  }

  private pass(address: string, request: FastifyRequest, { raw }: FastifyReply): Promise<IncomingMessage> {
    const { method, url } = request; // in the form of a path, even if the client sent the whole address
    const body = receivedBodyOf(request)?.bytes;
    const headers: Record<string, string | number> = {
      [PASSED_ON]: '1',
      'x-request-id': request.id,
      'x-correlation-id': correlationIdOf(request),
      'content-length': body?.length ?? 0,
    };
    for (const name of PASSED) {
      const value = request.headers[name];
      if (typeof value === 'string') headers[name] = value;
    }
    return new Promise((resolve, reject) => {
      const over = new AbortController();
      const timer = setTimeout(() => over.abort(), ANSWER_MS);
      const answered = (answer: IncomingMessage): void => {
        if (answer.headers['content-type']?.startsWith('text/event-stream')) clearTimeout(timer); // has no end
        resolve(answer);
      };
      const options = { method, headers, signal: over.signal };
      const asked = address.startsWith(SECURE)
        ? askSecurely(`${address}${url}`, { ...options, ...this.certificate?.peerOptions, agent: this.secureAgent }, answered)
        : ask(`http://${address}${url}`, { ...options, agent: this.agent }, answered);
      asked.once('close', () => {
        clearTimeout(timer);
        reject(new Error('the connection was closed without an answer')); // after 101 nothing else is emitted
      });
      asked.once('error', reject);
      const close = (): void => {
        if (!raw.writableFinished) asked.destroy();
      };
      asked.end(body);
      if (raw.destroyed) close();
      else raw.once('close', close);
    });
  }
}

const answerFrom = (answer: IncomingMessage): Answer => {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(answer.headers)) if (!OWN.has(name) && typeof value === 'string') headers[name] = value;
  return new Answer(answer, { status: answer.statusCode ?? 503, headers });
};
