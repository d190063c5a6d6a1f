import { makeAccounting } from './accounting.js';
import { makeMessaging } from './messaging.js';
import { Random } from './random.js';
import type { Size } from './size.js';
import { makeStatus } from './status.js';
import type { MadeTenant } from './tenant-data.js';

export { ADMINISTRATOR_KEY } from './status.js';

/** What was made up: documents by service and collection. */
export type MadeInstallation = Readonly<{
  documents: Readonly<Record<'messaging' | 'accounting' | 'status', Readonly<Record<string, number>>>>;
  tenants: readonly MadeTenant[];
}>;

/**
 * Writes files of mongoexport as an installation of this size would give them: `messaging`, `accounting` and `status` in the directory, each with a folder
 * for each database. The same size and seed make the same files.
 */
export const makeInstallation = async (directory: string, size: Size, seed = 1): Promise<MadeInstallation> => {
  const messaging = await makeMessaging(directory, size, new Random(seed));
  const accounting = await makeAccounting(directory, size, new Random(seed + 1));
  const { tenants, documents: status } = await makeStatus(directory, size, new Random(seed + 2));
  return { documents: { messaging, accounting, status }, tenants };
};
