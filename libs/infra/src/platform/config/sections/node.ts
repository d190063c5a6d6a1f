import { IsBase64, IsBoolean, IsIn, IsInt, IsOptional, IsString, Matches, Max, Min } from 'class-validator';
import { Flag, Integer, List } from '#infra/platform/config/checks.js';
import type { LogLevel } from '#infra/platform/logging/logger.js';
import type { StoreSettings } from './stores.js';

/**
 * `api`: answers requests of the services, `/ops` and `/docs`. `projector`: keeps the read models up to date, rebuilds and verifies them. `push`: does what
 * happens by itself: pushes messages, runs recomputations, takes up metric data, notifies of statuses, erases keys. `history`: keeps the chain, the audit
 * index and the history of the read models, and answers from them.
 */
export const NODE_ROLES = ['api', 'projector', 'push', 'history'] as const;
export type NodeRole = (typeof NODE_ROLES)[number];

/** What this node does, and what it says of that. */
export class NodeVariables {
  /** What this node does. Default: everything. */
  @IsOptional()
  @IsIn(NODE_ROLES, { each: true, message: `must be a list of ${NODE_ROLES.join(', ')}, separated by commas` })
  @List()
  LOGBOOK_ROLES?: readonly NodeRole[];

  /** Processes that answer requests, with the role `api`. */
  @IsInt({ message: 'must be a number from 1 to 64' })
  @Min(1, { message: 'must be a number from 1 to 64' })
  @Max(64, { message: 'must be a number from 1 to 64' })
  @Integer()
  LOGBOOK_API_THREADS = 1;

  /** Whether a node with the role `history` chains the events of the log: `off` for one that leaves it to others. */
  @IsIn(['on', 'off'], { message: 'must be on or off' })
  LOGBOOK_CHAIN: 'on' | 'off' = 'on';

  /** Whether this node keeps the history of the read models. Default: where both stores are embedded, and where `LOGBOOK_ROLES` names `history`. */
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

export type NodeSettings = Readonly<{
  roles: readonly NodeRole[];
  /** Processes that answer requests. */
  apiThreads: number;
  /** This node chains the events of the log if it has the role `history`. */
  chain: boolean;
  /** This node keeps the history of the read models. */
  history: boolean;
  /** 32 bytes in base64. */
  signingKey?: string;
  anchorDirectory?: string;
  logLevel: LogLevel;
  accessLog: boolean;
}>;

const rolesOf = ({ LOGBOOK_ROLES: given }: NodeVariables): readonly NodeRole[] =>
  NODE_ROLES.filter((role) => given === undefined || given.includes(role));

/** Kept where nothing else is said: if both stores are embedded, or where the role is given by name. */
const keepsHistory = (
  { LOGBOOK_HISTORY: given, LOGBOOK_ROLES: roles }: NodeVariables,
  { eventStoreUrl: log, redisUrl: readModels }: StoreSettings,
): boolean => {
  if (roles && !roles.includes('history')) return false;
  if (given !== undefined) return given === 'on';
  return roles !== undefined || (log === undefined && readModels === undefined);
};

export const nodeSettings = (given: NodeVariables, stores: StoreSettings): NodeSettings => ({
  roles: rolesOf(given),
  apiThreads: given.LOGBOOK_API_THREADS,
  chain: given.LOGBOOK_CHAIN === 'on',
  history: keepsHistory(given, stores),
  signingKey: given.LOGBOOK_SIGNING_KEY,
  anchorDirectory: given.LOGBOOK_ANCHOR_DIR,
  logLevel: given.LOGBOOK_LOG_LEVEL,
  accessLog: given.LOGBOOK_ACCESS_LOG,
});
