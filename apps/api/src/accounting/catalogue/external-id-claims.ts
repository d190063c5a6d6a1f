import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { toProject } from '#api/accounting/stream-commands.js';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { aside, withoutKey } from '#api/shared/commands/context-now.js';
import { type ExternalIdHolder, externalIdStream } from '#domain/accounting/catalogue/catalogue-events.js';
import { type ExternalIdCommand, externalIds } from '#domain/accounting/catalogue/external-id-rules.js';
import type { ProjectCommand } from '#domain/accounting/projects/project-rules.js';
import { DomainError } from '#domain/shared/decider.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { CatalogueQueries } from '#projections/accounting/catalogue/queries.js';

/** A creation lasts milliseconds. A claim that still has no installation after this time is abandoned: its maker failed between the two. */
const PATIENCE_MS = 2_000;
const PAUSE_MS = 50;

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
    for (let [seen, since] = ['', 0]; ; await sleep(PAUSE_MS)) {
      const known = await this.attempt(command, context);
      if (!known) return true;
      if (known.installationId !== seen) [seen, since] = [known.installationId, performance.now()];
      const isAbandoned = await this.isAbandoned(known, since, context);
      if (isAbandoned === false) return false;
      if (isAbandoned && !(await this.attempt({ ...command, abandonedBy: known.installationId }, context))) return true;
    }
  }

  /** Ignored unless the installation holds the claim. */
  async release(externalId: string, installationId: string, context: CommandContext): Promise<void> {
    await this.execute({ type: 'ReleaseExternalId', externalId, installationId }, context);
  }

  /** The conflicting claim of another installation; `undefined` if the command succeeded. */
  private async attempt(command: ExternalIdCommand, context: CommandContext): Promise<ExternalIdHolder | undefined> {
    try {
      await this.execute(command, context);
      return undefined;
    } catch (error) {
      if (error instanceof DomainError && error.code === 'EXTERNAL_ID_TAKEN') return claimIn(error.details);
      throw error;
    }
  }

  /** Returns whether a claim may be taken over; `undefined`: its installation may be created yet. @param since when it was seen first */
  private async isAbandoned(known: ExternalIdHolder, since: number, context: CommandContext): Promise<boolean | undefined> {
    if (await this.isWithoutProject(known)) return true;
    if (await this.hasInstallation(known, context)) return false;
    return performance.now() - since <= PATIENCE_MS ? undefined : this.forestalls(known, context);
  }

  private async isWithoutProject({ projectId, generation }: ExternalIdHolder): Promise<boolean> {
    const project = await this.queries.project(projectId);
    return !project || project.generation > generation;
  }

  /** Reads the log: the read models may not show a new installation yet. */
  private hasInstallation(holder: ExternalIdHolder, context: CommandContext): Promise<boolean> {
    return this.inProject({ type: 'RequireInstallation', ...holder }, context);
  }

  /** Refuses the creation from now on: its maker may only be slow. Returns whether the installation does not exist. */
  private forestalls({ projectId, installationId: hold }: ExternalIdHolder, context: CommandContext): Promise<boolean> {
    return this.inProject({ type: 'ForestallReference', projectId, hold }, context);
  }

  /** Returns whether the rules of the project allow the command. */
  private async inProject(command: ProjectCommand, context: CommandContext): Promise<boolean> {
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
    await this.gateway.execute({ stream, decider: externalIds, context: aside(context), command });
  }
}

/** Claim in the details of `EXTERNAL_ID_TAKEN`. */
const claimIn = ({ installationId, projectId, generation }: DomainError['details']): ExternalIdHolder => ({
  installationId: String(installationId),
  projectId: String(projectId),
  generation: Number(generation),
});
