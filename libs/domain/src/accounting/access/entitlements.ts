/** Roles that grant something. An entitlement can name others, which grant nothing. `admin` does not imply `viewer`. */
export type Role = 'admin' | 'viewer';

/** A role on everything under the segments; without segments, on everything. */
export type Entitlement = Readonly<{ segments: readonly string[]; role: string }>;

/** Entitlements that count have names that start with `<namespace>:group:<parent>`. A namespace may be given with its `:group`. */
export type EntitlementScheme = Readonly<{ namespace: string; parent: string }>;

const GROUP = ':group';

const prefixOf = ({ namespace, parent }: EntitlementScheme): string =>
  `${namespace.endsWith(GROUP) ? namespace.slice(0, -GROUP.length) : namespace}${GROUP}:${parent}:`;

/** `[segment:]…role=<role>`: no empty segments, and the role is the rest of the name, without a colon. */
const REST = /^((?:[^:]+:)*)role=([^:]+)$/;

/** Reads the name of an entitlement (accounting contract 1.6); `undefined` for a name of another scheme or form. */
export const parseEntitlement = (name: string, scheme: EntitlementScheme): Entitlement | undefined => {
  const prefix = prefixOf(scheme);
  const [, segments, role] = (name.startsWith(prefix) && REST.exec(name.slice(prefix.length))) || [];
  return segments === undefined || role === undefined ? undefined : { segments: segments.split(':').slice(0, -1), role };
};

/** Whether one of the entitlements gives one of the roles on the target: its segments are the first ones of the target, or all. */
export const covers = (entitlements: readonly Entitlement[], roles: readonly Role[], target: readonly string[]): boolean =>
  entitlements.some(
    ({ segments, role }) =>
      roles.some((wanted) => wanted === role) &&
      segments.length <= target.length &&
      segments.every((segment, index) => segment === target[index]),
  );
