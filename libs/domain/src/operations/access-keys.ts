import type { CatalogueOf } from '#domain/shared/catalogue.js';
import { type Decider, DomainError } from '#domain/shared/decider.js';
import type { DomainEvent, ServiceName } from '#domain/shared/events.js';
import { ended, type Mapping, none, text } from '#domain/shared/resource-change.js';

/** Roles that a key can be issued for, by service (design 7). Users of tenants and projects have other roles. */
export const KEY_ROLES = {
  status: [
    'super_admin',
    'super_admin_restricted',
    'super_admin_ui',
    'super_admin_viewer',
    'component_engine',
    'component_monbox',
    'component_poem',
  ],
  messaging: ['service_admin'],
  accounting: ['system_admin'],
  ops: ['operator', 'auditor'],
} as const satisfies Partial<Record<ServiceName, readonly string[]>>;

export type KeyService = keyof typeof KEY_ROLES;

export const isKeyService = (service: string): service is KeyService => Object.hasOwn(KEY_ROLES, service);
export const isKeyRole = (service: KeyService, role: string): boolean => KEY_ROLES[service].some((known) => known === role);

/** The key itself is in no event: only the hash by which it is looked up. */
export type KeyIssued = Readonly<{ keyId: string; service: KeyService; roles: readonly string[]; name: string; keyHash: string }>;
export type KeyCallRefused = Readonly<{ method: string; status: number; more?: number }>;
export type AccessKeyEvent =
  | Readonly<{ type: 'AccessKeyIssued'; data: KeyIssued }>
  /** `leftBehind`: the key came with an import that was not to take keys over; the environment may put it in force again. */
  | Readonly<{ type: 'AccessKeyRevoked'; data: Readonly<{ keyId: string; leftBehind?: true }> }>
  /** The list of keys was read: every use of the key administration is on record (operations contract 1). `more`: other reads of this actor in the ten minutes before. */
  | Readonly<{ type: 'AccessKeysListed'; data: Readonly<{ more?: number }> }>
  /** A call of the key administration was refused with this HTTP status. `more`: other such calls of this actor in the ten minutes before. */
  | Readonly<{ type: 'AccessKeyCallRefused'; data: KeyCallRefused }>;

export type AccessKeyCommand =
  | Readonly<{ type: 'IssueKey'; key: KeyIssued }>
  /** At start: ensures that the key from the environment exists. Does nothing if it exists or was revoked. */
  | Readonly<{ type: 'EnsureKey'; key: KeyIssued }>
  /**
   * At start without a key in the environment: issues the key only if the service has no key with the first of those roles, which is that of
   * its administrators.
   */
  | Readonly<{ type: 'EnsureAdministrator'; key: KeyIssued }>
  | Readonly<{ type: 'RevokeKey'; keyId: string }>
  /** At the end of an import: revokes all keys of the file. */
  | Readonly<{ type: 'LeaveKeysBehind' }>
  | Readonly<{ type: 'ListKeys'; more?: number }>
  | (Readonly<{ type: 'NoteRefusal' }> & KeyCallRefused);

type AccessKeysState = Readonly<{ active: Map<string, KeyIssued>; hashes: Set<string> }>;

export const ACCESS_KEYS_CATEGORY = 'ops.keys';
/** One stream, because keys must be unique across all services. */
export const ACCESS_KEYS_STREAM = `${ACCESS_KEYS_CATEGORY}-global`;

const key: Mapping = ({ data }) => [{ service: 'ops', kind: 'key', id: text(data, 'keyId') }];

export const accessKeyEvents: CatalogueOf<AccessKeyEvent> = {
  AccessKeyIssued: { resource: key, marks: { keyHash: 'hash' } },
  AccessKeyRevoked: { resource: ended(key) },
  AccessKeysListed: { resource: none },
  AccessKeyCallRefused: { resource: none },
};

export const isAccessKeyEvent = (event: DomainEvent): event is AccessKeyEvent => Object.hasOwn(accessKeyEvents, event.type);

const isOperator = ({ service, roles }: KeyIssued): boolean => service === 'ops' && roles.includes('operator');

/** Without an operator key, nobody could create keys. */
const isLastOperator = (keyId: string, { active }: AccessKeysState): boolean => {
  const operators = [...active.values()].filter(isOperator);
  return operators.length === 1 && operators[0]?.keyId === keyId;
};

/** Rejects with `KEY_NOT_FOUND`, `LAST_OPERATOR_KEY` and `KEY_TAKEN`. A revoked key can never be issued again, unless an import left it behind. */
export const accessKeys: Decider<AccessKeysState, AccessKeyCommand, AccessKeyEvent> = {
  snapshots: { name: 'access-keys', version: 1 },
  initialState: () => ({ active: new Map(), hashes: new Set() }),
  decide: (command, state) => {
    switch (command.type) {
      case 'IssueKey':
        if (state.hashes.has(command.key.keyHash)) throw new DomainError('KEY_TAKEN');
        return [{ type: 'AccessKeyIssued', data: command.key }];
      case 'EnsureKey':
        return state.hashes.has(command.key.keyHash) ? [] : [{ type: 'AccessKeyIssued', data: command.key }];
      case 'EnsureAdministrator': {
        const { service, roles } = command.key;
        const present = [...state.active.values()].some((key) => key.service === service && key.roles.some((role) => role === roles[0]));
        return present ? [] : [{ type: 'AccessKeyIssued', data: command.key }];
      }
      case 'RevokeKey':
        if (!state.active.has(command.keyId)) throw new DomainError('KEY_NOT_FOUND');
        if (isLastOperator(command.keyId, state)) throw new DomainError('LAST_OPERATOR_KEY');
        return [{ type: 'AccessKeyRevoked', data: { keyId: command.keyId } }];
      case 'LeaveKeysBehind':
        return [...state.active.keys()].map((keyId) => ({ type: 'AccessKeyRevoked', data: { keyId, leftBehind: true } }));
      case 'ListKeys':
        return [{ type: 'AccessKeysListed', data: command.more === undefined ? {} : { more: command.more } }];
      case 'NoteRefusal': {
        const { method, status, more } = command;
        return [{ type: 'AccessKeyCallRefused', data: { method, status, ...(more !== undefined && { more }) } }];
      }
    }
  },
  evolve: (state, event) => {
    switch (event.type) {
      case 'AccessKeyIssued':
        state.active.set(event.data.keyId, event.data);
        state.hashes.add(event.data.keyHash);
        return state;
      case 'AccessKeyRevoked': {
        const { keyId, leftBehind } = event.data;
        const revoked = state.active.get(keyId);
        if (leftBehind && revoked) state.hashes.delete(revoked.keyHash);
        state.active.delete(keyId);
        return state;
      }
      case 'AccessKeysListed':
      case 'AccessKeyCallRefused':
        return state;
    }
  },
};
