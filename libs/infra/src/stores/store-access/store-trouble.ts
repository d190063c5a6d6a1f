/** The environment variables that say where a store is. */
export type StoreVariable = 'EVENTSTORE_URL' | 'REDIS_URL';

/** A store that does not answer now, and why. It may later. */
export type AwayStore = Readonly<{ variable: StoreVariable; reason: string }>;

/** The store is there, and refuses this configuration: waiting would not help. The message contains no credentials. */
export class StoreRefusal extends Error {
  override readonly name: string = 'StoreRefusal';
  constructor(
    readonly variable: StoreVariable,
    reason: string,
  ) {
    super(`${STORE_NAMES[variable]}: ${reason}`);
  }
}

/** Stores have not answered for as long as a start waits. */
export class StoresAway extends Error {
  override readonly name = 'StoresAway';
  constructor(
    readonly away: readonly AwayStore[],
    waitedSeconds: number,
  ) {
    super(`${reasonOf(away)} (waited ${waitedSeconds} s)`);
  }

  get variables(): string {
    return variablesOf(this.away);
  }
}

export const reasonOf = (away: readonly AwayStore[]): string => away.map(({ reason }) => reason).join('; ');

/** The environment variables to look at. */
export const variablesOf = (away: readonly AwayStore[]): string => away.map(({ variable }) => variable).join(', ');

/** As people know the stores. */
export const STORE_NAMES: Readonly<Record<StoreVariable, string>> = { EVENTSTORE_URL: 'EventStoreDB', REDIS_URL: 'Redis' };
