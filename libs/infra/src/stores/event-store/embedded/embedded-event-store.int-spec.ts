import { eventStoreContract } from '#test/contracts/event-store.contract.js';
import { openEmbeddedHarness } from '#test/support/event-stores/embedded-log.js';

eventStoreContract('embedded', () => openEmbeddedHarness());
