import type { AccountQueries } from '#projections/messaging/accounts/queries.js';

/** Reason why a subscription or topic that a setting names is not there. The setting is of the project, not of a later one of its name. */
export const absenceOf = async (accounts: Pick<AccountQueries, 'project'>, projectId: string, item: string): Promise<string> =>
  (await accounts.project(projectId)) ? `${item} does not exist` : 'Its project was deleted';
