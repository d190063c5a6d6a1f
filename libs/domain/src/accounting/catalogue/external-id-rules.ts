import { type Decider, DomainError } from '#domain/shared/decider.js';
import type { ExternalIdEvent, ExternalIdHolder } from './catalogue-events.js';

export type ExternalIdCommand =
  /** The holder may claim again. `abandonedBy`: id of an installation that is not in the read model. Its claim may be taken over. */
  | Readonly<{ type: 'ClaimExternalId'; externalId: string; holder: ExternalIdHolder; now: string; abandonedBy?: string }>
  /** Ignored unless the installation holds the claim. */
  | Readonly<{ type: 'ReleaseExternalId'; externalId: string; installationId: string }>;

/** The claim in force. */
type ExternalIdState = Readonly<{ claim: (ExternalIdHolder & Readonly<{ claimedAt: string }>) | null }>;

/** The rules of one external id. Rejects with `EXTERNAL_ID_TAKEN` (details: the holder and `claimedAt`). */
export const externalIds: Decider<ExternalIdState, ExternalIdCommand, ExternalIdEvent> = {
  window: 1,
  initialState: () => ({ claim: null }),
  decide: (command, { claim }) => {
    const { externalId } = command;
    if (command.type === 'ReleaseExternalId') {
      const { installationId } = command;
      return claim?.installationId === installationId ? [{ type: 'ExternalIdReleased', data: { externalId, installationId } }] : [];
    }
    const { installationId, projectId, generation } = command.holder;
    if (claim?.installationId === installationId) return [];
    if (claim && claim.installationId !== command.abandonedBy) throw new DomainError('EXTERNAL_ID_TAKEN', claim);
    return [{ type: 'ExternalIdClaimed', data: { externalId, installationId, projectId, generation, claimedAt: command.now } }];
  },
  evolve: (_state, { type, data }) => {
    if (type === 'ExternalIdReleased') return { claim: null };
    const { installationId, projectId, generation, claimedAt } = data;
    return { claim: { installationId, projectId, generation, claimedAt } };
  },
};
