import { IsBase64, IsBoolean, IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { Flag } from '#infra/config/checks.js';
import type { LogLevel } from '#infra/logging/logger.js';
import type { StoreSettings } from './stores.js';

/** What this node does, and what it says of that. */
export class NodeVariables {
  /** Roles of this node besides answering requests (`api`). */
  @IsOptional()
  @Matches(/^(api|push|history)(,(api|push|history))*$/, { message: 'must be a list of api, push, history, separated by commas' })
  LOGBOOK_ROLES?: string;

  /** Whether this node chains the events of the log: `off` for a node that leaves it to others. */
  @IsIn(['on', 'off'], { message: 'must be on or off' })
  LOGBOOK_CHAIN: 'on' | 'off' = 'on';

  /** Whether this node keeps the history of the read models. Default: where both stores are embedded, and on nodes with the role `history`. */
  @IsOptional()
  @IsIn(['on', 'off'], { message: 'must be on or off' })
  LOGBOOK_HISTORY?: 'on' | 'off';

  /** Signs anchors, instead of the file `keys/signing.key`; must be the same on every node. */
  @IsOptional()
  @IsBase64({}, { message: 'must be 32 bytes in base64' })
  @Matches(/^.{44}$/, { message: 'must be 32 bytes in base64' })
  LOGBOOK_SIGNING_KEY?: string;

  /** Directory where each anchor is written as a signed note. */
  @IsOptional()
  @IsString()
  LOGBOOK_ANCHOR_DIR?: string;

  @IsIn(['error', 'warn', 'info', 'debug', 'silent'], { message: 'must be one of error, warn, info, debug, silent' })
  LOGBOOK_LOG_LEVEL: LogLevel = 'info';

  /** One log line for every request. */
  @IsBoolean({ message: 'must be true or false' })
  @Flag()
  LOGBOOK_ACCESS_LOG = false;
}

/** `api`: answers requests, as every node does. `push`: also delivers the messages of push subscriptions. See `history` for the third one. */
export type NodeRole = 'api' | 'push';

export type NodeSettings = Readonly<{
  roles: readonly NodeRole[];
  /** This node chains the events of the log. */
  chain: boolean;
  /** This node keeps the history of the read models. */
  history: boolean;
  /** 32 bytes in base64. */
  signingKey?: string;
  anchorDirectory?: string;
  logLevel: LogLevel;
  accessLog: boolean;
}>;

/** Default roles: all if the log is embedded, otherwise only `api`. */
const rolesOf = ({ LOGBOOK_ROLES: given }: NodeVariables, { eventStoreUrl: distributed }: StoreSettings): readonly NodeRole[] => {
  const pushes = given === undefined ? distributed === undefined : given.split(',').includes('push');
  return pushes ? ['api', 'push'] : ['api'];
};

/** Kept where nothing else is said: if both stores are embedded, or by the role `history`. */
const keepsHistory = (
  { LOGBOOK_HISTORY: given, LOGBOOK_ROLES: roles }: NodeVariables,
  { eventStoreUrl: log, redisUrl: readModels }: StoreSettings,
): boolean => {
  if (given !== undefined) return given === 'on';
  return roles?.split(',').includes('history') === true || (log === undefined && readModels === undefined);
};

export const nodeSettings = (given: NodeVariables, stores: StoreSettings): NodeSettings => ({
  roles: rolesOf(given, stores),
  chain: given.LOGBOOK_CHAIN === 'on',
  history: keepsHistory(given, stores),
  signingKey: given.LOGBOOK_SIGNING_KEY,
  anchorDirectory: given.LOGBOOK_ANCHOR_DIR,
  logLevel: given.LOGBOOK_LOG_LEVEL,
  accessLog: given.LOGBOOK_ACCESS_LOG,
});
