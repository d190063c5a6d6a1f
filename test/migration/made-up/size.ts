/** How large a made-up installation is. Everything else follows from it. */
export type Size = Readonly<{
  /** People and programs of all three services together. */
  users: number;
  /** Of accounting. */
  metrics: number;
  /** Days of profiles, topology and downtimes. */
  days: number;
  /** Of the status service. */
  tenants: number;
  /** Endpoints of each tenant's topology. */
  endpoints: number;
}>;

/** 100,000 users, 1,000,000 metrics, five years. */
export const LARGE: Size = { users: 100_000, metrics: 1_000_000, days: 1_826, tenants: 20, endpoints: 25 };
/** What the test suite takes over. */
export const SMALL: Size = { users: 60, metrics: 100, days: 40, tenants: 2, endpoints: 6 };

/** Which service has which share of the users: a tenant of the status service may have a thousand. */
export const usersOf = ({ users, tenants }: Size): Readonly<{ messaging: number; accounting: number; status: number }> => {
  const status = Math.min(Math.floor(users / 5), tenants * 900);
  const accounting = Math.floor(users / 5);
  return { status, accounting, messaging: users - status - accounting };
};
