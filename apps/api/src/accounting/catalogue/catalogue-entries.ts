import * as errors from '#api/accounting/errors.js';
import { storedObjectId } from '#domain/accounting/object-id.js';
import { type InstallationDocument, idKey, type ProjectDocument } from '#projections/accounting/catalogue/catalogue-documents.js';
import type { DefinitionRecord } from '#projections/accounting/definitions/definitions.js';

/** At once where it is in memory; `undefined`: there is none. */
export type Found<T> = T | undefined | Promise<T | undefined>;

/** Which projects, installations and metric definitions exist, wherever their documents come from. `find…` gives nothing, the others 404, for what is not there. */
export abstract class CatalogueEntries {
  protected abstract projectAt(key: string): Found<ProjectDocument>;
  protected abstract installationAt(key: string): Found<InstallationDocument>;
  /** The id of the installation with an external id. */
  protected abstract installationIdAt(key: string): Found<string>;
  protected abstract definitionAt(key: string): Found<DefinitionRecord>;

  async findProject(id: string): Promise<ProjectDocument | undefined> {
    return this.projectAt(idKey(id));
  }

  /** @throws AccountingError 404 */
  async project(id: string): Promise<ProjectDocument> {
    const found = await this.projectAt(idKey(id));
    if (!found) throw errors.projectNotFound(id);
    return found;
  }

  /** One of a project that was deleted is gone with it, also when there is a new project of that id. */
  async findInstallation(id: string): Promise<InstallationDocument | undefined> {
    const stored = storedObjectId(id);
    const found = stored === undefined ? undefined : await this.installationAt(stored);
    const project = found && (await this.projectAt(idKey(found.project)));
    return project?.generation === found?.generation ? found : undefined;
  }

  /** `id`: its id or, where no installation has that, its external id. @throws AccountingError 404 */
  async installation(id: string): Promise<InstallationDocument> {
    const found = (await this.findInstallation(id)) ?? (await this.findInstallationByExternalId(id));
    if (!found) throw errors.installationNotFound(id);
    return found;
  }

  async findInstallationByExternalId(externalId: string): Promise<InstallationDocument | undefined> {
    const id = await this.installationIdAt(idKey(externalId));
    return id === undefined ? undefined : this.findInstallation(id);
  }

  /** @throws AccountingError 404 */
  async installationByExternalId(externalId: string): Promise<InstallationDocument> {
    const found = await this.findInstallationByExternalId(externalId);
    if (!found) throw errors.externalInstallationNotFound(externalId);
    return found;
  }

  /** @throws AccountingError 404 */
  async definition(id: string): Promise<DefinitionRecord> {
    const stored = storedObjectId(id);
    const found = stored === undefined ? undefined : await this.definitionAt(stored);
    if (!found) throw errors.definitionNotFound(id);
    return found;
  }
}
