import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventCatalogue } from '#domain/shared/catalogue.js';
import { type Decider, DomainError } from '#domain/shared/decider.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { EventCodec } from '#infra/stores/event-codec/event-codec.js';
import { openEmbeddedEventStore } from '#infra/stores/event-store/embedded/embedded-event-store.js';
import { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';

/** A small decider for tests: a list of guests with unique names, and a counter. */
export type GuestEvent =
  | Readonly<{ type: 'GuestInvited'; data: Readonly<{ name: string; by: string; seats: number[] }> }>
  | Readonly<{ type: 'GuestLeft'; data: Readonly<{ name: string }> }>
  | Readonly<{ type: 'Counted'; data: Readonly<{ total: number }> }>;

export type GuestCommand =
  | Readonly<{ type: 'Invite'; name: string; by?: string }>
  | Readonly<{ type: 'Leave'; name: string }>
  /** Counts `times` times, each an event. */
  | Readonly<{ type: 'Count'; times: number; padding?: string }>;

/** Seats are kept as they came in the event and changed in place: what `evolve` is allowed to do, and what must not reach the log. */
type GuestState = { guests: Map<string, { seats: number[] }>; total: number };

/** Rejects with `NAME_TAKEN`, `NOT_INVITED`. Counting by 0 changes nothing. */
export const guestList: Decider<GuestState, GuestCommand, GuestEvent> = {
  initialState: () => ({ guests: new Map(), total: 0 }),
  decide: (command, state) => {
    switch (command.type) {
      case 'Invite': {
        if (state.guests.has(command.name)) throw new DomainError('NAME_TAKEN');
        const { name, by = 'host' } = command;
        return [{ type: 'GuestInvited', data: { name, by, seats: [state.total] } }];
      }
      case 'Leave':
        if (!state.guests.has(command.name)) throw new DomainError('NOT_INVITED');
        return [{ type: 'GuestLeft', data: { name: command.name } }];
      case 'Count':
        return Array.from({ length: command.times }, (_, n) => {
          const total = state.total + n + 1;
          return { type: 'Counted', data: command.padding === undefined ? { total } : { total, padding: command.padding } };
        });
    }
  },
  evolve: (state, event) => {
    switch (event.type) {
      case 'GuestInvited': {
        const { name, seats } = event.data;
        for (const guest of state.guests.values()) guest.seats.push(-1);
        state.guests.set(name, { seats: [...seats] }); // the event stays as it is
        return state;
      }
      case 'GuestLeft':
        state.guests.delete(event.data.name);
        return state;
      case 'Counted':
        state.total = event.data.total;
        return state;
    }
  },
};

const guestEvents: EventCatalogue = { GuestInvited: {}, GuestLeft: {}, Counted: {} };

export const contextAt = (time: string, idempotency?: CommandContext['idempotency']): CommandContext => ({
  time,
  actor: { kind: 'user', id: 'u1' },
  service: 'status',
  requestId: 'r1',
  correlationId: 'c1',
  causationId: 'r1',
  ...(idempotency && { idempotency }),
});

export type TestLog = Readonly<{ path: string; masterKey: Buffer; close(): Promise<void> }> &
  Readonly<{ store: EventStore; codec: EventCodec }>;

/** An embedded log in a directory of its own, which `close` removes; or the log of `other` with a codec of its own, as another process has. */
export const openTestLog = async (other?: TestLog): Promise<TestLog> => {
  const path = other?.path ?? mkdtempSync(join(tmpdir(), 'logbook-processor-'));
  const masterKey = other?.masterKey ?? randomBytes(32);
  const store = other?.store ?? openEmbeddedEventStore({ path });
  const codec = await guestCodec(store, masterKey);
  const close = async (): Promise<void> => {
    if (other) return;
    await store.close();
    rmSync(path, { recursive: true, force: true });
  };
  return { path, masterKey, store, codec, close };
};

export const guestCodec = async (store: EventStore, masterKey: Buffer): Promise<EventCodec> =>
  new EventCodec({ 'test.guests': guestEvents }, await SubjectKeys.open({ store, masterKey }));

/** All readable events of a stream. */
export const readAllOf = async (store: EventStore, stream: string): Promise<readonly RecordedEvent[]> => {
  const events: RecordedEvent[] = [];
  for (;;) {
    const page = await store.readStream(stream, { from: (events.at(-1)?.revision ?? -1n) + 1n, limit: 1_000 });
    if (page.length === 0) return events;
    events.push(...page);
  }
};
