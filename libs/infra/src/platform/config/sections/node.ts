import { flag, key, list, oneOf, onOrOff, text, type ValuesOf, variable } from '#infra/platform/config/variables.js';

/**
 * `api`: answers requests of the services, `/ops` and `/docs`. `projector`: keeps the read models up to date, rebuilds and verifies them. `push`: does what
 * happens by itself: pushes messages, runs recomputations, takes up metric data, notifies of statuses, erases keys. `history`: keeps the chain, the audit
 * index and the history of the read models, and answers from them.
 */
export const NODE_ROLES = ['api', 'projector', 'push', 'history'] as const;
export type NodeRole = (typeof NODE_ROLES)[number];

/** Names of roles, separated by commas. */
export const rolesIn = list([
  (one) => NODE_ROLES.some((role) => role === one),
  `must be a list of ${NODE_ROLES.join(', ')}, separated by commas`,
]);

/** Roles and history as they are given. */
export const givenRoles = {
  /** Tasks of this node. Default: all. */
  roles: variable('LOGBOOK_ROLES', rolesIn),
  /** Whether a node with the role `history` keeps the history of the read models: `off` for one that leaves it to others. */
  history: variable('LOGBOOK_HISTORY', onOrOff, true),
};

/** Roles of this node, and whether it keeps the history of the read models. */
export const rolesOf = ({
  roles: given,
  history,
}: ValuesOf<typeof givenRoles>): Readonly<{ roles: readonly NodeRole[]; history: boolean }> => {
  const roles = NODE_ROLES.filter((role) => given === undefined || given.includes(role));
  return { roles, history: history && roles.includes('history') };
};

/** Tasks and logging of this node. */
export const nodeSettings = {
  /** Whether a node with the role `history` chains the events of the log: `off` for one that leaves it to others. */
  chain: variable('LOGBOOK_CHAIN', onOrOff, true),
  /** 32 bytes in base64. Signs anchors, instead of the file `keys/signing.key`; must be the same on every node. */
  signingKey: variable('LOGBOOK_SIGNING_KEY', key),
  /** Directory where each anchor is written as a signed note. */
  anchorDirectory: variable('LOGBOOK_ANCHOR_DIR', text),
  logLevel: variable(
    'LOGBOOK_LOG_LEVEL',
    oneOf(['error', 'warn', 'info', 'debug', 'silent'], 'must be one of error, warn, info, debug, silent'),
    'info',
  ),
  /** One log line for every request. */
  accessLog: variable('LOGBOOK_ACCESS_LOG', flag, false),
};
