/** A setting that system administrators may change. */
export type Setting = Readonly<{ key: string; initial: string; allowed: readonly string[] }>;

/** Where the entitlements of a caller come from: its token, or what was assigned to it here. */
export const ENTITLEMENTS_MANAGEMENT: Setting = { key: 'ENTITLEMENTS_MANAGEMENT', initial: 'database', allowed: ['oidc', 'database'] };

/** Every setting. */
export const SETTINGS: readonly Setting[] = [ENTITLEMENTS_MANAGEMENT];
