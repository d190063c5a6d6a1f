import { storedObjectId } from '#domain/accounting/object-id.js';
import { type InstallationRef, METRICS_READ_MODEL } from '#projections/accounting/metrics/documents.js';
import type { Slice } from '#projections/shared/pages.js';
import { queriesOf } from '#projections/shared/queries.js';
import type { CapacityDocument } from './codec.js';
import { capacities } from './documents.js';

export { type CapacityDocument, capacitiesText } from './codec.js';

const NONE = Buffer.from('[]');

export class CapacityQueries extends queriesOf(METRICS_READ_MODEL) {
  /** The capacities of an installation in order of creation, at most a thousand. */
  async ofInstallation(installation: InstallationRef): Promise<readonly CapacityDocument[]> {
    return (await capacities.get(this.view, installation)) ?? [];
  }

  /** Like `ofInstallation`, as the JSON list of an answer. */
  async listText(installation: InstallationRef): Promise<Buffer> {
    return (await capacities.bytes(this.view, installation)) ?? NONE;
  }

  /** Like `listText`, for each of the installations, in one round trip. */
  async listTexts(installations: readonly InstallationRef[]): Promise<readonly Buffer[]> {
    if (installations.length === 0) return [];
    const stored = await this.view.getMany(capacities.name, installations.map(capacities.key));
    return stored.map((list) => list ?? NONE);
  }

  /** Whether the installation has the capacity. The case of the id is ignored. */
  async has(installation: InstallationRef, id: string): Promise<boolean> {
    const capacityId = storedObjectId(id);
    return capacityId !== undefined && (await this.ofInstallation(installation)).some((capacity) => capacity.id === capacityId);
  }

  /** The capacities of each of the installations, in one round trip. */
  async ofEach(installations: readonly InstallationRef[], slice: Slice): Promise<readonly (readonly CapacityDocument[])[]> {
    if (installations.length === 0) return [];
    const stored = await this.view.getMany(capacities.name, installations.map(capacities.key));
    const lists: (readonly CapacityDocument[])[] = [];
    for (const bytes of stored) {
      lists.push(bytes === null ? [] : capacities.parse(bytes));
      if (slice.isOver) await slice.next();
    }
    return lists;
  }
}
