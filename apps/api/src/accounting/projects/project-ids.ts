/** Returns whether an id would be ambiguous in an entitlement: two are words of its grammar, and a colon separates its segments. */
export const isReservedProjectId = (id: string): boolean => id === 'operations' || id === 'roles' || id.includes(':');
