import { IsIn, IsOptional } from 'class-validator';
import { Flag, Integer, List, OneOf, OptionalKey, OptionalText } from '#infra/platform/config/checks.js';
import type { LogLevel } from '#infra/platform/logging/logger.js';
import type { storeSettings } from './stores.js';

/**
 * `api`: answers requests of the services, `/ops` and `/docs`. `projector`: keeps the read models up to date, rebuilds and verifies them. `push`: does what
 * happens by itself: pushes messages, runs recomputations, takes up metric data, notifies of statuses, erases keys. `history`: keeps the chain, the audit
 * index and the history of the read models, and answers from them.
 */
export const NODE_ROLES = ['api', 'projector', 'push', 'history'] as const;
export type NodeRole = (typeof NODE_ROLES)[number];

/** Tasks and logging of this node. */
export class NodeVariables {
  /** Tasks of this node. Default: all. */
  @IsOptional()
  @IsIn(NODE_ROLES, { each: true, message: `must be a list of ${NODE_ROLES.join(', ')}, separated by commas` })
  @List()
  LOGBOOK_ROLES?: readonly NodeRole[];

  /** Processes that answer requests, with the role `api`. */
  @Integer('must be a number from 1 to 64', 1, 64, true)
  LOGBOOK_API_THREADS = 1;

  /** Whether a node with the role `history` chains the events of the log: `off` for one that leaves it to others. */
  @OneOf(['on', 'off'])
  LOGBOOK_CHAIN: 'on' | 'off' = 'on';

  /** Whether this node keeps the history of the read models. Default: where both stores are embedded, and where `LOGBOOK_ROLES` names `history`. */
  @IsOptional()
  @OneOf(['on', 'off'])
  LOGBOOK_HISTORY?: 'on' | 'off';

  /** Signs anchors, instead of the file `keys/signing.key`; must be the same on every node. */
  @OptionalKey()
  LOGBOOK_SIGNING_KEY?: string;

  /** Directory where each anchor is written as a signed note. */
  @OptionalText()
  LOGBOOK_ANCHOR_DIR?: string;

  @OneOf(['error', 'warn', 'info', 'debug', 'silent'], 'must be one of error, warn, info, debug, silent')
  LOGBOOK_LOG_LEVEL: LogLevel = 'info';

  /** One log line for every request. */
  @Flag()
  LOGBOOK_ACCESS_LOG = false;
}

const rolesOf = ({ LOGBOOK_ROLES: given }: NodeVariables): readonly NodeRole[] =>
  NODE_ROLES.filter((role) => given === undefined || given.includes(role));

/** Kept where nothing else is said: if both stores are embedded, or where the role is given by name. */
const keepsHistory = (
  { LOGBOOK_HISTORY: given, LOGBOOK_ROLES: roles }: NodeVariables,
  { eventStoreUrl: log, redisUrl: readModels }: ReturnType<typeof storeSettings>,
): boolean => {
  if (roles && !roles.includes('history')) return false;
  if (given !== undefined) return given === 'on';
  return roles !== undefined || (log === undefined && readModels === undefined);
};

export const nodeSettings = (given: NodeVariables, stores: ReturnType<typeof storeSettings>) => ({
  roles: rolesOf(given),
  apiThreads: given.LOGBOOK_API_THREADS,
  /** This node chains the events of the log if it has the role `history`. */
  chain: given.LOGBOOK_CHAIN === 'on',
  history: keepsHistory(given, stores),
  /** 32 bytes in base64. */
  signingKey: given.LOGBOOK_SIGNING_KEY,
  anchorDirectory: given.LOGBOOK_ANCHOR_DIR,
  logLevel: given.LOGBOOK_LOG_LEVEL,
  accessLog: given.LOGBOOK_ACCESS_LOG,
});
