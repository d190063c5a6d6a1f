import { Problem } from '#api/ops-kit/problem.js';
import type { AccountQueries, ProjectReference } from '#projections/messaging/accounts/queries.js';

/** The project of this name. @throws Problem 404 */
export const projectNamed = async (accounts: Pick<AccountQueries, 'projectNamed'>, name: string): Promise<ProjectReference> => {
  const project = await accounts.projectNamed(name);
  if (!project) throw new Problem(404, 'there is no messaging project of this name');
  return project;
};
