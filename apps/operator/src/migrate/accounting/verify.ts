import { actorIdOf } from '#domain/accounting/access/clients.js';
import { decimal, decimalText } from '#domain/accounting/decimal.js';
import { AccessQueries } from '#projections/accounting/access/queries.js';
import { CapacityQueries } from '#projections/accounting/capacities/queries.js';
import { CatalogueLists } from '#projections/accounting/catalogue/lists.js';
import { CatalogueQueries } from '#projections/accounting/catalogue/queries.js';
import { DefinitionQueries } from '#projections/accounting/definitions/queries.js';
import { MetricQueries } from '#projections/accounting/metrics/queries.js';
import type { ExportedDocument } from '../migration.js';
import { dateIn, decimalIn, type Fields, fieldsListIn, idText, nameIn, textIn } from '../read/fields.js';
import { type MigrationVerification, only } from '../verification.js';
import { oidcTenantIn } from './access.js';
import { projectOf, providerOf } from './catalogue.js';
import { definitionOf, SHIPPED, TYPE_VALUE } from './definitions.js';
import { anyId, recordId, referenceIn } from './ids.js';
import { installationOf } from './installations.js';
import type { KnownInstallations } from './known-installations.js';
import { metricOf } from './metrics.js';

const NOTHING = { offset: 0, size: 0 };

/** The id that an actor would get by registering here. */
const ownIdOf = (fields: Fields): string => actorIdOf(nameIn(fields, 'issuer'), nameIn(fields, 'oidc_id'));

const verifyDefinitions = async (verification: MigrationVerification): Promise<void> => {
  const queries = new DefinitionQueries(verification.readStore);
  const { migration } = verification;
  for (const kind of ['unit', 'metric'] as const) {
    const own = SHIPPED[kind].map(({ typeId }) => typeId);
    const broughtOver = await queries.broughtOver(kind, own);
    const typeOf = async (id: string) => (await queries.type(kind, id)) ?? broughtOver.find((type) => type?.typeId === id);
    const document = (fields: Fields) => ({ value: nameIn(fields, TYPE_VALUE[kind]), description: textIn(fields, 'description') });
    await verification.compareMembers(
      migration.file(kind === 'unit' ? 'UnitType' : 'MetricType'),
      ({ fields, place }) => (migration.report.isChanged(place) ? undefined : document(fields)), // one included in Logbook
      ({ fields }) => typeOf(recordId(fields)),
    );
  }
  await verification.compareMembers(
    migration.file('MetricDefinition'),
    ({ fields }) => ({ metric_definition_id: recordId(fields), ...definitionOf(fields) }),
    async ({ fields }) => (await queries.definition(recordId(fields)))?.document,
  );
  verification.counted('MetricDefinition', verification.taken('MetricDefinition'), (await queries.definitionList(NOTHING)).total);
};

const verifyCatalogue = async (verification: MigrationVerification, installations: KnownInstallations): Promise<void> => {
  const queries = new CatalogueQueries(verification.readStore);
  const lists = new CatalogueLists(verification.readStore);
  const { migration } = verification;
  await verification.compareMembers(
    migration.file('Provider'),
    ({ fields }) => providerOf(fields),
    ({ fields }) => queries.providerById(anyId(fields)),
  );
  await verification.compare(migration.file('Project'), {
    expected: ({ fields }) => ({ ...projectOf(fields), installations: installationsIn(fields, installations) }),
    found: async ({ fields }) => {
      const project = await queries.project(anyId(fields));
      if (!project) return undefined;
      const found = await Promise.all(installationsIn(fields, installations).map(({ id }) => queries.installationById(id)));
      return {
        ...only(projectOf(fields), project),
        installations: found.map((one) =>
          only({ id: 1, organisation: 1, infrastructure: 1, installation: 1, resource: 1, unit_of_access: 1 }, one),
        ),
      };
    },
  });
  verification.counted('Project', verification.taken('Project'), (await lists.projects(NOTHING)).total);
  verification.counted('Resource', verification.taken('Resource'), (await lists.resources(NOTHING)).total);
};

/** The installations of a project that were taken over, as shown by the read model. */
const installationsIn = (fields: Fields, installations: KnownInstallations) =>
  fieldsListIn(fields, 'providers').flatMap((association) =>
    fieldsListIn(association, 'installations')
      .filter((one) => installations.has(idText(one._id)?.toLowerCase() ?? ''))
      .map((one) => {
        const { organisation, infrastructure, installation, resource, unitOfAccess } = installationOf(one, idText(association._id) ?? '');
        return { id: recordId(one), organisation, infrastructure, installation, resource, unit_of_access: unitOfAccess };
      }),
  );

const verifyMetrics = async (verification: MigrationVerification, installations: KnownInstallations): Promise<void> => {
  const { migration, readStore } = verification;
  const [metrics, capacities] = [new MetricQueries(readStore), new CapacityQueries(readStore)];
  const expected = ({ fields }: ExportedDocument) => metricOf(fields, installations);
  await verification.compareMembers(migration.file('Metric'), expected, ({ fields }) =>
    metrics.find(metricOf(fields, installations), recordId(fields)),
  );
  let found = 0;
  for (const projectId of installations.projects)
    for (const count of Object.values(await metrics.countsOfProject(projectId))) found += count;
  verification.counted('Metric', verification.taken('Metric'), found);
  await verification.compareMembers(
    migration.file('Capacity'),
    ({ fields }) => ({
      installation_id: referenceIn(fields, 'installation_id'),
      metric_definition_id: referenceIn(fields, 'metric_definition_id'),
      value: decimalText(decimal(decimalIn(fields, 'value'))),
      registered_on: dateIn(fields, 'registered_on'),
    }),
    async ({ fields }) => {
      const installation = installations.find(nameIn(fields, 'installation_id'));
      const all = installation && (await capacities.ofInstallation({ projectId: installation.projectId, installationId: installation.id }));
      const one = all?.find(({ id }) => id === recordId(fields));
      return one && { ...one, value: decimalText(decimal(one.value)) };
    },
  );
};

const verifyAccess = async (verification: MigrationVerification): Promise<void> => {
  const queries = new AccessQueries(verification.readStore);
  const { migration } = verification;
  await verification.compareMembers(
    migration.file('Entitlement'),
    ({ fields }) => ({ id: recordId(fields), name: nameIn(fields, 'name') }),
    ({ fields }) => queries.entitlement(recordId(fields)),
  );
  const tenant = ({ fields }: ExportedDocument) => {
    const { secret: _, ...shown } = oidcTenantIn(fields); // never shown
    return shown;
  };
  await verification.compareMembers(migration.file('OidcTenantConfig'), tenant, ({ fields }) => queries.oidcTenant(recordId(fields)));
  await verification.compare(migration.file('Actor'), {
    expected: ({ fields, place }) => ({ id: migration.report.isChanged(place) ? ownIdOf(fields) : recordId(fields) }),
    found: async ({ fields }) => {
      const id = (await queries.broughtOver(ownIdOf(fields))) ?? ownIdOf(fields);
      return (await queries.assignedTo(id)) && { id };
    },
  });
  verification.counted('Entitlement', verification.taken('Entitlement'), (await queries.entitlements(NOTHING)).total);
  verification.counted('Actor', verification.taken('Actor'), (await queries.clients(NOTHING)).total);
  verification.counted('ActorEntitlements', verification.taken('ActorEntitlements'), (await queries.assignments(NOTHING)).total);
};

/** Compares the answers of the service's queries with the files. */
export const verifyAccounting = async (verification: MigrationVerification, installations: KnownInstallations): Promise<void> => {
  await verifyDefinitions(verification);
  await verifyCatalogue(verification, installations);
  await verifyMetrics(verification, installations);
  await verifyAccess(verification);
};
