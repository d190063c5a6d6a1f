import { eventStoreContract } from '#test/contracts/event-store.contract.js';
import { openEmbeddedHarness } from '#test/support/embedded-log.js';

eventStoreContract('embedded', () => openEmbeddedHarness());
