import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { CLOCK, READ_STORE } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import { atomically } from '#infra/platform/coordination/own-namespace.js';
import type { Change, ReadStore } from '#projections/shared/read-store.js';
import { sessionIdOf } from './console-sessions.js';
import type { OpsCall } from './parameters.js';
import { ReadTrail } from './read-trail.js';

/** Own namespace of the read store, shared by threads and nodes. */
const NAME = 'ops.personal-names';
const COLLECTION = 'sessions';
const HOUR_MS = 3_600_000;
/** Sessions that this process caches. */
const MOST_KNOWN = 1_000;

/** Names of people are personal and shown all over the console. Reads are recorded once per session and hour (console contract 10). */
@Injectable()
export class PersonalNames {
  private readonly known = new LRUCache<string, Readonly<{ recorded: Promise<void>; at: number }>>({ max: MOST_KNOWN });

  constructor(
    @Inject(ReadTrail) private readonly reads: Pick<ReadTrail, 'record'>,
    @Inject(READ_STORE) private readonly store: ReadStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Returns whether the caller may see names of people. */
  isShownTo({ request }: OpsCall): boolean {
    return request.operator?.roles.includes('auditor') === true;
  }

  /** Resolves once it is recorded that the caller reads names of people. @throws ReadStoreUnavailable, the errors of `StreamProcessor` */
  record(call: OpsCall): Promise<void> {
    const session = sessionIdOf(call.request.headers) ?? hash('sha256', call.context.actor.id, 'hex');
    const known = this.known.get(session);
    if (known && this.isLately(known.at)) return known.recorded;
    const recorded = this.recordOnce(call, session);
    this.known.set(session, { recorded, at: this.clock() });
    recorded.catch(() => this.known.delete(session));
    return recorded;
  }

  /** The session is noted after its event: two nodes at once may record it twice, but a process that ends in between hides no read. */
  private async recordOnce({ context }: OpsCall, session: string): Promise<void> {
    const noted = await this.store.view(NAME).get(COLLECTION, session);
    if (noted && this.isLately(Number(noted))) return;
    await this.reads.record({ type: 'PersonalDataRead', data: { path: '/ops/names', query: {} } }, context);
    await this.note(session);
  }

  /** A note of a clock that was ahead ends, too. */
  private isLately(at: number): boolean {
    return Math.abs(this.clock() - at) < HOUR_MS;
  }

  private note(session: string): Promise<void> {
    const now = this.clock();
    return atomically(this.store, NAME, async (namespace, changes) => {
      const noted = await this.store.documents(namespace).range(COLLECTION, {});
      const past = noted.filter(({ value }) => !this.isLately(Number(value)));
      const put: Change = { kind: 'put', collection: COLLECTION, key: session, value: `${now}` };
      await this.store.commit(namespace, [...past.map(({ key }) => remove(key)), put], changes, changes + 1n);
    });
  }
}

const remove = (key: string): Change => ({ kind: 'delete', collection: COLLECTION, key });
