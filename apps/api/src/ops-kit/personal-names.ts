import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Position } from '#domain/shared/events.js';
import { sessionIdOf } from './console-sessions.js';
import type { OpsCall } from './parameters.js';
import { ReadTrail } from './read-trail.js';

/** Sessions that show names at a time; the one that has not for longest is recorded again. */
const MOST_SESSIONS = 10_000;
const HOUR_MS = 3_600_000;

/** Names of people are personal data that stand all over the console: who reads them is on record once a session and hour (console contract 10). */
@Injectable()
export class PersonalNames {
  private readonly recorded = new LRUCache<string, Promise<Position>>({ max: MOST_SESSIONS, ttl: HOUR_MS });

  constructor(private readonly reads: ReadTrail) {}

  /** Whether the caller is shown names of people. */
  isShownTo({ request }: OpsCall): boolean {
    return request.operator?.roles.includes('auditor') === true;
  }

  /** Resolves when the log has it that the caller reads names of people. @throws the errors of `StreamProcessor` */
  async record({ request, context }: OpsCall): Promise<void> {
    const session = `${context.actor.id} ${sessionIdOf(request.headers) ?? ''}`;
    let recording = this.recorded.get(session);
    if (!recording) {
      recording = this.reads.record({ type: 'PersonalDataRead', data: { path: '/ops/names', query: {} } }, context);
      this.recorded.set(session, recording);
      recording.catch(() => this.recorded.delete(session));
    }
    await recording;
  }
}
