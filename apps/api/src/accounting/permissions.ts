import { covers, type Role } from '#domain/accounting/access/entitlements.js';
import type { AccountingCaller } from './caller.js';
import * as errors from './errors.js';

/**
 * Permissions (accounting contract 1.7). Handlers check first whether a project, provider or installation exists (404). These functions
 * only throw 403. Routes that are open to every caller call none of them.
 */

/** `a` in the contract's tables. */
export const ADMIN: readonly Role[] = ['admin'];
/** `av` in the contract's tables. */
export const READERS: readonly Role[] = ['admin', 'viewer'];

/** Place of an installation in the hierarchy. */
type InstallationPlace = Readonly<{ projectId: string; providerId: string; installationId: string }>;

/** The shared catalogue: providers, metric definitions, unit types, metric types. */
const OPERATIONS = ['operations', 'resources'];
const representing = (providerId: string): readonly string[] => ['roles', 'provider', providerId];

const mayAny = (caller: AccountingCaller, roles: readonly Role[], ...targets: readonly (readonly string[])[]): boolean =>
  targets.some((target) => covers(caller.entitlements, roles, target));
const mayOnProject = (caller: AccountingCaller, roles: readonly Role[], projectId: string): boolean =>
  mayAny(caller, roles, [projectId]) || caller.isSystemAdministrator;

/** Returns whether the caller has one of the roles on the provider inside the project. */
const mayOnProvider = (caller: AccountingCaller, roles: readonly Role[], projectId: string, providerId: string): boolean =>
  mayAny(caller, roles, [projectId, providerId], representing(providerId)) || caller.isSystemAdministrator;
const mayOnInstallation = (caller: AccountingCaller, roles: readonly Role[], place: InstallationPlace): boolean =>
  mayAny(caller, roles, [place.projectId, place.providerId, place.installationId], representing(place.providerId)) ||
  caller.isSystemAdministrator;

const demand = (granted: boolean): void => {
  if (!granted) throw errors.forbidden();
};

/** `SYS` @throws AccountingError 403 */
export const requireSystem = (caller: AccountingCaller): void => demand(caller.isSystemAdministrator);

/** `OPS(r)` @throws AccountingError 403 */
export const requireOperations = (caller: AccountingCaller, roles: readonly Role[]): void =>
  demand(mayAny(caller, roles, OPERATIONS) || caller.isSystemAdministrator);

/** `PROJ(r)` @throws AccountingError 403 */
export const requireProject = (caller: AccountingCaller, roles: readonly Role[], projectId: string): void =>
  demand(mayOnProject(caller, roles, projectId));

/** `PROV(r)` @throws AccountingError 403 */
export const requireProvider = (caller: AccountingCaller, roles: readonly Role[], projectId: string, providerId: string): void =>
  demand(mayOnProvider(caller, roles, projectId, providerId));

/** `INST(r)` @throws AccountingError 403 */
export const requireInstallation = (caller: AccountingCaller, roles: readonly Role[], place: InstallationPlace): void =>
  demand(mayOnInstallation(caller, roles, place));

/** `REP`: represents the provider in every project. @throws AccountingError 403, with its own text */
export const requireRepresentative = (caller: AccountingCaller, providerId: string): void => {
  if (!mayAny(caller, ADMIN, representing(providerId))) throw errors.notRepresentative();
};
