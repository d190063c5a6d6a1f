/** Whether an id would be read as something else in the name of an entitlement: two words of its grammar, and the colon between its segments. */
export const isReservedProjectId = (id: string): boolean => id === 'operations' || id === 'roles' || id.includes(':');
