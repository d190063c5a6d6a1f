import type { EventEmitter } from 'node:events';
import { Inject, Injectable } from '@nestjs/common';
import * as errors from '#api/messaging/errors.js';
import { LIMITS } from '#api/messaging/limits.js';
import { readGauge } from '#api/ops-kit/looked-up.js';
import { READS_ONLY } from '#api/shared/tokens.js';
import { Telemetry } from '#infra/edges/telemetry/telemetry.js';

/** A client that takes nothing for this time is disconnected: it must not keep messages in memory. */
const IDLE_MS = 60_000;
/** Longest wait for clients when the server ends. */
const ENDING_MS = 3_000;

/** Part of a response that counting and cutting off a stream needs. */
interface OpenReply extends EventEmitter {
  shouldKeepAlive: boolean;
  readonly destroyed: boolean;
  /** Bytes that wait for the client. */
  readonly writableLength: number;
  destroy(): unknown;
}

const leave = (counts: Map<string, number>, id: string): void => {
  const left = (counts.get(id) ?? 1) - 1;
  if (left > 0) counts.set(id, left);
  else counts.delete(id);
};

/** Open streams of this process, including those passed on from other nodes. */
@Injectable()
export class OpenStreams {
  private readonly ending = new AbortController();
  /** Number of streams by project. */
  private readonly counts = new Map<string, number>();
  /** Number of streams by subscription. */
  private readonly bySubscription = new Map<string, number>();
  private readonly replies = new Set<OpenReply>();

  constructor({ registry }: Telemetry, @Inject(READS_ONLY) readsOnly: boolean) {
    if (readsOnly) return;
    const { counts } = this;
    readGauge(registry, 'messaging_streams', 'Streams of messages that are open, as this process sends them', () =>
      [...counts.values()].reduce((sum, count) => sum + count, 0),
    );
  }

  /** Aborted when the server ends: streams notify their clients and end. */
  get ended(): AbortSignal {
    return this.ending.signal;
  }

  /** Number of streams of a subscription. */
  ofSubscription(subscriptionId: string): number {
    return this.bySubscription.get(subscriptionId) ?? 0;
  }

  /**
   * Counts a stream until its connection closes. The connection is cut off if the client takes nothing for a minute.
   * @returns to be called whenever the client has taken something @throws MessagingError the project has too many streams
   */
  open(projectId: string, reply: OpenReply, subscriptionId = ''): () => void {
    const { value, unit } = LIMITS.streamsPerProject;
    const count = this.counts.get(projectId) ?? 0;
    if (count >= value) throw errors.limitExceeded(`A project has at most ${value.toLocaleString('en-US')} ${unit}`);
    this.counts.set(projectId, count + 1);
    this.bySubscription.set(subscriptionId, this.ofSubscription(subscriptionId) + 1);
    this.replies.add(reply);
    reply.shouldKeepAlive = false; // the connection ends with the stream, so that an ending server need not wait for it
    const look = (): void => {
      if (reply.writableLength > 0) reply.destroy();
      else idle.refresh(); // the stream itself waits for messages or memory
    };
    const idle = setTimeout(look, IDLE_MS).unref();
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

  /** Called by Nest when the server ends, before it waits for open requests. */
  onModuleDestroy(): void {
    this.ending.abort();
    const cutOff = (): void => {
      for (const reply of this.replies) reply.destroy();
    };
    setTimeout(cutOff, ENDING_MS).unref();
  }
}
