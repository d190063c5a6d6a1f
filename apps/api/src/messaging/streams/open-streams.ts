import type { EventEmitter } from 'node:events';
import { Inject, Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import * as errors from '#api/messaging/errors.js';
import { LIMITS } from '#api/messaging/limits.js';
import { READS_ONLY } from '#api/shared/tokens.js';
import { Telemetry } from '#infra/edges/telemetry/telemetry.js';

/** A client that takes nothing for this time must not keep messages in memory. */
const IDLE_MS = 60_000;
/** A server that ends waits for clients so long at most. */
const ENDING_MS = 3_000;

/** A response as far as a stream is counted and cut off by it. */
interface OpenReply extends EventEmitter {
  shouldKeepAlive: boolean;
  readonly destroyed: boolean;
  destroy(): unknown;
}

const leave = (counts: Map<string, number>, id: string): void => {
  const left = (counts.get(id) ?? 1) - 1;
  if (left > 0) counts.set(id, left);
  else counts.delete(id);
};

/** The streams that are open in this process, those included that it passes on. */
@Injectable()
export class OpenStreams {
  private readonly ending = new AbortController();
  /** How many there are, by project. */
  private readonly counts = new Map<string, number>();
  /** How many there are, by subscription. */
  private readonly bySubscription = new Map<string, number>();
  private readonly replies = new Set<OpenReply>();

  constructor({ registry }: Telemetry, @Inject(READS_ONLY) readsOnly: boolean) {
    if (readsOnly) return;
    const { counts } = this;
    new Gauge({
      name: 'logbook_messaging_streams',
      help: 'Streams of messages that are open, as this process sends them',
      registers: [registry],
      collect() {
        this.set([...counts.values()].reduce((sum, count) => sum + count, 0));
      },
    });
  }

  /** Aborted when the server ends: streams say so to their clients, and end. */
  get ended(): AbortSignal {
    return this.ending.signal;
  }

  /** How many there are of a subscription. */
  ofSubscription(subscriptionId: string): number {
    return this.bySubscription.get(subscriptionId) ?? 0;
  }

  /**
   * A stream is to be sent: it is counted until its connection closes, which is cut off when the client takes nothing for a minute.
   * @returns what is to be called when the client has taken something @throws MessagingError the project has too many streams
   */
  open(projectId: string, reply: OpenReply, subscriptionId = ''): () => void {
    const { value, unit } = LIMITS.streamsPerProject;
    const count = this.counts.get(projectId) ?? 0;
    if (count >= value) throw errors.limitExceeded(`A project has at most ${value.toLocaleString('en-US')} ${unit}`);
    this.counts.set(projectId, count + 1);
    this.bySubscription.set(subscriptionId, this.ofSubscription(subscriptionId) + 1);
    this.replies.add(reply);
    reply.shouldKeepAlive = false; // the connection ends with the stream: a server that ends waits for none
    const idle = setTimeout(() => reply.destroy(), IDLE_MS).unref();
    const close = (): void => {
      clearTimeout(idle);
      this.replies.delete(reply);
      leave(this.counts, projectId);
      leave(this.bySubscription, subscriptionId);
    };
    if (reply.destroyed) close();
    else reply.once('close', close);
    return () => idle.refresh();
  }

  /** Called by Nest when the server ends, before it waits for requests under way. */
  onModuleDestroy(): void {
    this.ending.abort();
    const cutOff = (): void => {
      for (const reply of this.replies) reply.destroy();
    };
    setTimeout(cutOff, ENDING_MS).unref();
  }
}
