/** A setting that system administrators may change. */
type Setting = Readonly<{ key: string; initial: string; allowed: readonly string[] }>;

/** Source of a caller's entitlements: the token (`oidc`) or the assignments made here (`database`). */
export const ENTITLEMENTS_MANAGEMENT: Setting = { key: 'ENTITLEMENTS_MANAGEMENT', initial: 'database', allowed: ['oidc', 'database'] };

export const SETTINGS: readonly Setting[] = [ENTITLEMENTS_MANAGEMENT];
