import { Injectable } from '@nestjs/common';
import * as errors from '#api/messaging/errors.js';
import { LIMITS } from '#api/messaging/limits.js';

/** The streams that are open in this process. */
@Injectable()
export class OpenStreams {
  private readonly ending = new AbortController();
  /** How many there are, by project. */
  private readonly counts = new Map<string, number>();

  /** Aborted when the server ends: streams say so to their clients, and end. */
  get ended(): AbortSignal {
    return this.ending.signal;
  }

  /** @returns what is to be called once when the stream is closed @throws MessagingError the project has too many streams */
  open(projectId: string): () => void {
    const { value, unit } = LIMITS.streamsPerProject;
    const count = this.counts.get(projectId) ?? 0;
    if (count >= value) throw errors.limitExceeded(`A project has at most ${value.toLocaleString('en-US')} ${unit}`);
    this.counts.set(projectId, count + 1);
    return () => {
      const left = (this.counts.get(projectId) ?? 1) - 1;
      if (left > 0) this.counts.set(projectId, left);
      else this.counts.delete(projectId);
    };
  }

  /** Called by Nest when the server ends, before it waits for requests under way. */
  onModuleDestroy(): void {
    this.ending.abort();
  }
}
