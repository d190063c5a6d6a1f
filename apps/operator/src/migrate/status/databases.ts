import { CommandFailed } from '#operator/command-failed.js';
import { type ExportedFile, noFilesOf } from '../read/exported-files.js';

/** Collections of the core database. */
const CORE = ['tenants', 'authentication', 'monitoring_metrics'];

/** Collections of the databases of tenants. */
const OF_TENANTS =
  /^(?:(?:operations|metric|aggregation|thresholds)_profiles|weights|topology_(?:endpoints|groups|service_types)|downtimes|reports|node_report|recomputations|feeds_(?:topology|weights|data)|status_metrics)$/;

export const isOfCore = (collection: string): boolean => CORE.includes(collection);
export const isOfTenant = (collection: string): boolean => OF_TENANTS.test(collection);

/** Notes about collections that are not taken. */
export const NOT_TAKEN: Readonly<Record<string, string>> = {
  roles: 'roles is not taken: which role may call what is fixed in Logbook',
  consistency: 'consistency is not taken: the next check writes it',
};

/** Collections computed by the engine of the original: Logbook computes them from metric data. */
const COMPUTED =
  /^(?:(?:endpoint|service|endpoint_group)_ar|status_(?:metrics|endpoints|services|endpoint_groups)|(?:flipflop|status)_trends_\w+)$/;

export const isComputed = (collection: string): boolean => COMPUTED.test(collection);

/**
 * Name of the core database.
 * @param wanted name, if several have its collections
 * @throws CommandFailed there is none, or several and none is named
 */
export const coreDatabase = (files: readonly ExportedFile[], wanted?: string): string => {
  const found = new Set(files.filter(({ collection }) => CORE.includes(collection)).map(({ database }) => database));
  if (wanted !== undefined) {
    if (!found.has(wanted)) throw new CommandFailed(`there are no files of a core database ${wanted}`);
    return wanted;
  }
  const [first, ...others] = found;
  if (first === undefined) throw noFilesOf(CORE);
  if (others.length > 0)
    throw new CommandFailed(`the databases ${[...found].join(', ')} all look like the core: say which one is with --core`);
  return first;
};
