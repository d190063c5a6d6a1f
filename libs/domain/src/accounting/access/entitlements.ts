/** Roles with effect. An entitlement with another role grants nothing. `admin` does not imply `viewer`. */
export type Role = 'admin' | 'viewer';

/** A role on everything under the segments. No segments: on everything. */
export type Entitlement = Readonly<{ segments: readonly string[]; role: string }>;

/** Recognised entitlement names start with `<namespace>:group:<parent>`. The namespace may include its `:group`. */
export type EntitlementScheme = Readonly<{ namespace: string; parent: string }>;

const GROUP = ':group';

const prefixOf = ({ namespace, parent }: EntitlementScheme): string =>
  `${namespace.endsWith(GROUP) ? namespace.slice(0, -GROUP.length) : namespace}${GROUP}:${parent}:`;

/** `[segment:]…role=<role>`. Segments are not empty. The role is the rest of the name and has no colon. */
const REST = /^((?:[^:]+:)*)role=([^:]+)$/;

/** Parses the name of an entitlement (accounting contract 1.6). `undefined` for a name of another scheme or form. */
export const parseEntitlement = (name: string, scheme: EntitlementScheme): Entitlement | undefined => {
  const prefix = prefixOf(scheme);
  const [, segments, role] = (name.startsWith(prefix) && REST.exec(name.slice(prefix.length))) || [];
  return segments === undefined || role === undefined ? undefined : { segments: segments.split(':').slice(0, -1), role };
};

/** Whether an entitlement grants one of the roles on the target. The segments of the entitlement must be a prefix of the target. */
export const covers = (entitlements: readonly Entitlement[], roles: readonly Role[], target: readonly string[]): boolean =>
  entitlements.some(
    ({ segments, role }) =>
      roles.some((wanted) => wanted === role) &&
      segments.length <= target.length &&
      segments.every((segment, index) => segment === target[index]),
  );
