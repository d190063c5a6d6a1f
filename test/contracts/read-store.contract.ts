import { describe } from '@jest/globals';
import { appendingContract } from '#test/contracts/read-store/appending.js';
import { bulkContract } from '#test/contracts/read-store/bulk.js';
import { committingContract } from '#test/contracts/read-store/committing.js';
import type { OpenReadStore } from '#test/contracts/read-store/fixture.js';
import { listingContract } from '#test/contracts/read-store/listing.js';
import { namespacesContract } from '#test/contracts/read-store/namespaces.js';
import { notificationsContract } from '#test/contracts/read-store/notifications.js';
import { orderContract } from '#test/contracts/read-store/order.js';
import { readingContract } from '#test/contracts/read-store/reading.js';
import { sequencesContract } from '#test/contracts/read-store/sequences.js';
import { tokensContract } from '#test/contracts/read-store/tokens.js';

/** What every adapter of the port `ReadStore` must do. `open` is called once per test and gives an empty store. */
export const readStoreContract = (name: string, open: OpenReadStore): void =>
  describe(`read store: ${name}`, () => {
    describe('reading', () => readingContract(open));
    describe('order of keys', () => orderContract(open));
    describe('committing', () => committingContract(open));
    describe('adding to texts', () => appendingContract(open));
    describe('lists', () => listingContract(open));
    describe('many documents at once', () => bulkContract(open));
    describe('tokens', () => tokensContract(open));
    describe('namespaces', () => namespacesContract(open));
    describe('notifications', () => notificationsContract(open));
    describe('any sequence of calls', () => sequencesContract(open));
  });
