import { addInstallations } from './accounting.js';
import { type Due, dayBefore, type Target, together } from './caller.js';
import { fillMessaging } from './messaging.js';
import { addTenants, DAYS, type MonthTenant } from './status.js';

/** Content of a filled server. `later`: calls that are due after the instant to which it is filled. */
export type Month = Readonly<{ tenants: readonly MonthTenant[]; later: readonly Due[] }>;

/** Sets the clock of the server back by so many minutes, and comes back when it is so. */
export type SetClock = (minutesAgo: number) => Promise<void>;

const MINUTE = 60_000;

/**
 * Fills an empty server over its public APIs with a month of data as they come in real installations: three tenants with 200 endpoints, two projects of
 * messaging and of accounting. Apart from ids and instants of the server, it is the same for every call on a day.
 * @param now end of the month, in milliseconds
 * @param until it is filled to there, in milliseconds
 * @param setClock Default: the clock of the server stays at `now`
 */
export const fillMonth = async (target: Target, now = Date.now(), until = now, setClock: SetClock = async () => {}): Promise<Month> => {
  const tenants = await addTenants(target, now);
  let later: readonly Due[] = [...tenants.flatMap(({ changes }) => changes), ...(await addInstallations(target, now))];
  const live = async (at: number): Promise<void> => {
    await setClock((now - at) / MINUTE);
    await together(tenants, ({ measured }) => measured(at));
  };
  for (let days = DAYS - 1; days > 0; days -= 1) {
    const endOfDay = Date.parse(`${dayBefore(now, days - 1)}T00:00:00Z`) - MINUTE;
    if (endOfDay > until) break;
    await live(endOfDay);
    await together(
      later.filter((due) => due.days === days),
      ({ work }) => work(),
    );
    later = later.filter((due) => due.days < days);
  }
  await live(until);
  await fillMessaging(target);
  return { tenants, later };
};
