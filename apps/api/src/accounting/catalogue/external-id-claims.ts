import { Injectable } from '@nestjs/common';
import { toProject } from '#api/accounting/stream-commands.js';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { withoutKey } from '#api/shared/commands/context-now.js';
import { type ExternalIdHolder, externalIdStream } from '#domain/accounting/catalogue/catalogue-events.js';
import { type ExternalIdCommand, externalIds } from '#domain/accounting/catalogue/external-id-rules.js';
import { DomainError } from '#domain/shared/decider.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { CatalogueQueries } from '#projections/accounting/catalogue/queries.js';

/** Age from which a claim without an installation counts as abandoned: its maker failed between the two. */
const ABANDONED_MS = 60_000;

type Claim = ExternalIdHolder & Readonly<{ claimedAt: string }>;

/**
 * Keeps external ids of installations unique over all projects. They are claimed before an installation is created, and released after it
 * was deleted or its creation failed. Claims of deleted projects and abandoned claims are taken over.
 */
@Injectable()
export class ExternalIdClaims {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly queries: CatalogueQueries,
  ) {}

  /** Resolves with `false` if another installation has the external id. */
  async claim(externalId: string, holder: ExternalIdHolder, context: CommandContext): Promise<boolean> {
    const command = { type: 'ClaimExternalId', externalId, holder, now: context.time } as const;
    const known = await this.attempt(command, context);
    if (!known) return true;
    if (!(await this.isAbandoned(known, context))) return false;
    return !(await this.attempt({ ...command, abandonedBy: known.installationId }, context));
  }

  /** Ignored unless the installation holds the claim. */
  async release(externalId: string, installationId: string, context: CommandContext): Promise<void> {
    await this.execute({ type: 'ReleaseExternalId', externalId, installationId }, context);
  }

  /** The conflicting claim of another installation; `undefined` if the command succeeded. */
  private async attempt(command: ExternalIdCommand, context: CommandContext): Promise<Claim | undefined> {
    try {
      await this.execute(command, context);
      return undefined;
    } catch (error) {
      if (error instanceof DomainError && error.code === 'EXTERNAL_ID_TAKEN') return claimIn(error.details);
      throw error;
    }
  }

  private async isAbandoned({ projectId, generation, installationId, claimedAt }: Claim, context: CommandContext): Promise<boolean> {
    const project = await this.queries.project(projectId);
    if (!project || project.generation > generation) return true;
    if (Date.parse(context.time) - Date.parse(claimedAt) < ABANDONED_MS) return false;
    // Its maker may only have been slow. From now on its creation is refused.
    const command = { type: 'ForestallReference', projectId, hold: installationId } as const;
    try {
      await this.gateway.execute(toProject(withoutKey(context), command), false);
      return true;
    } catch (error) {
      if (error instanceof DomainError) return false;
      throw error;
    }
  }

  private async execute(command: ExternalIdCommand, context: CommandContext): Promise<void> {
    const stream = externalIdStream(command.externalId);
    await this.gateway.execute({ stream, decider: externalIds, context: withoutKey(context), command });
  }
}

/** Claim in the details of `EXTERNAL_ID_TAKEN`. */
const claimIn = ({ installationId, projectId, generation, claimedAt }: DomainError['details']): Claim => ({
  installationId: String(installationId),
  projectId: String(projectId),
  generation: Number(generation),
  claimedAt: String(claimedAt),
});
