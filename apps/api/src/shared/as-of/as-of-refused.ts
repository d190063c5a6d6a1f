/** Reason why a read as of the past is not served. */
type AsOfObstacle = 'malformed' | 'key' | 'late' | 'lost' | 'unavailable';

const STATUS = { malformed: 400, key: 403, late: 503, lost: 410, unavailable: 503 } as const satisfies Record<AsOfObstacle, number>;

/** A read as of the past is refused. Each service answers it in the shape of its errors. */
export class AsOfRefused extends Error {
  override readonly name = 'AsOfRefused';
  constructor(
    readonly obstacle: AsOfObstacle,
    message: string,
  ) {
    super(message);
  }

  get statusCode(): number {
    return STATUS[this.obstacle];
  }
}

export const malformedAsOf = (): AsOfRefused =>
  new AsOfRefused('malformed', 'Logbook-As-Of is neither an instant such as 2024-01-15T12:00:00Z nor a position of the log');
export const beyondHead = (): AsOfRefused => new AsOfRefused('malformed', 'Logbook-As-Of is a position beyond the head of the log');
export const inTheFuture = (): AsOfRefused => new AsOfRefused('malformed', 'Logbook-As-Of is an instant in the future');
export const laterThanServed = (): AsOfRefused =>
  new AsOfRefused('malformed', 'Logbook-As-Of is later than the point in time that this server shows');
export const noRead = (): AsOfRefused => new AsOfRefused('malformed', 'Logbook-As-Of is for reads only');
export const noTenant = (): AsOfRefused => new AsOfRefused('malformed', 'Logbook-Tenant has to name the tenant by its id');
export const noAuditor = (): AsOfRefused => new AsOfRefused('key', 'reads as of the past need the role auditor');
export const notReached = (): AsOfRefused => new AsOfRefused('late', 'The history has not reached this point in time yet, try again later');
export const notShown = (): AsOfRefused => new AsOfRefused('late', 'The services cannot be shown as of the past now, try again later');
export const historyLost = (): AsOfRefused =>
  new AsOfRefused(
    'lost',
    'What was there at this point in time cannot be shown any more: events that it follows from have left the log, such as messages that have expired',
  );
export const noHistory = (): AsOfRefused =>
  new AsOfRefused('unavailable', 'This node keeps no history (LOGBOOK_HISTORY): another node with the role history answers this');
