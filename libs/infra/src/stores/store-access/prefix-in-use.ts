/** Processes of another installation use the prefix on this Redis, in whichever of its databases. */
export class PrefixInUse extends Error {
  override readonly name = 'PrefixInUse';
  readonly variable = 'LOGBOOK_REDIS_PREFIX';
  constructor(keyPrefix: string, installation: string, nodes: readonly string[]) {
    super(
      `installation ${installation} (${nodes.join(', ')}) uses the prefix ${keyPrefix} on this Redis: choose another one for this installation. ` +
        'Numbers of databases do not separate installations',
    );
  }
}
