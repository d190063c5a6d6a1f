import { fillAccounting, type Later } from './accounting.js';
import type { Target } from './caller.js';
import { fillMessaging } from './messaging.js';
import { fillStatus, type MonthTenant } from './status.js';

/** What a filled server has. */
export type Month = Readonly<{ tenants: readonly MonthTenant[]; later: Later }>;

/**
 * Fills an empty server over its public APIs with a month of data as they come in real installations: three tenants with 200 endpoints, two projects of
 * messaging and of accounting. Apart from ids and instants of the server, it is the same for every call on a day.
 * @param now end of the month, in milliseconds
 * @param serverTime on the clock of the server; default: `now`
 */
export const fillMonth = async (target: Target, now = Date.now(), serverTime = now): Promise<Month> => {
  const tenants = await fillStatus(target, now, serverTime);
  await fillMessaging(target);
  return { tenants, later: await fillAccounting(target, now, serverTime) };
};
