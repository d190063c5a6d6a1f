import { describe } from '@jest/globals';
import { bulkContract } from './read-store/bulk.js';
import { committingContract } from './read-store/committing.js';
import type { OpenReadStore } from './read-store/fixture.js';
import { marksContract } from './read-store/marks.js';
import { namespacesContract } from './read-store/namespaces.js';
import { notificationsContract } from './read-store/notifications.js';
import { orderContract } from './read-store/order.js';
import { readingContract } from './read-store/reading.js';

/** What every adapter of the port `ReadStore` must do. `open` is called once per test and gives an empty store. */
export const readStoreContract = (name: string, open: OpenReadStore): void =>
  describe(`read store: ${name}`, () => {
    describe('reading', () => readingContract(open));
    describe('order of keys', () => orderContract(open));
    describe('committing', () => committingContract(open));
    describe('a lot at once', () => bulkContract(open));
    describe('marks', () => marksContract(open));
    describe('namespaces', () => namespacesContract(open));
    describe('notifications', () => notificationsContract(open));
  });
