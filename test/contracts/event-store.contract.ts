import { describe } from '@jest/globals';
import { appendingContract } from '#test/contracts/event-store/appending.js';
import { closingContract } from '#test/contracts/event-store/closing.js';
import type { OpenEventStore } from '#test/contracts/event-store/fixture.js';
import { idempotencyContract } from '#test/contracts/event-store/idempotency.js';
import { readingContract } from '#test/contracts/event-store/reading.js';
import { retentionContract } from '#test/contracts/event-store/retention.js';
import { subscribingContract } from '#test/contracts/event-store/subscribing.js';

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
