/** Processes of another installation, or of another copy of this log, use the prefix on this Redis, in any of its databases. */
export class PrefixInUse extends Error {
  override readonly name = 'PrefixInUse';
  readonly variable = 'LOGBOOK_REDIS_PREFIX';
  constructor(keyPrefix: string, installation: string, nodes: readonly string[]) {
    super(
      `installation ${installation} (${nodes.join(', ')}) uses the prefix ${keyPrefix} on this Redis: choose another one for this log. ` +
        'Database numbers do not separate logs',
    );
  }
}
