import { describe } from '@jest/globals';
import { appendingContract } from '#test/contracts/read-store/appending.js';
import { bulkContract } from '#test/contracts/read-store/bulk.js';
import { committingContract } from '#test/contracts/read-store/committing.js';
import { type OpenReadStore, useReadStore } from '#test/contracts/read-store/fixture.js';
import { listingContract } from '#test/contracts/read-store/listing.js';
import { namespacesContract } from '#test/contracts/read-store/namespaces.js';
import { notificationsContract } from '#test/contracts/read-store/notifications.js';
import { orderContract } from '#test/contracts/read-store/order.js';
import { readingContract } from '#test/contracts/read-store/reading.js';
import { sequencesContract } from '#test/contracts/read-store/sequences.js';

/** What every adapter of the port `ReadStore` must do. `open` is called once per test and gives an empty store. */
export const readStoreContract = (name: string, open: OpenReadStore): void =>
  describe(`read store: ${name}`, () => {
    const harness = useReadStore(open);
    describe('reading', () => readingContract(harness));
    describe('order of keys', () => orderContract(harness));
    describe('committing', () => committingContract(harness));
    describe('adding to texts', () => appendingContract(harness));
    describe('lists', () => listingContract(harness));
    describe('many documents at once', () => bulkContract(harness));
    describe('namespaces', () => namespacesContract(harness));
    describe('notifications', () => notificationsContract(harness));
    describe('any sequence of calls', () => sequencesContract(open));
  });
