import { eventually } from './eventually.js';
import type { Answer } from './status-client.js';

/**
 * Asks for a job on a projection until it is accepted: a rebuild that is shown already may be under way for a moment more.
 * @returns path of the job
 */
export const accepted = async (ask: () => Promise<Answer>): Promise<string> => {
  const { json } = await eventually(ask).until(({ status }) => status === 202);
  return (json as { href: string }).href;
};
