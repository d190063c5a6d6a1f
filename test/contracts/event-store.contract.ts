import { describe } from '@jest/globals';
import { appendingContract } from './event-store/appending.js';
import { closingContract } from './event-store/closing.js';
import type { OpenEventStore } from './event-store/fixture.js';
import { idempotencyContract } from './event-store/idempotency.js';
import { readingContract } from './event-store/reading.js';
import { retentionContract } from './event-store/retention.js';
import { subscribingContract } from './event-store/subscribing.js';

/** What every adapter of the port `EventStore` must do. `open` is called once per test; the log behind it may be shared by all of them. */
export const eventStoreContract = (name: string, open: OpenEventStore): void =>
  describe(`event store: ${name}`, () => {
    describe('appending', () => appendingContract(open));
    describe('idempotency', () => idempotencyContract(open));
    describe('reading', () => readingContract(open));
    describe('subscribing', () => subscribingContract(open));
    describe('truncation and retention', () => retentionContract(open));
    describe('closing', () => closingContract(open));
  });
