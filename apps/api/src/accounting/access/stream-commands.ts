import type { AccessCommand } from '#domain/accounting/access/access-commands.js';
import { ACCESS_STREAM, type AccessEvent } from '#domain/accounting/access/access-events.js';
import { type AccessState, access } from '#domain/accounting/access/access-rules.js';
import type { CommandContext, StreamCommand } from '#domain/shared/execution.js';

/** For the stream of clients, entitlements, OIDC tenants and settings. */
export const toAccess = (context: CommandContext, command: AccessCommand): StreamCommand<AccessState, AccessCommand, AccessEvent> => ({
  stream: ACCESS_STREAM,
  decider: access,
  context,
  command,
});
