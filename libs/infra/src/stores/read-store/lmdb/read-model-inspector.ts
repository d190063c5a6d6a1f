import { checkedBytes, checkedText } from '#infra/platform/lmdb/checksum.js';
import { Damage } from '#infra/platform/lmdb/data-file.js';
import type { Inspector } from '#infra/platform/lmdb/inspection.js';
import { BUILD_RECORDS } from './databases.js';

/** Checks every document and every build record by its checksum. */
export const inspectReadModels = (): Inspector => ({
  visit: (database, key, value) => {
    const isSound =
      database === BUILD_RECORDS ? checkedText(key.toString(), value.toString()) !== undefined : checkedBytes(key, value) !== undefined;
    if (!isSound) throw new Damage(`has a damaged document in ${database}`);
  },
  finish: () => {},
});
