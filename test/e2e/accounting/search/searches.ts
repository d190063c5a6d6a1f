/** Nodes of a search (accounting contract 5.1). */
export const query = (field: string, values: unknown, operand?: string) => ({ type: 'query', field, values, operand });
export const filter = (operator: string, ...criteria: readonly unknown[]) => ({ type: 'filter', operator, criteria });
/** Matches every record: none has such a field. */
export const EVERYTHING = query('nosuch', null);

/** What can be searched. */
export const KINDS = ['installations', 'providers', 'metric-definitions', 'metrics', 'projects'];
