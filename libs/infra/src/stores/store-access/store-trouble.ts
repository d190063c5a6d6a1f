/** Environment variables with the addresses of stores. */
export type StoreVariable = 'EVENTSTORE_URL' | 'REDIS_URL';

/** A store that cannot be used now, with the reason. It may be usable later. */
export type AwayStore = Readonly<{ variable: StoreVariable | 'LOGBOOK_DATA_DIR'; reason: string }>;

/** The store answers, but refuses this configuration: waiting would not help. The message contains no credentials. */
export class StoreRefusal extends Error {
  override readonly name: string = 'StoreRefusal';
  constructor(
    readonly variable: StoreVariable,
    reason: string,
  ) {
    super(`${STORE_NAMES[variable]}: ${reason}`);
  }
}

/** Stores did not answer within the time limit of the start. */
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

/** Product names of the stores. */
export const STORE_NAMES: Readonly<Record<StoreVariable, string>> = { EVENTSTORE_URL: 'EventStoreDB', REDIS_URL: 'Redis' };
