import { Inject, Injectable } from '@nestjs/common';
import { READ_STORE } from '#api/shared/tokens.js';
import type { InstallationDocument } from '#projections/accounting/catalogue/queries.js';
import { USAGE_PROJECTION, type UsedInstallation, usageCollections } from '#projections/accounting/metrics/usage-documents.js';
import { keyOf, keysUnder } from '#projections/shared/key-part.js';
import type { ReadStore, ReadView } from '#projections/shared/read-store.js';

/** Whether there are metrics now: those that were removed do not count. */
@Injectable()
export class UsageLookup {
  private readonly view: ReadView;

  constructor(@Inject(READ_STORE) store: ReadStore) {
    this.view = store.view(USAGE_PROJECTION);
  }

  async ofInstallation({ project, id }: InstallationDocument): Promise<boolean> {
    const bytes = await this.view.get(usageCollections.installations, keyOf(project, id));
    if (bytes === null) return false;
    const { definitions } = JSON.parse(bytes.toString('utf8')) as UsedInstallation;
    return Object.values(definitions).some((count) => count > 0);
  }

  async ofDefinition(definitionId: string): Promise<boolean> {
    return (await this.view.range(usageCollections.definitions, { ...keysUnder(definitionId), limit: 1 })).length > 0;
  }
}
